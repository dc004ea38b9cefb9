package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Keys of many clients in one process. */
final class RpcKeyTest {
    private static final byte[] SALT = new byte[16];
    private static final int OTHERS = 16;

    @Test
    void aPasswordIsStretchedOnceInAProcess() {
        assertSame(RpcKey.of("bank", "a passw0rd of tests"), RpcKey.of("bank", "a passw0rd of tests"));
    }

    @Test
    void anotherGroupOrSecretHasAnotherKey() {
        byte[] proof = RpcKey.of("bank", "11".repeat(32)).helloProof(SALT);
        assertFalse(Arrays.equals(proof, RpcKey.of("shop", "11".repeat(32)).helloProof(SALT)));
        assertFalse(Arrays.equals(proof, RpcKey.of("bank", "12".repeat(32)).helloProof(SALT)));
    }

    @Test
    void theKeysThatAProcessKeepsAreFewAndAForgottenOneIsDerivedAgain() {
        RpcKey first = RpcKey.of("bank", "77".repeat(32));
        for (int other = 0; other < OTHERS; other++) {
            RpcKey unused = RpcKey.of("bank " + other, "77".repeat(32));
        }
        RpcKey again = RpcKey.of("bank", "77".repeat(32));
        assertNotSame(first, again);
        assertArrayEquals(first.helloProof(SALT), again.helloProof(SALT));
    }
}
