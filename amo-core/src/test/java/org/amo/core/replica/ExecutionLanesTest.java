package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.amo.base.ClientId;
import org.amo.core.replica.ExecutionLanes.Result;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** Which executions run at the same time, and the order in which their results leave. */
class ExecutionLanesTest {
    private static final byte[] REPLY = {1};

    private final ExecutionLanes lanes = new ExecutionLanes();

    private void admit(long position, Object... keys) {
        lanes.admit(execution(position), Set.of(keys));
    }

    /** All that may begin now begins. */
    private List<Long> start() {
        return Stream.generate(lanes::start)
                .takeWhile(Optional::isPresent)
                .map(started -> started.orElseThrow().position())
                .toList();
    }

    private void end(long position) {
        lanes.ended(execution(position), REPLY);
    }

    private List<Long> results() {
        return lanes.takeResults().stream()
                .map(result -> result.execution().position())
                .toList();
    }

    @Test
    void executionsWithACommonKeyRunInTheirOrder() {
        admit(1, "a");
        admit(2, "a");
        admit(3, "a");
        assertEquals(List.of(1L), start());
        assertEquals(List.of(), start());
        end(1);
        assertEquals(List.of(2L), start());
        end(2);
        assertEquals(List.of(3L), start());
    }

    @Test
    void executionsWithDifferentKeysRunAtTheSameTime() {
        admit(1, "a");
        admit(2, "b");
        admit(3, "c");
        assertEquals(List.of(1L, 2L, 3L), start());
    }

    @Test
    void anExecutionWithSeveralKeysWaitsInAllOfTheirLanes() {
        admit(1, "a");
        admit(2, "b");
        admit(3, "a", "b");
        admit(4, "b");
        admit(5, "c");
        assertEquals(List.of(1L, 2L, 5L), start());
        end(2);
        assertEquals(List.of(), start(), "1 has not ended");
        end(1);
        assertEquals(List.of(3L), start());
        end(3);
        assertEquals(List.of(4L), start());
    }

    @Test
    void anExecutionWithoutKeysRunsAlone() {
        admit(1, "a");
        admit(2, "b");
        admit(3);
        admit(4, "c");
        admit(5);
        assertEquals(List.of(1L, 2L), start());
        end(2);
        assertEquals(List.of(), start());
        end(1);
        assertEquals(List.of(3L), start());
        assertEquals(List.of(), start(), "4 touches another key, and waits nevertheless");
        end(3);
        assertEquals(List.of(4L), start());
        end(4);
        assertEquals(List.of(5L), start());
    }

    @Test
    void resultsLeaveInTheOrderOfTheLog() {
        admit(1, "a");
        admit(2, "b");
        admit(3, "c");
        start();
        end(3);
        end(2);
        assertEquals(List.of(), results());
        assertFalse(lanes.isIdle());
        end(1);
        assertEquals(List.of(1L, 2L, 3L), results());
        assertTrue(lanes.isIdle());
    }

    @Test
    void aSkippedExecutionHasItsPlaceInTheOrderAndHoldsNothingUp() {
        admit(1, "a");
        lanes.skip(execution(2), REPLY);
        admit(3, "b");
        assertEquals(List.of(1L, 3L), start());
        end(3);
        assertEquals(List.of(), results());
        end(1);
        List<Result> results = lanes.takeResults();
        assertEquals(
                List.of(true, false, true), results.stream().map(Result::ran).toList());
    }

    @Test
    void anExecutionThatWasNotBegunCannotEnd() {
        admit(1, "a");
        assertThrows(IllegalStateException.class, () -> end(1));
    }

    /** Random keys, starts and ends: the lanes let run exactly those executions that a plain search through all of them lets run. */
    @Test
    void randomRunsKeepTheOrderOfEachKeyAndNeverStop() {
        for (long seed = 1; seed <= 300; seed++) {
            new RandomRun(seed).run();
        }
    }

    private static final class RandomRun {
        private static final int EXECUTIONS = 120;

        private final long seed;
        private final Random random;
        private final ExecutionLanes lanes = new ExecutionLanes();
        private final Map<Long, Set<Object>> keys = new HashMap<>();
        private final Set<Long> unended = new TreeSet<>();
        private final Set<Long> running = new TreeSet<>();
        private final List<Long> left = new ArrayList<>();

        RandomRun(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            long admitted = 0;
            while (left.size() < EXECUTIONS) {
                int step = random.nextInt(3);
                if (step == 0 && admitted < EXECUTIONS) {
                    admitted++;
                    keys.put(admitted, someKeys());
                    unended.add(admitted);
                    lanes.admit(execution(admitted), keys.get(admitted));
                } else if (step == 1) {
                    startOne();
                } else if (!running.isEmpty()) {
                    long ending = List.copyOf(running).get(random.nextInt(running.size()));
                    running.remove(ending);
                    unended.remove(ending);
                    lanes.ended(execution(ending), REPLY);
                }
                lanes.takeResults()
                        .forEach(result -> left.add(result.execution().position()));
            }
            assertEquals(Stream.iterate(1L, next -> next + 1).limit(EXECUTIONS).toList(), left, this::toString);
            assertTrue(lanes.isIdle(), this::toString);
        }

        private void startOne() {
            Optional<Long> expected = unended.stream()
                    .filter(each -> !running.contains(each) && mayRun(each))
                    .findFirst();
            Optional<Long> started = lanes.start().map(Execution::position);
            assertEquals(expected, started, this::toString);
            started.ifPresent(running::add);
        }

        private boolean mayRun(long position) {
            return unended.stream().filter(before -> before < position).noneMatch(before -> conflict(before, position));
        }

        private boolean conflict(long one, long other) {
            Set<Object> common = new HashSet<>(keys.get(one));
            common.retainAll(keys.get(other));
            return keys.get(one).isEmpty() || keys.get(other).isEmpty() || !common.isEmpty();
        }

        private Set<Object> someKeys() {
            Set<Object> some = new HashSet<>();
            int count = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(2);
            while (some.size() < count) {
                some.add("key " + random.nextInt(5));
            }
            return some;
        }

        @Override
        public String toString() {
            return "seed " + seed;
        }
    }

    private static Execution execution(long position) {
        return new Execution(
                position, 0, 1, new Request(RequestId.own(new ClientId(1, 2), position), 1, 2, 3, false, new byte[0]));
    }
}
