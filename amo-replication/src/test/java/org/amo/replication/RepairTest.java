package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.amo.base.ClientId;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.FirstDifference;
import org.amo.core.replica.Place;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A diverged member whose disk does not take the verdict, or whose donors have timers; the words of a dispute. */
class RepairTest {
    private static final int MANY_TICKS = 40;
    private static final ReplicaSettings SETTINGS = ReplicaSettings.builder(
                    "g", "a", List.of(new Member("a", "memory", 1, 1), new Member("b", "memory", 2, 2)))
            .build();

    @TempDir
    Path folder = Path.of("unset");

    private final List<Long> asked = new ArrayList<>();
    private final List<String> askedMembers = new ArrayList<>();
    private Optional<GroupMembers> members = Optional.empty();
    private final List<OrderedLogException> ended = new ArrayList<>();

    private Path missing() {
        return folder.resolve("missing");
    }

    private DivergenceNote note() {
        return DivergenceNote.open(Optional.of(missing()));
    }

    @Test
    void theVerdictIsWrittenOnceTheDiskTakesIt() throws IOException {
        DivergenceNote note = note();
        note.diverged(7, "differs");
        assertEquals(Optional.of(7L), note.diverged(), "this process knows it at once");
        assertFalse(note.keep());
        Files.createDirectory(missing());
        int ticks = 0;
        while (!note.keep()) {
            ticks++;
            assertTrue(ticks < MANY_TICKS, "not tried again");
        }
        assertTrue(ticks > 10, "tried at each tick");
        assertEquals(Optional.of(7L), note().diverged());
        assertEquals("differs", note().line());
    }

    @Test
    void aLaterContentTakesThePlaceOfOneThatCouldNotBeWritten() throws IOException {
        DivergenceNote note = note();
        note.diverged(7, "differs");
        Files.createDirectory(missing());
        note.repaired("was repaired");
        assertTrue(note.keep());
        assertEquals(Optional.empty(), note().diverged());
        assertEquals("was repaired", note().line());
    }

    /** The disk reported the write of the file, and lost it: the file is missing, or that of an earlier divergence. */
    @Test
    void aVerdictWhoseFileIsLostStandsInTheNotesOfExecutions() throws IOException {
        Path file = Files.createDirectory(missing()).resolve("divergence");
        try (ExecutionGate gate = begunGate()) {
            DivergenceNote note = noteIn(gate);
            note.diverged(3, "differs");
            note.repaired("was repaired");
        }
        byte[] old = Files.readAllBytes(file);
        try (ExecutionGate gate = begunGate()) {
            noteIn(gate).diverged(7, "differs again");
        }
        Files.write(file, old);
        for (int lives = 0; lives < 2; lives++) {
            try (ExecutionGate gate = begunGate()) {
                assertEquals(Optional.of(7L), noteIn(gate).diverged());
                assertEquals("differs from the majority at position 7 of the log", note().line());
            }
            Files.delete(file);
        }
        try (ExecutionGate gate = begunGate()) {
            noteIn(gate).repaired("was repaired again");
        }
        try (ExecutionGate gate = begunGate()) {
            DivergenceNote last = noteIn(gate);
            assertEquals(Optional.empty(), last.diverged());
            assertEquals(7, last.mark());
        }
    }

    /** Of a version without the promise in the notes of executions. */
    @Test
    void aVerdictInTheFileAloneIsTakenOver() throws IOException {
        Files.createDirectory(missing());
        begunGate().close();
        note().diverged(7, "differs");
        try (ExecutionGate gate = begunGate()) {
            assertEquals(Optional.of(7L), noteIn(gate).diverged());
        }
        Files.delete(missing().resolve("divergence"));
        try (ExecutionGate gate = begunGate()) {
            assertEquals(Optional.of(7L), noteIn(gate).diverged());
        }
    }

    private DivergenceNote noteIn(ExecutionGate gate) {
        DivergenceNote note = note();
        note.alsoIn(gate);
        return note;
    }

    /** Of a member whose log has begun. */
    private ExecutionGate begunGate() throws IOException {
        ExecutionGate gate = ExecutionGate.open(Optional.of(missing()), true);
        Files.write(missing().resolve("members"), new byte[1]);
        return gate;
    }

    /** The snapshot that repaired it may be damaged since, and its log be there from the beginning. */
    @Test
    void aRepairedMemberIsTrustedUnlessItBeginsBeforeItsDivergence() throws IOException {
        Files.createDirectory(missing());
        DivergenceNote note = note();
        note.diverged(7, "differs");
        note.repaired("was repaired");
        Replica replica = replica();
        Repair repair = repair(replica, note());
        repair.begin();
        assertTrue(replica.isCaughtUp());
        replica.onDelivered(1, new byte[0], 0);
        assertFalse(replica.isCaughtUp());
        repair.onTrusted();
        assertEquals("was repaired", replica.status().divergence());

        Replica behind = replica();
        repair(behind, note()).begin();
        behind.onDelivered(8, new byte[0], 0);
        assertTrue(behind.isCaughtUp());
    }

    /** The state that it asks for ends the process. */
    @Test
    void noStateIsAskedForBeforeTheVerdictIsOnDisk() throws IOException {
        DivergenceNote note = note();
        note.diverged(7, "differs");
        Repair repair = repair(replica(), note);
        repair.onStateLost(9, "could not apply an update");
        for (int tick = 0; tick < MANY_TICKS; tick++) {
            repair.onTick();
        }
        assertEquals(List.of(), asked);
        Files.createDirectory(missing());
        for (int tick = 0; tick < MANY_TICKS && asked.isEmpty(); tick++) {
            repair.onTick();
        }
        assertEquals(List.of(9L), asked);
        assertEquals(Optional.of(7L), note().diverged());
        assertEquals(List.of(), ended);
    }

    /** The members with which this one was started may be gone. */
    @Test
    void theStateIsAskedOfTheMembersOfNow() throws IOException {
        Files.createDirectory(missing());
        members = Optional.of(
                new GroupMembers(2, List.of(new Member("a", "memory", 1, 1), new Member("c", "memory", 3, 3))));
        repair(replica(), note()).onStateLost(9, "could not apply an update");
        assertEquals(List.of("c"), askedMembers);
    }

    /** No member is known to be right, so none takes the state of another one. */
    @Test
    void inADisputeTheStatusNamesTheOperationUntilAMajorityAgrees() throws IOException {
        Files.createDirectory(missing());
        Replica replica = replica();
        Repair repair = repair(replica, note());
        repair.onDisputed(9, "a 1, b 2");
        assertEquals(9, replica.status().divergedAt());
        Request request = new Request(RequestId.own(new ClientId(1, 1), 3), 1, 2, 3, false, new byte[0]);
        repair.onFirstDisputed(
                new FirstDifference(0, 9, Optional.of(new Place(7, 0)), Optional.of(request), true), "b");
        repair.onTick();
        assertEquals(7, replica.status().divergedAt());
        String line = replica.status().divergence();
        assertTrue(
                line.startsWith("no majority of the members has the same digest at position 9 of the log (a 1, b 2),"
                        + " so the group takes no requests; "),
                line);
        assertTrue(
                line.contains(
                        "; compared with b, this member differs first at position 7 of the log, operation unknown,"
                                + " request 3 of client "),
                line);
        repair.onAgreed();
        assertEquals(0, replica.status().divergedAt());
        assertEquals("", replica.status().divergence());
        assertEquals(List.of(), asked);
        assertEquals(List.of(), ended);
    }

    @Test
    void theStatusHasThePositionOfAVerdictAndThenThatOfTheRequest() throws IOException {
        Files.createDirectory(missing());
        Replica replica = replica();
        Repair repair = repair(replica, note());
        repair.onDiverged(9, List.of("b"));
        assertEquals(9, replica.status().divergedAt());
        repair.onFirstDifference(
                new FirstDifference(0, 9, Optional.of(new Place(7, 0)), Optional.empty(), true), List.of("b"));
        repair.onAgreed();
        assertEquals(7, replica.status().divergedAt(), "a dispute that the verdict ended changes nothing");
        Replica next = replica();
        repair(next, note()).begin();
        assertEquals(9, next.status().divergedAt(), "of the note");
        repair.onTrusted();
        assertEquals(0, replica.status().divergedAt());
        assertTrue(replica.status().divergence().startsWith("was repaired; "));
    }

    /** Its own log has led it to the same difference, so it does not end. */
    @Test
    void aMemberThatRanItsLogAnewWaitsAsLongAsDonorsAnswerThatTheirTimersArePending() {
        AtomicLong seconds = new AtomicLong();
        DivergenceNote.open(Optional.of(folder)).replays();
        Replica replica = replica();
        Repair repair = diverged(replica, seconds);
        assertFalse(replica.status().divergence().contains("timers"));
        timersArePending(repair, seconds);
        assertEquals(List.of(), ended);
        assertEquals(MANY_TICKS + 1, asked.size());
        String line = replica.status().divergence();
        assertTrue(line.contains("no reply in its notes tells where; it waits for the state of another member"), line);
        assertTrue(line.contains("timers of operations are pending at member b") && line.contains("let timers"), line);
    }

    /** The cause may have been an accident. */
    @Test
    void whileTimersArePendingAMemberRunsItsLogAnewOnceForEachDivergence() {
        AtomicLong seconds = new AtomicLong();
        timersArePending(diverged(replica(), seconds), seconds);
        assertEquals(1, ended.size());
        assertTrue(ended.get(0).getMessage().contains("start it again, and it runs its log anew"));

        asked.clear();
        Repair again = diverged(replica(), seconds);
        timersArePending(again, seconds);
        assertEquals(1, ended.size(), "the next process waits");
        again.onTrusted();

        asked.clear();
        timersArePending(diverged(replica(), seconds), seconds);
        assertEquals(2, ended.size(), "it had been equal to the majority");
    }

    private static void timersArePending(Repair repair, AtomicLong seconds) {
        for (int i = 1; i <= MANY_TICKS; i++) {
            repair.onTimersPending(i % 2 == 0 ? "b" : "c");
            seconds.incrementAndGet();
            repair.onTick();
        }
    }

    @Test
    void aMemberThatNoDonorAnswersEndsAfterTenQuestions() {
        AtomicLong seconds = new AtomicLong();
        DivergenceNote.open(Optional.of(folder)).replays();
        Replica replica = replica();
        Repair repair = diverged(replica, seconds);
        repair.onTimersPending("b");
        for (int second = 1; second <= MANY_TICKS; second++) {
            seconds.set(second);
            repair.onTick();
        }
        assertEquals(11, asked.size(), "the first one was answered");
        assertEquals(1, ended.size());
        assertTrue(ended.get(0).getMessage().contains("no other member gave it a state"));
    }

    /** And has asked for a state once. */
    private Repair diverged(Replica replica, AtomicLong seconds) {
        Repair repair = repair(
                replica, DivergenceNote.open(Optional.of(folder)), () -> TimeUnit.SECONDS.toNanos(seconds.get()));
        repair.onDiverged(7, List.of("b", "c"));
        repair.onFirstDifference(
                new FirstDifference(3, 7, Optional.empty(), Optional.empty(), true), List.of("b", "c"));
        assertEquals(1, asked.size());
        return repair;
    }

    private Repair repair(Replica replica, DivergenceNote note) {
        return repair(replica, note, System::nanoTime);
    }

    private Repair repair(Replica replica, DivergenceNote note, LongSupplier nanos) {
        return new Repair(
                SETTINGS, new AskedLog(), replica, (position, time, request) -> new byte[0], note, nanos, ended::add);
    }

    private static Replica replica() {
        ReplicaEffects none = (ReplicaEffects) Proxy.newProxyInstance(
                RepairTest.class.getClassLoader(),
                new Class<?>[] {ReplicaEffects.class},
                (proxy, method, arguments) -> null);
        return new Replica(
                new ReplicaOptions("a", List.of("a", "b"), 1, new ClientId(9, 9), SETTINGS.parameters()), none);
    }

    /** Notes which states it is asked for. */
    private final class AskedLog implements OrderedLog {
        @Override
        public Guarantee guarantee() {
            return Guarantee.UNIFORM;
        }

        @Override
        public void start(LogListener listener) {
            throw new IllegalStateException("not started here");
        }

        @Override
        public Optional<GroupMembers> members() {
            return members;
        }

        @Override
        public void submit(long submission, byte[] entry) {
            throw new IllegalStateException("not started here");
        }

        @Override
        public void send(String member, byte[] message) {
            throw new IllegalStateException("not started here");
        }

        @Override
        public boolean takeStateOf(String member, long position) {
            asked.add(position);
            askedMembers.add(member);
            return true;
        }

        @Override
        public void close() {
            throw new IllegalStateException("not started here");
        }
    }
}
