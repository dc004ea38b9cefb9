package org.amo.core.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The party that budgets are charged to: equal at every member, told apart by kind and name. */
final class PrincipalTest {

    /** The first 64 bits of SHA-256 over "subject", a zero byte and "CN=a": members of other versions compute the same. */
    @Test
    void aPrincipalIsTheSameAtEveryMember() {
        assertEquals("a044bec6a1720716", Principal.subject("CN=a").toString());
        assertEquals("b873a2e77e9fbf91", Principal.credential("alice").toString());
        assertEquals(
                "2b3af52e682895c5", Principal.address(new byte[] {10, 0, 0, 7}).toString());
    }

    @Test
    void kindAndNameBothCount() {
        assertNotEquals(Principal.subject("a"), Principal.credential("a"));
        assertNotEquals(Principal.subject("a"), Principal.subject("b"));
        assertNotEquals(Principal.subject("a"), Principal.UNKNOWN);
    }

    @Test
    void ofAnIpv6AddressOnlyTheNetworkCounts() {
        byte[] one = {0x20, 1, 0xD, 0xB, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        byte[] sameNetwork = {0x20, 1, 0xD, 0xB, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2};
        byte[] otherNetwork = {0x20, 1, 0xD, 0xB, 0, 0, 0, 2, 1, 1, 1, 1, 1, 1, 1, 1};
        assertEquals(Principal.address(one), Principal.address(sameNetwork));
        assertNotEquals(Principal.address(one), Principal.address(otherNetwork));
        assertNotEquals(Principal.address(new byte[] {10, 0, 0, 7}), Principal.address(new byte[] {10, 0, 0, 8}));
    }

    @Test
    void theTextOfAnOptionNamesTheSamePrincipal() {
        assertEquals(Principal.subject("CN=a:b"), Principal.parse("subject:CN=a:b"));
        assertEquals(Principal.credential("alice"), Principal.parse("credential:alice"));
        assertEquals(
                Principal.address(new byte[] {10, 0, (byte) 200, (byte) 255}), Principal.parse("address:10.0.200.255"));
        assertNotEquals(Principal.parse("address:1.2.3.4"), Principal.parse("address:4.3.2.1"));
    }

    @Test
    void anyOtherTextIsRefusedWithTheForms() {
        for (String text : List.of(
                "",
                "alice",
                ":alice",
                "user:alice",
                "10.0.0.7",
                "address:10.0.0",
                "address:10.0.0.7.8",
                "address:10.0.0.256",
                "address:10.0.0.x",
                "address:10.0..7",
                "address:host")) {
            String message = assertThrows(IllegalArgumentException.class, () -> Principal.parse(text), text)
                    .getMessage();
            assertTrue(message.contains("subject:NAME") && message.endsWith("'" + text + "'"), message);
        }
    }

    @Test
    void principalsAreOrderedByUnsignedHashAndWrittenWithAllDigits() {
        assertTrue(new Principal(1).compareTo(new Principal(-1)) < 0);
        assertTrue(new Principal(-1).compareTo(new Principal(1)) > 0);
        assertEquals(0, new Principal(5).compareTo(new Principal(5)));
        assertEquals("000000000000000f", new Principal(15).toString());
        assertEquals("ffffffffffffffff", new Principal(-1).toString());
    }
}
