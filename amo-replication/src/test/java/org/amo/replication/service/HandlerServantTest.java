package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The state of a service that gives none now. */
class HandlerServantTest {
    /** A tree or list of the service's own, with thousands of links. */
    private static final class DeepState implements AmoState {
        @Override
        public byte[] take() {
            throw new StackOverflowError("planted");
        }

        @Override
        public boolean isComparable() {
            return true;
        }

        @Override
        public void restore(byte[] state) {
            throw new UnsupportedOperationException();
        }
    }

    /** It would end each member, and again at the next snapshot of each replay. Taking the state changes nothing. */
    @Test
    void aStateThatNestsTooDeepForTheStackIsNotTaken() {
        HandlerServant servant =
                new HandlerServant("group", (body, context) -> body, Optional.of(new DeepState()), false);
        assertEquals(Optional.empty(), servant.takeState());
        assertEquals(OptionalLong.empty(), servant.stateDigest());
    }
}
