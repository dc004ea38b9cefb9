package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class ActivationGateTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private interface Gate {
        void activated();

        Optional<String> await(Supplier<Optional<String>> lookup);
    }

    @Test
    void beforeItIsOpenNobodyWaits() {
        assertEquals(Optional.empty(), new ActivationGate(PATIENCE).await(Optional::empty));
    }

    /** The execution thread at the gate while main activates: it finds the object, and is woken for it. */
    @Test
    void whoWaitsForAnObjectFindsItAsSoonAsItIsActivated() {
        Meetings.prove(() -> waiting(sound()), () -> waiting(new LooksOnce()));
    }

    private static Gate sound() {
        ActivationGate gate = new ActivationGate(PATIENCE);
        gate.open();
        return new Gate() {
            @Override
            public void activated() {
                gate.activated();
            }

            @Override
            public Optional<String> await(Supplier<Optional<String>> lookup) {
                return gate.await(lookup);
            }
        };
    }

    private static Meeting waiting(Gate gate) {
        Set<String> objects = ConcurrentHashMap.newKeySet();
        boolean[] found = {false};
        return Meeting.of(
                () -> found[0] ? "" : "the object was not found",
                () -> {
                    objects.add("bank");
                    gate.activated();
                },
                () -> found[0] = gate.await(() -> objects.contains("bank") ? Optional.of("bank") : Optional.empty())
                        .isPresent());
    }

    /** Does not look again under the lock, where an activation may have come just before it waits. */
    private static final class LooksOnce implements Gate {
        private boolean activated;

        @Override
        public synchronized void activated() {
            activated = true;
        }

        @Override
        public Optional<String> await(Supplier<Optional<String>> lookup) {
            Optional<String> found = lookup.get();
            synchronized (this) {
                return found.isPresent() || !activated ? found : lookup.get();
            }
        }
    }
}
