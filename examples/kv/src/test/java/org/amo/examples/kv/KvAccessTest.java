package org.amo.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
    }

    private static KvAccess access(String secret) {
        return new KvAccess("a=127.0.0.1:7801/9801", Optional.of(secret));
    }
}
