package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.function.Function;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.request.Request;
import org.amo.interceptors.CapturedRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;

/** A member that takes requests in datagrams: the adaptor's word about each, behind the seal. */
class DatagramRequestsTest {
    @TempDir
    private Path folder;

    private Properties properties(String group) throws Exception {
        Properties properties = Server.properties(group, "a", Server.members(1));
        properties.remove("amo.insecure");
        properties.setProperty(
                "amo.secretFile",
                Files.writeString(folder.resolve("secret"), "ab".repeat(32)).toString());
        properties.setProperty("amo.udp", "true");
        return properties;
    }

    @Test
    void aRequestHasTheFingerprintThatItHasOverIiopAndOthersAreTurnedAwayOrDropped() throws Exception {
        try (Server server = Server.start(properties("datagrams"))) {
            POA poa = server.poa(server.root(), "calls");
            String reference = server.activate(poa, "one", new CallsServant());
            ORB client = Server.client(Map.of());
            Calls calls = CallsHelper.narrow(client.string_to_object(reference));
            assertEquals(1, calls.count(1));
            client.shutdown(true);
            Request over = ToyGroup.named("datagrams").log().get(0).request();
            Function<byte[], OptionalLong> datagrams =
                    ToyProvider.datagrams("datagrams").orElseThrow();
            assertEquals(OptionalLong.of(over.fingerprint()), datagrams.apply(over.body()));

            CapturedRequest request = CapturedRequest.decode(over.body());
            byte[] missing = request.objectKey().clone();
            missing[missing.length - 1]++;
            assertEquals(
                    OptionalLong.empty(),
                    datagrams.apply(changed(request, "count", missing, request.charCodeSet())),
                    "JacORB says over IIOP that there is none");
            for (byte[] none : List.of(
                    new byte[] {7},
                    // Members alone make these.
                    changed(request, "_amo_activate", request.objectKey(), request.charCodeSet()),
                    changed(request, "_is_a", request.objectKey(), request.charCodeSet()),
                    // Each string would be read as "".
                    changed(request, "count", request.objectKey(), 0x7777))) {
                assertThrows(MalformedFrameException.class, () -> datagrams.apply(none));
            }
            poa.the_POAManager().hold_requests(false);
            assertEquals(OptionalLong.empty(), datagrams.apply(over.body()), "JacORB holds requests");
        }
        assertEquals(Optional.empty(), ToyProvider.datagrams("datagrams"), "the member is gone");
    }

    private static byte[] changed(CapturedRequest request, String operation, byte[] objectKey, int charCodeSet) {
        return new CapturedRequest(
                        request.littleEndian(),
                        request.giopMinor(),
                        request.pad(),
                        charCodeSet,
                        request.wcharCodeSet(),
                        operation,
                        objectKey,
                        request.body())
                .encode();
    }

    /** References are replies, so that members whose references differ would diverge. */
    @Test
    void referencesTellThePortAndMembersCompareTheSetting() throws Exception {
        try (Server with = Server.start(properties("told"));
                Server without = Server.start("untold", "a", Server.members(1))) {
            String told = with.activate(with.poa(with.root(), "calls"), "one", new CallsServant());
            String untold = without.activate(without.poa(without.root(), "calls"), "one", new CallsServant());
            // The tag, the length of the component and its data.
            assertTrue(told.contains("414D4F55" + "00000006" + "0104746F6C64"), told);
            assertFalse(untold.contains("414D4F55"), untold);
        }
        assertEquals("true", ToyProvider.settings("told").equalAtAllMembers().get("--udp (amo.udp)"));
        assertEquals("false", ToyProvider.settings("untold").equalAtAllMembers().get("--udp (amo.udp)"));
        assertEquals(Optional.empty(), ToyProvider.datagrams("untold"));
    }

    @Test
    void aMemberThatCannotTakeThemDoesNotStart() throws Exception {
        Properties open = properties("open");
        open.remove("amo.secretFile");
        open.setProperty("amo.insecure", "true");
        assertRefused(open, "add --secret-file FILE");
        Properties ssl = properties("ssl");
        ssl.putAll(KeyStores.properties(KeyStores.selfSigned(folder, "group"), "60", "60"));
        assertRefused(ssl, "calls that pass by SSL");
        try (Server server = Server.start(properties("taken"))) {
            POA poa = server.poa(server.root(), "calls");
            INITIALIZE taken = assertThrows(INITIALIZE.class, () -> server.activate(poa, "one", new CallsServant()));
            assertTrue(taken.getMessage().contains("that UDP port is taken"), taken.getMessage());
        }
    }

    private static void assertRefused(Properties properties, String part) {
        INITIALIZE thrown = assertThrows(INITIALIZE.class, () -> ORB.init(new String[0], properties));
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
        assertEquals(1, thrown.getMessage().lines().count());
    }
}
