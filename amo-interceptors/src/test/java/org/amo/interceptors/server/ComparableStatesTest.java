package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.Properties;
import org.amo.interceptors.state.StateCodec;
import org.junit.jupiter.api.Test;

/** Executions of a member wait for digests of its servants' states only if these can be compared. */
class ComparableStatesTest {
    @Test
    void digestsAreOfferedIfTheCodecsBytesAreComparable() throws Exception {
        assertTrue(offersDigest("comparable", Optional.of(EqualBytes.class)));
        assertFalse(offersDigest("incomparable", Optional.of(UnequalBytes.class)));
        assertFalse(offersDigest("without-codec", Optional.empty()));
    }

    private static boolean offersDigest(String group, Optional<Class<? extends StateCodec>> codec) throws Exception {
        Properties properties = Server.properties(group, "a", Server.members(1));
        codec.ifPresent(each -> properties.setProperty("amo.stateCodec", each.getName()));
        try (Server server = Server.start(properties)) {
            server.activate(server.poa(server.root(), "calls"), "one", new CallsServant());
            return ToyGroup.named(group).hasStateDigest("a");
        }
    }

    /** Bytes may differ although states are equal. */
    public static class UnequalBytes implements StateCodec {
        @Override
        public byte[] take(Object servant) {
            return new byte[0];
        }

        @Override
        public void restore(Object servant, byte[] state) {}
    }

    /** Equal states give equal bytes. */
    public static final class EqualBytes extends UnequalBytes {
        @Override
        public boolean isComparable() {
            return true;
        }
    }
}
