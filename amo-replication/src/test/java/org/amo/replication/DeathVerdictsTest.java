package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.Place;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeathVerdictsTest {
    private static final Place PLACE = new Place(7, 0);

    @TempDir
    Path folder;

    private final List<String> asked = new ArrayList<>();

    @Test
    void aMemberWaitsForTheStateOfAnotherThatExecutedTheRequest() throws IOException {
        assertEquals(Turn.WAIT, turnAfterTheVerdict(Optional.empty(), new StackOverflowError("planted")));
        assertEquals(List.of("b behind 7"), asked);
    }

    /** Other work may have taken the memory: a state from another member costs a further start. */
    @Test
    void aRequestThatFoundNoMemoryRunsAgainOnce() throws IOException {
        OutOfMemoryError error = new OutOfMemoryError("Java heap space");
        assertEquals(Turn.RUN, turnAfterTheVerdict(Optional.empty(), error));
        assertEquals(List.of(), asked);
        assertEquals(Turn.WAIT, turnAfterTheVerdict(Optional.empty(), error));
        assertEquals(List.of("b behind 7"), asked);
    }

    /** It would wait for ever: the others have none either. */
    @Test
    void aServiceWithoutAStateRunsTheRequestAgain() throws IOException {
        assertEquals(
                Turn.RUN,
                turnAfterTheVerdict(Optional.of("its service gives no state"), new StackOverflowError("planted")));
        assertEquals(List.of(), asked);
    }

    private Turn turnAfterTheVerdict(Optional<String> stateObstacle, VirtualMachineError error) throws IOException {
        try (ExecutionGate dying = ExecutionGate.open(Optional.of(folder), true)) {
            // As the log does when it begins.
            Files.write(folder.resolve("members"), new byte[1]);
            assertEquals(Turn.RUN, dying.ask(PLACE));
            dying.failed(PLACE, error);
        }
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(List.of(PLACE), gate.died());
            ServantPort servant = servant(stateObstacle);
            ExecutionThread execution =
                    ExecutionThreadTest.thread(servant, gate, (done, replies) -> {}, new NoTimers(), thrown -> {});
            try {
                ReplicaSettings settings = ReplicaSettings.builder("g", "a", List.of(new Member("a", "memory", 1, 1)))
                        .build();
                new DeathVerdicts(settings, new AskedLog(), servant, gate, execution)
                        .takeStateBehind(PLACE, List.of("b"));
            } finally {
                execution.stop();
            }
            Turn turn = gate.ask(PLACE);
            gate.left();
            return turn;
        }
    }

    private static ServantPort servant(Optional<String> stateObstacle) {
        return new ServantPort() {
            @Override
            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                return new byte[0];
            }

            @Override
            public Optional<String> stateObstacle() {
                return stateObstacle;
            }
        };
    }

    private static final class NoTimers implements ExecutionThread.TimerEvents {
        @Override
        public void next(OptionalLong dueMillis) {}

        @Override
        public void ran(Place place) {}
    }

    /** Only notes the members that are asked for their state. */
    private final class AskedLog implements OrderedLog {
        @Override
        public Guarantee guarantee() {
            return Guarantee.UNIFORM;
        }

        @Override
        public void start(LogListener told) {}

        @Override
        public void submit(long submission, byte[] entry) {}

        @Override
        public void send(String member, byte[] message) {}

        @Override
        public boolean takeStateOf(String member, long position) {
            return asked.add(member + " behind " + position);
        }

        @Override
        public void close() {}
    }
}
