package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.amo.grpc.EngineRig.FakeAttempt;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The order of notes and effects: a second server starts on the files that a crash at the moment of the effect would leave. */
@Timeout(60)
final class DurableNotesTest {
    @TempDir
    private Path folder;

    private int copies;

    /** The answers of a server that would start on the present files to another attempt. */
    private List<String> afterCrash(Path used, FakeAttempt attempt) {
        Path copy = folder.resolve("copy-" + copies++);
        try {
            Files.createDirectories(copy);
            try (Stream<Path> all = Files.list(used)) {
                for (Path each : all.toList()) {
                    Files.copy(each, copy.resolve(each.getFileName()));
                }
            }
            try (EngineRig restarted = new EngineRig(copy)) {
                FakeAttempt again = attempt.again();
                restarted.engine.onAttempt(again);
                return again.executed > 0 ? List.of("executed") : again.answers;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theNotesAreThereBeforeTheirEffects() throws IOException {
        Path used = folder.resolve("used");
        try (EngineRig rig = new EngineRig(used)) {
            FakeAttempt call = rig.call(1);
            List<List<String>> seen = new ArrayList<>();
            call.onExecute = () -> seen.add(afterCrash(used, call));
            call.onReply = () -> seen.add(afterCrash(used, call));
            rig.send(call).ends("five");
            assertEquals(List.of(List.of("UNKNOWN"), List.of("again five")), seen);
        }
    }

    @Test
    void withForceEffectsWaitForTheDisk() throws IOException {
        Semaphore forces = new Semaphore(0);
        try (EngineRig rig = forced(forces::acquireUninterruptibly)) {
            FakeAttempt call = rig.send(rig.call(1));
            FakeAttempt second = rig.send(call.again());
            assertEquals(0, call.executed);
            forces.release();
            await(() -> call.executed == 1);
            call.ends("five");
            assertEquals(List.of(), call.answers);
            FakeAttempt third = rig.send(call.again());
            assertEquals(List.of(), third.answers);
            forces.release();
            await(() -> third.answers.size() == 1);
            assertEquals(List.of("five"), call.answers);
            assertEquals(List.of("again five"), second.answers);
            assertEquals(List.of("again five"), third.answers);
            assertEquals(0, second.executed + third.executed);
            forces.release(1_000);
        }
    }

    /** "Never ran and never will" leaves once no restarted server can have an earlier time. */
    @Test
    void anExpiryLeavesWhenItsTimeIsReserved() throws IOException {
        Semaphore forces = new Semaphore(0);
        try (EngineRig rig = forced(forces::acquireUninterruptibly)) {
            FakeAttempt late = rig.call(1);
            rig.pass(5_500);
            rig.send(late);
            await(forces::hasQueuedThreads);
            assertEquals(List.of(), late.answers);
            forces.release();
            await(() -> late.answers.size() == 1);
            assertEquals(List.of("EXPIRED"), late.answers);
            forces.release(1_000);
        }
    }

    @Test
    void aDiskThatFailsRunsAndAnswersNothing() throws IOException {
        boolean[] fails = {false};
        try (EngineRig rig = forced(() -> {
            if (fails[0]) {
                throw new IOException("as the test asks");
            }
        })) {
            FakeAttempt before = rig.send(rig.call(1));
            await(() -> before.executed == 1);
            fails[0] = true;
            FakeAttempt call = rig.send(rig.call(2));
            await(() -> call.answers.size() == 1);
            assertEquals(0, call.executed);
            assertEquals(List.of("fail false"), call.answers);
            // The one that ran gets no reply that a restarted server might not have.
            before.ends("five");
            await(() -> before.answers.size() == 1);
            assertEquals(List.of("fail true"), before.answers);
            assertEquals(List.of("fail true"), rig.send(before.again()).answers);
            assertTrue(rig.engine.isBroken());
        }
    }

    /** A disk that does this before each force. */
    private interface Before {
        void force() throws IOException;
    }

    private EngineRig forced(Before before) throws IOException {
        return new EngineRig(
                folder.resolve("forced"), 1 << 20, CallLog.LEAST_REPLACED_BYTES, true, file -> before.force());
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(condition);
    }
}
