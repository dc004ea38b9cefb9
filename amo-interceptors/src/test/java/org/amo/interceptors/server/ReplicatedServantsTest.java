package org.amo.interceptors.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.amo.interceptors.state.StateCodec;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.jspecify.annotations.Nullable;
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
                            new ServantStates(Optional.of(counting(taken)), Optional.empty(), true, Optional.empty()),
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

    // ---- states that cannot be taken

    /** Style passive: the group undoes the run behind which there was none, and the member may go on from a snapshot. */
    @Test
    void aStateThatIsPutInPlaceEndsTheObstacleOfTheOneBefore() {
        Account account = new Account();
        ReplicatedServants servants = comparable();
        activate(servants, "one", account);
        byte[] before = servants.take().orElseThrow();
        account.balance = NOT_SAVED;
        assertEquals(Optional.empty(), servants.takeUpdate());
        assertTrue(servants.obstacle().isPresent());
        account.balance = 1;
        assertEquals(Optional.empty(), servants.takeUpdate(), "the run is undone, whatever comes later");
        servants.restore(before);
        assertEquals(Optional.empty(), servants.obstacle());
        assertTrue(servants.takeUpdate().isPresent());
    }

    /** In style passive the group goes on by its updates, and a member with an obstacle would end. The next snapshot may be possible. */
    @Test
    void aSnapshotThatCannotBeTakenIsNoObstacle() {
        Account account = new Account();
        ReplicatedServants servants = comparable();
        activate(servants, "one", account);
        account.balance = NOT_SAVED;
        assertEquals(Optional.empty(), servants.take());
        assertEquals(Optional.empty(), servants.obstacle());
        account.balance = 1;
        assertTrue(servants.take().isPresent());
    }

    /** Its error would end each member, and again at the next snapshot of each replay. */
    @Test
    void aServantThatGivesNullForItsStateEndsNoMember() {
        ReplicatedServants servants = new ReplicatedServants(
                "bank",
                new ServantStates(Optional.empty(), Optional.empty(), true, Optional.empty()),
                new ActivationGate(Duration.ZERO));
        servants.activated(POA_ID, "one".getBytes(UTF_8), new Stateless(), false);
        assertEquals(Optional.empty(), servants.take());
        assertEquals(Optional.empty(), servants.obstacle());
        assertEquals(Optional.empty(), servants.takeUpdate());
        assertTrue(servants.obstacle().isPresent());
    }

    @Test
    void anObstacleOfTheActivatedServantsStays() {
        ReplicatedServants servants = comparable();
        activate(servants, "one", new Account());
        byte[] before = servants.take().orElseThrow();
        servants.managed();
        Optional<String> obstacle = servants.obstacle();
        assertTrue(obstacle.isPresent());
        servants.restore(before);
        assertEquals(obstacle, servants.obstacle());
        assertEquals(Optional.empty(), servants.take());
    }

    // ---- digests

    /** A member whose main has not activated all objects yet must not be taken for a diverged one. */
    @Test
    void atAMarkTheStatesOfTheCalledServantsAreComparedAndNoOthers() {
        Account called = new Account();
        Account other = new Account();
        ReplicatedServants ready = comparable();
        activate(ready, "one", called);
        activate(ready, "two", other);
        ReplicatedServants starting = comparable();
        activate(starting, "one", new Account());
        call(ready, "one");
        call(starting, "one");
        OptionalLong digest = ready.digestAtMark(true);
        assertTrue(digest.isPresent());
        assertEquals(digest, starting.digestAtMark(true));
        call(ready, "one");
        called.balance = 7;
        assertNotEquals(digest, ready.digestAtMark(true));
        other.balance = 8;
        assertEquals(starting.digestAtMark(true), ready.digestAtMark(true), "none was called");
    }

    @Test
    void whereTheCalledServantsAreNotKnownThereIsNoDigest() {
        ReplicatedServants servants = comparable();
        Account account = new Account();
        activate(servants, "one", account);
        call(servants, "one");
        assertEquals(OptionalLong.empty(), servants.digestAtMark(false));
        assertTrue(servants.digestAtMark(true).isPresent());
        servants.restore(servants.take().orElseThrow());
        assertEquals(OptionalLong.empty(), servants.digestAtMark(true), "some may have been called before");
        assertTrue(servants.digestAtMark(true).isPresent());
        call(servants, "one");
        servants.deactivated(POA_ID, "one".getBytes(UTF_8), false);
        assertEquals(OptionalLong.empty(), servants.digestAtMark(true), "main has taken it away");
        call(servants, "unknown");
        assertTrue(servants.digestAtMark(true).isPresent());
    }

    /** Style passive: backups do not execute. */
    @Test
    void anUpdateTouchesItsServantsAtThePrimaryAndAtABackup() {
        ReplicatedServants primary = comparable();
        Account account = new Account();
        activate(primary, "one", account);
        ReplicatedServants backup = comparable();
        activate(backup, "one", new Account());
        account.balance = 3;
        backup.applyUpdate(primary.takeUpdate().orElseThrow());
        OptionalLong digest = primary.digestAtMark(true);
        assertEquals(digest, backup.digestAtMark(true));
        account.balance = 4;
        byte[] update = primary.takeUpdate().orElseThrow();
        account.balance = 5;
        backup.applyUpdate(update);
        assertNotEquals(primary.digestAtMark(true), backup.digestAtMark(true), "the update left something out");
    }

    private static final byte[] POA_ID = "poa".getBytes(UTF_8);

    private static ReplicatedServants comparable() {
        return new ReplicatedServants(
                "bank",
                new ServantStates(Optional.of(BALANCES), Optional.empty(), true, Optional.empty()),
                new ActivationGate(Duration.ZERO));
    }

    private static void activate(ReplicatedServants servants, String id, Account account) {
        servants.activated(POA_ID, id.getBytes(UTF_8), account, false);
    }

    private static void call(ReplicatedServants servants, String id) {
        servants.called(POA_ID, id.getBytes(UTF_8));
    }

    /** A balance that the codec cannot write. */
    private static final byte NOT_SAVED = -1;

    private static final StateCodec BALANCES = new StateCodec() {
        @Override
        public byte[] take(Object servant) {
            byte balance = ((Account) servant).balance;
            if (balance == NOT_SAVED) {
                throw new IllegalStateException("planted");
            }
            return new byte[] {balance};
        }

        @Override
        public boolean isComparable() {
            return true;
        }

        @Override
        public void restore(Object servant, byte[] state) {
            ((Account) servant).balance = state[0];
        }
    };

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

    /** With FT-CORBA's operations, which are found by their names. */
    public static final class Stateless extends Servant {
        public byte @Nullable [] get_state() {
            return null;
        }

        public void set_state(byte[] state) {
            assertEquals(0, state.length, "a state that was never taken");
        }

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Stateless:1.0"};
        }
    }

    private static final class Account extends Servant {
        private byte balance;

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Account:1.0"};
        }
    }
}
