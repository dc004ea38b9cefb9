package org.amo.interceptors.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.amo.interceptors.state.ServantStates;
import org.amo.interceptors.state.StateCodec;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;

class ReplicatedServantsTest {
    private static final int EACH = 4;

    /** Several threads of main activate objects: all of them are in the snapshot. */
    @Test
    void everyObjectThatWasActivatedIsInTheState() {
        Meetings.prove(
                () -> {
                    AtomicInteger taken = new AtomicInteger();
                    ReplicatedServants servants = new ReplicatedServants(
                            "bank",
                            new ServantStates(Optional.of(counting(taken)), Optional.empty()),
                            new ActivationGate(Duration.ZERO));
                    return activating(
                            number -> servants.activated(
                                    "poa".getBytes(UTF_8),
                                    String.valueOf(number).getBytes(UTF_8),
                                    new Account(),
                                    false),
                            () -> servants.take().isPresent() ? taken.get() : -1);
                },
                () -> {
                    WithoutLock servants = new WithoutLock();
                    return activating(servants::activated, () -> servants.active.size());
                });
    }

    private static Meeting activating(IntConsumer activate, IntSupplier taken) {
        return Meeting.of(
                () -> {
                    int count = taken.getAsInt();
                    return count == 2 * EACH ? "" : count + " of " + 2 * EACH + " objects are in the state";
                },
                activating(activate, 0),
                activating(activate, EACH));
    }

    private static Meeting.Act activating(IntConsumer activate, int first) {
        return () -> {
            for (int number = first; number < first + EACH; number++) {
                activate.accept(number);
            }
        };
    }

    private static StateCodec counting(AtomicInteger taken) {
        return new StateCodec() {
            @Override
            public byte[] take(Object servant) {
                taken.incrementAndGet();
                return new byte[0];
            }

            @Override
            public void restore(Object servant, byte[] state) {
                throw new UnsupportedOperationException();
            }
        };
    }

    /** Two that put at once each put into a map of their own. */
    private static final class WithoutLock {
        private volatile Map<Integer, Servant> active = Map.of();

        void activated(int number) {
            Map<Integer, Servant> more = new TreeMap<>(active);
            more.put(number, new Account());
            active = more;
        }
    }

    private static final class Account extends Servant {
        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Account:1.0"};
        }
    }
}
