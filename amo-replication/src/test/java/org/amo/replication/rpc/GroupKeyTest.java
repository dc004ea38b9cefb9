package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Keys of many clients in one process. */
final class GroupKeyTest {
    private static final byte[] SALT = new byte[16];
    private static final int OTHERS = 16;

    @Test
    void aPasswordIsStretchedOnceInAProcess() {
        assertSame(GroupKey.of("bank", "a passw0rd of tests"), GroupKey.of("bank", "a passw0rd of tests"));
    }

    @Test
    void anotherGroupOrSecretHasAnotherKey() {
        byte[] proof = GroupKey.of("bank", "11".repeat(32)).helloProof(SALT);
        assertFalse(Arrays.equals(proof, GroupKey.of("shop", "11".repeat(32)).helloProof(SALT)));
        assertFalse(Arrays.equals(proof, GroupKey.of("bank", "12".repeat(32)).helloProof(SALT)));
    }

    @Test
    void theKeysThatAProcessKeepsAreFewAndAForgottenOneIsDerivedAgain() {
        GroupKey first = GroupKey.of("bank", "77".repeat(32));
        for (int other = 0; other < OTHERS; other++) {
            GroupKey unused = GroupKey.of("bank " + other, "77".repeat(32));
        }
        GroupKey again = GroupKey.of("bank", "77".repeat(32));
        assertNotSame(first, again);
        assertArrayEquals(first.helloProof(SALT), again.helloProof(SALT));
    }
}
