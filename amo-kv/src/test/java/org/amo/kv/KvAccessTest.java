package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How servers and clients prove themselves. */
class KvAccessTest {
    @Test
    void aSecretThatCanBeGuessedIsRefused() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> access("fifteen bytes.."));
        assertTrue(String.valueOf(refused.getMessage()).contains("can be guessed"), refused::toString);
        assertEquals(Optional.of("sixteen bytes..."), access("sixteen bytes...").secret());
        assertFalse(access("sixteen bytes...").toString().contains("sixteen"), "a log would have it");
    }

    @Test
    void withoutASecretOrTlsEveryAddressIsOfThisMachine() {
        String elsewhere = "a=127.0.0.1:7801/9801,b=192.0.2.1:7801/9801";
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> new KvAccess(elsewhere, Optional.empty()));
        assertTrue(
                String.valueOf(refused.getMessage()).contains("coordinator b is at 192.0.2.1; give"),
                refused::toString);
        KvAccess here = new KvAccess("a=localhost:7801/9801", Optional.empty());
        assertThrows(IllegalArgumentException.class, () -> here.checkHost("server s1", "0.0.0.0"));
        here.checkHost("server s1", "127.0.0.1");
        access("sixteen bytes...").checkHost("server s1", "0.0.0.0");
        new KvAccess(elsewhere, access("sixteen bytes...").secret()).checkHost("server s1", "0.0.0.0");
    }

    private static KvAccess access(String secret) {
        return new KvAccess("a=127.0.0.1:7801/9801", Optional.of(secret));
    }
}
