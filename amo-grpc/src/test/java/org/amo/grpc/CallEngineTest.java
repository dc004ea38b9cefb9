package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.amo.core.sack.FinishedNumbers;
import org.amo.grpc.EngineRig.FakeAttempt;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each call runs once, also over restarts. */
final class CallEngineTest {
    @TempDir
    private Path folder;

    private EngineRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new EngineRig(folder);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    @Test
    void aDuplicateOfARunningCallWaitsForItsReply() {
        FakeAttempt first = rig.send(rig.call(1));
        FakeAttempt second = rig.send(first.again());
        assertEquals(1, first.executed);
        assertEquals(0, second.executed);
        assertEquals(List.of(), second.answers);
        first.ends("five");
        assertEquals(List.of("five"), first.answers);
        assertEquals(List.of("again five"), second.answers);
    }

    @Test
    void aLaterRetryGetsTheKeptReply() {
        FakeAttempt first = rig.send(rig.call(1)).ends("five");
        FakeAttempt later = rig.send(first.again());
        assertEquals(0, later.executed);
        assertEquals(List.of("again five"), later.answers);
    }

    @Test
    void anAttemptThatIsGoneIsNotAnswered() {
        FakeAttempt first = rig.send(rig.call(1));
        FakeAttempt second = rig.send(first.again());
        rig.engine.onGone(first);
        rig.engine.onGone(second);
        FakeAttempt third = rig.send(first.again());
        first.ends("five");
        assertEquals(List.of(), first.answers);
        assertEquals(List.of(), second.answers);
        assertEquals(List.of("again five"), third.answers);
    }

    @Test
    void aHandlerThatNeverEndsTakesNoRoomOnceItsCallIsForgotten() {
        FakeAttempt first = rig.send(rig.call(1));
        FakeAttempt patient = rig.send(rig.call(2));
        rig.engine.onGone(first);
        rig.pass(5_000);
        assertEquals(2, rig.engine.running()); // a retry may come
        rig.pass(200);
        assertEquals(1, rig.engine.running());
        assertEquals(List.of("STALE"), rig.send(first.again()).answers);
        first.ends("late");
        patient.ends("late, and awaited");
        assertEquals(List.of(), first.answers);
        assertEquals(List.of("late, and awaited"), patient.answers);
        assertEquals(0, rig.engine.running() + rig.engine.entries());
    }

    @Test
    void anotherRequestUnderTheNumberIsRefused() {
        FakeAttempt first = rig.send(rig.call(1)).ends("five");
        assertEquals(List.of("ID_REUSED"), rig.send(first.again(8, FinishedNumbers.NONE)).answers);
    }

    @Test
    void anAcknowledgementFreesTheReplyAndNotTheNumber() {
        FakeAttempt first = rig.send(rig.call(1)).ends("five");
        assertEquals(4, rig.engine.replyBytes());
        FakeAttempt next = sendCall(2, FinishedNumbers.of(1)).ends("six");
        assertEquals(3, rig.engine.replyBytes());
        assertEquals(1, rig.engine.entries());
        FakeAttempt late = rig.send(first.again());
        assertEquals(0, late.executed);
        assertEquals(List.of("STALE"), late.answers);
        assertEquals(List.of("six"), next.answers);
    }

    @Test
    void anAcknowledgementOnARefusedCallCountsOverARestart() throws IOException {
        FakeAttempt first = rig.send(rig.call(1)).ends("five");
        FakeAttempt second = rig.send(rig.call(2)).ends("six");
        rig.send(second.again(8, FinishedNumbers.of(1)));
        rig.restart();
        assertEquals(3, rig.engine.replyBytes());
        assertEquals(List.of("STALE"), rig.send(first.again()).answers);
    }

    @Test
    void aReplyIsKeptUntilTheDeadlineAndTheNumberForGood() {
        FakeAttempt first = rig.send(rig.call(1)).ends("five");
        rig.pass(5_050);
        assertEquals(List.of("again five"), rig.send(first.again()).answers);
        rig.pass(100);
        assertEquals(0, rig.engine.replyBytes());
        assertEquals(List.of("STALE"), rig.send(first.again()).answers);
        rig.pass(20_000);
        assertEquals(List.of("STALE"), rig.send(first.again()).answers);
        assertEquals(1, first.executed);
    }

    @Test
    void aRestartedServerHasTheReply() throws IOException {
        FakeAttempt first = rig.send(rig.call(1)).ends("five");
        rig.restart();
        FakeAttempt later = rig.send(first.again());
        assertEquals(0, later.executed);
        assertEquals(List.of("again five"), later.answers);
        rig.restart(); // from the state that the restart wrote
        assertEquals(List.of("again five"), rig.send(first.again()).answers);
    }

    @Test
    void aCallThatWasRunningAtTheEndIsUnknownAndNeverRunsAgain() throws IOException {
        FakeAttempt first = rig.send(rig.call(1));
        rig.restart();
        FakeAttempt later = rig.send(first.again());
        assertEquals(0, later.executed);
        assertEquals(List.of("UNKNOWN"), later.answers);
        rig.restart();
        assertEquals(List.of("UNKNOWN"), rig.send(first.again()).answers);
        rig.pass(5_200);
        assertEquals(List.of("STALE"), rig.send(first.again()).answers);
        assertEquals(List.of("seven"), rig.send(rig.call(2)).ends("seven").answers);
    }

    @Test
    void aRestartForgetsNothingThatAnEarlierRestartHadForgottenSafely() throws IOException {
        FakeAttempt first = rig.send(rig.call(1)).ends("five");
        rig.pass(5_200);
        rig.restart();
        assertEquals(List.of("STALE"), rig.send(first.again()).answers);
        rig.pass(20_000);
        rig.restart();
        assertEquals(List.of("STALE"), rig.send(first.again()).answers);
    }

    @Test
    void anExpiredCallStaysSoIfTheWallClockIsSetBackBeforeARestart() throws IOException {
        FakeAttempt late = rig.call(1);
        rig.pass(5_500);
        assertEquals(List.of("EXPIRED"), rig.send(late.again()).answers);
        rig.wall.addAndGet(-60_000);
        rig.restart();
        FakeAttempt later = rig.send(late.again());
        assertEquals(0, later.executed);
        assertEquals(List.of("EXPIRED"), later.answers);
    }

    @Test
    void aStepOfTheWallClockExpiresNothing() {
        FakeAttempt call = rig.call(1);
        rig.wall.addAndGet(3_600_000);
        rig.pass(100);
        assertEquals(1, rig.send(call).executed);
    }

    @Test
    void callsOfBeforeANewFolderAreRefused() throws IOException {
        try (EngineRig other = new EngineRig(folder.resolve("other"))) {
            FakeAttempt old =
                    other.new FakeAttempt(1, EngineRig.START + 50, EngineRig.START + 9_000, 7, FinishedNumbers.NONE);
            assertEquals(List.of("STALE"), other.send(old).answers);
            assertEquals(1, other.send(other.call(2)).executed);
        }
    }

    @Test
    void aClockThatIsAheadIsToldTheTime() {
        FakeAttempt early = rig.new FakeAttempt(1, rig.now() + 500, rig.now() + 5_000, 7, FinishedNumbers.NONE);
        assertEquals(List.of("TOO_EARLY"), rig.send(early).answers);
        rig.pass(500);
        assertEquals(1, rig.send(early.again()).executed);
    }

    @Test
    void fullRepliesRefuseNewCallsAndEvictNone() throws IOException {
        try (EngineRig small = new EngineRig(folder.resolve("small"), 8, CallLog.LEAST_REPLACED_BYTES)) {
            FakeAttempt first = small.send(small.call(1)).ends("12345678");
            FakeAttempt second = small.send(small.call(2));
            assertEquals(0, second.executed);
            assertEquals(List.of("OVERLOADED MEMBER_REPLIES"), second.answers);
            assertEquals(List.of("again 12345678"), small.send(first.again()).answers);
            // The acknowledgement on the refused call makes room.
            FakeAttempt third = small.send(second.again(7, FinishedNumbers.of(1)));
            assertEquals(1, third.executed);
        }
    }

    /** Also without a reply: their handlers run, or were interrupted. */
    @Test
    void fullRecordsRefuseNewCallsUntilSomeAreAcknowledged() throws IOException {
        try (EngineRig small = EngineRig.withRecordBytes(folder.resolve("small"), 10 * 512)) {
            FakeAttempt first = small.send(small.call(1));
            int number = 2;
            FakeAttempt next = small.send(small.call(number));
            while (next.executed == 1 && number < 100) {
                next = small.send(small.call(++number));
            }
            assertEquals(List.of("OVERLOADED MEMBER_REPLIES"), next.answers);
            assertTrue(number > 3 && number <= 10, number + " calls");
            first.ends("done");
            assertEquals(1, small.send(next.again(7, FinishedNumbers.of(1))).executed);
        }
    }

    @Test
    void recordsAreReplacedByAStateAndNothingIsLost() throws IOException {
        try (EngineRig busy = new EngineRig(folder.resolve("busy"), 1 << 20, 2_000)) {
            FakeAttempt running = busy.send(busy.call(1));
            FakeAttempt kept = busy.send(busy.call(2)).ends("kept");
            AtomicLong number = new AtomicLong(3);
            while (number.get() < 200) {
                sendNext(busy, number.getAndIncrement());
            }
            // One state at a time is written, and a later note begins the next one.
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
                sendNext(busy, number.getAndIncrement());
                return bytesIn(folder.resolve("busy")) < 12_000;
            });
            busy.restart();
            assertEquals(List.of("again kept"), busy.send(kept.again()).answers);
            assertEquals(List.of("UNKNOWN"), busy.send(running.again()).answers);
            assertEquals(3, busy.engine.entries()); // 1, 2 and the last one
        }
    }

    /** A call that acknowledges the ones from 3 to it. */
    private static void sendNext(EngineRig busy, long number) {
        FinishedNumbers finished = number == 3 ? FinishedNumbers.NONE : FinishedNumbers.of(0, 3, number - 1);
        busy.send(busy.new FakeAttempt(number, busy.now(), busy.now() + 5_000, 7, finished))
                .ends("reply " + number);
    }

    private static long bytesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    @Test
    void oneServerAtATimeHasAFolder() {
        IOException refused = assertThrows(IOException.class, () -> new EngineRig(folder));
        assertTrue(refused.getMessage().contains("belongs to a server"), refused.getMessage());
    }

    @Test
    void theIdOfAServerStaysAndIsDrawnAnewForANewFolder() throws IOException {
        String id = rig.engine.server();
        rig.restart();
        assertEquals(id, rig.engine.server());
        try (EngineRig other = new EngineRig(folder.resolve("other"))) {
            assertTrue(!id.equals(other.engine.server()), id);
        }
    }

    @Test
    void aClosedServerRunsNothing() throws IOException {
        FakeAttempt open = rig.send(rig.call(1));
        rig.engine.close();
        FakeAttempt late = rig.send(open.again());
        assertEquals(0, late.executed);
        assertEquals(List.of("fail true"), late.answers); // the first attempt runs
        open.ends("five");
        assertEquals(List.of("fail true"), open.answers);
    }

    /** A call that acknowledges others. */
    private FakeAttempt sendCall(long number, FinishedNumbers finished) {
        return rig.send(rig.new FakeAttempt(number, rig.now(), rig.now() + 5_000, 7, finished));
    }
}
