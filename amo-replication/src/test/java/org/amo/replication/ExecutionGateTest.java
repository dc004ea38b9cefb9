package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.amo.base.ClientId;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ExecutionNotes;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.Place;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The notes of a member that has taken part are there and whole, or it does not start. */
class ExecutionGateTest {
    private static final Place HELD = new Place(7, 0);

    @TempDir
    Path folder;

    private byte[] whole = {};

    @BeforeEach
    void aMemberThatHasPromised() throws IOException {
        try (ExecutionGate first = ExecutionGate.open(Optional.of(folder), true)) {
            // As the log does when it begins.
            Files.write(folder.resolve("members"), new byte[1]);
            first.takesPart(1);
            assertTrue(first.hold(HELD));
        }
        whole = Files.readAllBytes(file());
    }

    private Path file() {
        return folder.resolve("executions");
    }

    private void isHeld() {
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(Turn.WAIT, gate.ask(HELD));
        }
    }

    private void refused(String what) {
        String message =
                assertThrows(OrderedLogException.class, this::isHeld, what).getMessage();
        assertTrue(message.contains("executions (") && message.contains("; free the disk or"), message);
    }

    @Test
    void anotherLifeKeepsThePromise() {
        isHeld();
        assertEquals(ExecutionNotes.BYTES, whole.length);
    }

    /** The virtual machine of {@code wrap server} makes the file when it ends. */
    @Test
    void anEndForWantOfMemoryIsADeathInTheRunningRequestOnce() throws IOException {
        Place greedy = new Place(3, 0);
        Place innocent = new Place(5, 0);
        runsAtTheEnd(greedy);
        Files.createFile(folder.resolve("out-of-memory"));
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(List.of(greedy), gate.died());
        }
        runsAtTheEnd(innocent);
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(List.of(greedy), gate.died(), "the file counts once");
        }
    }

    @Test
    void inStylePassiveAnEndForWantOfMemoryIsOneDeath() throws IOException {
        runsAtTheEnd(new Place(3, 0));
        Files.createFile(folder.resolve("out-of-memory"));
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), false)) {
            assertEquals(List.of(), gate.died());
        }
        assertFalse(Files.exists(folder.resolve("out-of-memory")), "another style would believe it");
    }

    /** As a kill leaves the file. */
    private void runsAtTheEnd(Place place) throws IOException {
        byte[] killed;
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(Turn.RUN, gate.ask(place));
            killed = Files.readAllBytes(file());
        }
        Files.write(file(), killed);
    }

    @Test
    void aFileThatIsGoneOrEmptyIsNoFirstLife() throws IOException {
        Files.write(file(), new byte[0]);
        refused("empty");
        Files.write(file(), new byte[ExecutionNotes.BYTES]);
        refused("zeros");
        Files.delete(file());
        refused("gone");
        Files.write(file(), whole);
        isHeld();
    }

    /** As for a damaged inode: nothing tells whether the file is there. */
    @Test
    void aFileOfMembersThatCannotBeReadMakesNoFirstLife() throws IOException {
        Path members = folder.resolve("members");
        Files.delete(members);
        Files.createSymbolicLink(members, members);
        isHeld();
    }

    @Test
    void aCutAtAnyLengthIsRefused() throws IOException {
        try (FileChannel cut = FileChannel.open(file(), StandardOpenOption.WRITE)) {
            for (int length = whole.length - 1; length >= 0; length--) {
                cut.truncate(length);
                refused(length + " bytes");
            }
        }
    }

    @Test
    void oneDamagedCopyIsTakenFromTheOtherAndTwoAreRefused() throws IOException {
        byte[] damaged = whole.clone();
        damaged[5_000] ^= 4;
        Files.write(file(), damaged);
        isHeld();
        byte[] mended = Files.readAllBytes(file());
        assertEquals(-1, Arrays.mismatch(mended, 4_096, 8_192, mended, 8_192, 12_288), "and written again");
        damaged[9_000] ^= 4;
        Files.write(file(), damaged);
        refused("both");
    }

    /** As after an upgrade that is taken back. The remedy for a damaged file would lose the member. */
    @Test
    void notesOfAnotherVersionAreNoDamage() throws IOException {
        byte[] later = whole.clone();
        for (int copy : new int[] {8_192, 4_096}) {
            ByteBuffer.wrap(later).putInt(copy + 4, 99);
            CRC32C checksum = new CRC32C();
            checksum.update(later, copy, 4_092);
            ByteBuffer.wrap(later).putInt(copy + 4_092, (int) checksum.getValue());
            Files.write(file(), later);
            OrderedLogException refusal = assertThrows(OrderedLogException.class, this::isHeld);
            String message = String.valueOf(refusal.getMessage());
            assertTrue(message.contains("executions has version 99") && message.contains("upgrade.md"), message);
            assertFalse(message.contains("remove"), message);
            assertEquals(OrderedLogException.Fault.USER, refusal.fault());
            assertArrayEquals(later, Files.readAllBytes(file()), "nothing is written");
        }
        Files.write(file(), whole);
        isHeld();
    }

    /** The log refuses then, and says that a copy of the file should be put back. The promise must be there after that. */
    @Test
    void aStartWithoutTheFileOfMembersKeepsThePromise() throws IOException {
        Files.createDirectory(folder.resolve(folder.getFileName() + ".log"));
        Path members = folder.resolve("members");
        byte[] copy = Files.readAllBytes(members);
        Files.delete(members);
        isHeld();
        Files.write(members, copy);
        isHeld();
    }

    /** Both were lost at once. A start would begin a blank log under the id of a member that has voted. */
    @Test
    void notesOfAMemberThatHasTakenPartAreNotBegunAnew() throws IOException {
        Files.delete(folder.resolve("members"));
        refused("its log is lost, too");
        assertArrayEquals(whole, Files.readAllBytes(file()));
        Files.write(folder.resolve("members"), new byte[1]);
        isHeld();
    }

    /** It was killed before its log began. */
    @Test
    void notesOfAFirstStartThatWasNotCompleteAreBegunAnew() throws IOException {
        Path fresh = Files.createDirectory(folder.resolve("fresh"));
        for (int starts = 0; starts < 3; starts++) {
            try (ExecutionGate gate = ExecutionGate.open(Optional.of(fresh), true)) {
                assertEquals(Turn.RUN, gate.ask(HELD));
                assertEquals(List.of(), gate.died());
            }
        }
        byte[] torn = Files.readAllBytes(fresh.resolve("executions"));
        Arrays.fill(torn, 4_096, 12_288, (byte) 7);
        Files.write(fresh.resolve("executions"), torn);
        ExecutionGate.open(Optional.of(fresh), true).close();
    }

    @Test
    void whatRunsOrBeginsWhileTheProcessLeavesIsNotTheCauseOfItsEnd() throws IOException {
        Place next = new Place(8, 0);
        for (int deaths = 0; deaths < 3; deaths++) {
            try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
                assertEquals(List.of(), gate.died());
                gate.letGo(HELD);
                gate.ask(HELD);
                gate.begins(0, HELD);
                gate.left();
                gate.ended(HELD);
                assertEquals(Turn.RUN, gate.ask(next));
                gate.begins(0, next);
                gate.goesOn(next);
            }
        }
    }

    /** A second close of a member comes when the next one has the file, in the same process. */
    @Test
    void aClosedGateTouchesNoNotesOfTheNextOne() {
        Place next = new Place(8, 0);
        ExecutionGate earlier = ExecutionGate.open(Optional.of(folder), true);
        earlier.close();
        for (int deaths = 0; deaths < 2; deaths++) {
            try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
                assertEquals(Turn.RUN, gate.ask(next));
                earlier.left();
                // And one that still finds requests in its queue.
                assertEquals(Turn.RUN, earlier.ask(new Place(6, 0)));
                earlier.begins(0, new Place(6, 0));
                earlier.goesOn(new Place(6, 0));
            }
        }
        try (ExecutionGate last = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(List.of(next), last.died());
        }
    }

    /** The operation ran on when its member was closed, and ends when the next member has the file, in the same process. */
    @Test
    void anOperationThatOutlivesItsGateWritesNothing() throws IOException {
        Place outlives = new Place(8, 0);
        Place other = new Place(20, 0);
        ExecutionGate earlier = ExecutionGate.open(Optional.of(folder), true);
        assertEquals(Turn.RUN, earlier.ask(outlives));
        earlier.begins(1, outlives);
        earlier.left();
        earlier.close();
        Map<String, Runnable> late = new LinkedHashMap<>();
        late.put("ended", () -> earlier.ended(outlives));
        late.put("failed", () -> earlier.failed(outlives, new StackOverflowError("planted")));
        late.put("found no memory", () -> earlier.failed(outlives, new OutOfMemoryError("Java heap space")));
        late.put("begins", () -> earlier.begins(1, outlives));
        late.put("ends", () -> earlier.ends(0, outlives));
        late.put("failed at once", () -> earlier.failed(1, outlives));
        late.put("waits", earlier::waits);
        late.put("goes on", () -> earlier.goesOn(outlives));
        late.put("asks", () -> assertEquals(Turn.RUN, earlier.ask(other)));
        late.put("holds", () -> assertFalse(earlier.hold(new Place(21, 0))));
        late.put("skips", () -> assertFalse(earlier.skip(HELD)));
        late.put("lets go", () -> earlier.letGo(HELD));
        late.put("takes part", () -> earlier.takesPart(99));
        late.put("restored", () -> earlier.restored(99, true));
        late.put("diverged", () -> earlier.diverged(99));
        late.put("is equal again", earlier::equalAgain);
        Place ended = new Place(9, 0);
        Place runs = new Place(10, 0);
        try (ExecutionGate next = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(List.of(), next.died(), "it was closed as it was asked to");
            assertEquals(Turn.RUN, next.ask(ended));
            next.ended(ended);
            assertEquals(Turn.RUN, next.ask(runs));
            next.begins(0, runs);
            byte[] notes = Files.readAllBytes(file());
            late.forEach((what, call) -> {
                call.run();
                assertArrayEquals(notes, read(), what);
            });
            next.left();
        }
        try (ExecutionGate last = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(List.of(), last.died());
            assertEquals(Turn.WAIT, last.ask(HELD));
        }
    }

    private byte[] read() {
        try {
            return Files.readAllBytes(file());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A disk that is nearly full takes a part of a write. A hole would end the process at a store. */
    @Test
    void aNewFileIsWrittenToItsEnd() throws IOException {
        Path fresh = Files.createDirectory(folder.resolve("fresh"));
        AtomicLong written = new AtomicLong();
        FileChannel slow = new DelegatingChannel(fileIn(fresh)) {
            @Override
            public int write(ByteBuffer from) throws IOException {
                ByteBuffer part = from.slice().limit(Math.min(1_000, from.remaining()));
                int taken = super.write(part);
                from.position(from.position() + taken);
                written.addAndGet(taken);
                return taken;
            }
        };
        ExecutionGate.open(fresh, slow, true).close();
        assertEquals(ExecutionNotes.BYTES, written.get());
    }

    /** The first forced write at each start. */
    @Test
    void aDiskThatDoesNotForceTheNotesIsNamedWithItsRemedy() throws IOException {
        FileChannel failing = new DelegatingChannel(fileIn(folder)) {
            @Override
            public MappedByteBuffer map(MapMode mode, long at, long size) {
                // As MappedByteBuffer.force, which no test can replace.
                throw new UncheckedIOException(new IOException("Input/output error"));
            }
        };
        String message = assertThrows(OrderedLogException.class, () -> ExecutionGate.open(folder, failing, true))
                .getMessage();
        assertTrue(message.contains("executions (") && message.contains("Input/output error); free the disk"), message);
        assertFalse(failing.isOpen(), "its lock would keep the next start out");
        isHeld();
    }

    private static FileChannel fileIn(Path folder) throws IOException {
        return FileChannel.open(
                folder.resolve("executions"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    /** The others may keep notes, and have skipped a request further on, which this one runs in its replay. */
    @Test
    void aMemberThatKeepsNothingAnswersOnceAnEntryOfItsOwnIsDelivered() {
        try (ExecutionGate gate = ExecutionGate.open(Optional.empty(), true)) {
            Replica joins = replica();
            gate.tell(joins);
            assertFalse(joins.isCaughtUp());
            gate.takesPart(3);
            Replica takesPart = replica();
            gate.tell(takesPart);
            assertTrue(takesPart.isCaughtUp());
        }
    }

    private static Replica replica() {
        ReplicaEffects none = (ReplicaEffects) Proxy.newProxyInstance(
                ExecutionGateTest.class.getClassLoader(),
                new Class<?>[] {ReplicaEffects.class},
                (proxy, method, arguments) -> null);
        return new Replica(
                new ReplicaOptions("a", List.of("a", "b"), 1, new ClientId(9, 9), GroupParameters.defaults()), none);
    }

    /** Its notes would be empty, and its promises forgotten. */
    @Test
    void whileAnotherGateIsOpenNoneIsOpened() {
        try (ExecutionGate first = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(Turn.WAIT, first.ask(HELD));
            OrderedLogException refused =
                    assertThrows(OrderedLogException.class, () -> ExecutionGate.open(Optional.of(folder), true));
            assertTrue(String.valueOf(refused.getMessage()).contains("already member"), refused::toString);
            assertEquals(OrderedLogException.Fault.ENVIRONMENT, refused.fault(), "the other one may be ending");
        }
        ExecutionGate.open(Optional.of(folder), true).close();
    }

    /** Before the log has begun there is nothing to lose. */
    @Test
    void aFirstStartThatDiedHalfWayStartsAgain() throws IOException {
        Files.delete(folder.resolve("members"));
        Files.write(file(), Arrays.copyOf(whole, 4_100));
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(Turn.RUN, gate.ask(HELD));
        }
    }
}
