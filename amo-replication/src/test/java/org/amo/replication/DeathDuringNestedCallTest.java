package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.NestedCall;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.Place;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that ends while an operation waits for a nested call has not died of the operation. */
class DeathDuringNestedCallTest {
    private static final Place PLACE = new Place(7, 0);

    @TempDir
    Path folder;

    private int copies;

    /** All deaths that the member sees if this process is killed now, and the next one while it runs the operation again. */
    private List<Place> deathsOfTwoKills() throws IOException {
        Path second = killed(folder);
        try (ExecutionGate next = ExecutionGate.open(Optional.of(second), true)) {
            next.ask(PLACE);
            try (ExecutionGate last = ExecutionGate.open(Optional.of(killed(second)), true)) {
                return last.died();
            }
        }
    }

    /** The notes as they are when their process is killed now. */
    private Path killed(Path of) throws IOException {
        Path copy = Files.createDirectories(folder.resolve("killed-" + copies++));
        Files.copy(of.resolve("executions"), copy.resolve("executions"));
        Files.copy(of.resolve("members"), copy.resolve("members"));
        return copy;
    }

    private static Execution execution() {
        RequestId id = RequestId.own(new ClientId(1, 2), 1);
        return new Execution(PLACE.position(), PLACE.index(), 1, new Request(id, 1, 2, 3, false, new byte[0]));
    }

    @Test
    void onlyTheOperationItselfCountsAsTheCause() throws Exception {
        CompletableFuture<Place> called = new CompletableFuture<>();
        OrderedNestedCalls.Core core = new OrderedNestedCalls.Core() {
            @Override
            public void called(Place place, int number, long deadlineMillis) {
                called.complete(place);
            }

            @Override
            public void identified(Place place, int number, Optional<byte[]> identity) {}

            @Override
            public void sent(Place place, int number, Optional<byte[]> result) {}
        };
        ReplicaSettings settings = ReplicaSettings.builder("group", "a", FreePorts.members(1))
                .data(folder)
                .build();
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true);
                OrderedNestedCalls nested = new OrderedNestedCalls(settings, gate, core, error -> {})) {
            Files.write(folder.resolve("members"), new byte[1]);
            gate.takesPart(1);
            CompletableFuture<Optional<byte[]>> operation = CompletableFuture.supplyAsync(() -> {
                assertEquals(Turn.RUN, gate.ask(PLACE));
                nested.begins(execution(), new Backlog(1, Long.MAX_VALUE));
                return nested.call(new Unsent());
            });
            assertEquals(PLACE, called.get(10, TimeUnit.SECONDS));
            assertEquals(List.of(), deathsOfTwoKills());
            nested.result(PLACE, 0, Optional.of(new byte[] {1}));
            assertEquals(1, operation.get(10, TimeUnit.SECONDS).orElseThrow()[0]);
            assertEquals(List.of(PLACE), deathsOfTwoKills(), "the operation goes on");
            gate.ended(PLACE);
            assertEquals(List.of(), deathsOfTwoKills());
        }
    }

    /** The owner of the replica is not here, so no member sends it. */
    private static final class Unsent implements NestedCall {
        @Override
        public String target() {
            return "back";
        }

        @Override
        public Optional<byte[]> identity() {
            return Optional.empty();
        }

        @Override
        public Optional<byte[]> send(Optional<byte[]> identity, long deadlineMillis) {
            return Optional.empty();
        }

        @Override
        public void finished() {}
    }
}
