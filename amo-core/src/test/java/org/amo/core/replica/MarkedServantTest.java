package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.NestedCallException;
import org.amo.base.NestedCalls;
import org.amo.base.RunningOperation;
import org.amo.core.order.Member;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

class MarkedServantTest {
    private static final Request REQUEST =
            new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, new byte[0]);

    private final List<Boolean> inside = new ArrayList<>();

    private ServantPort servant(ReplicaSettings.Nested nested, Runnable work) {
        return new MarkedServant(settings(nested), new ServantPort() {
            @Override
            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                note();
                work.run();
                return request.body();
            }

            @Override
            public Optional<byte[]> takeState() {
                note();
                return Optional.of(new byte[1]);
            }

            @Override
            public void restoreState(byte[] state) {
                note();
            }
        });
    }

    static ReplicaSettings settings(ReplicaSettings.Nested nested) {
        return ReplicaSettings.builder("front", "a", Member.parseList("a=127.0.0.1:1/2"))
                .log(ReplicaSettings.Log.MEMORY)
                .data(Path.of("."))
                .nested(nested)
                .divergence(ReplicaSettings.Divergence.OFF)
                .build();
    }

    private void note() {
        inside.add(RunningOperation.current().isPresent());
    }

    private static void call() {
        RunningOperation.checkCall("group back");
    }

    /** The thread would end at its next wait, at every member. */
    @Test
    void anOperationThatInterruptsItsThreadLeavesNoTrace() {
        ServantPort servant = servant(
                ReplicaSettings.Nested.REFUSE, () -> Thread.currentThread().interrupt());
        servant.execute(1, 1, REQUEST);
        assertFalse(Thread.interrupted());
    }

    @Test
    void operationsAndTheirStateAreInsideAndNothingElseIs() {
        ServantPort servant = servant(ReplicaSettings.Nested.REFUSE, () -> {});
        servant.execute(1, 1, REQUEST);
        servant.takeState();
        servant.restoreState(new byte[0]);
        assertEquals(List.of(true, true, true), inside);
        assertFalse(RunningOperation.current().isPresent());
        call();
    }

    /** A default method of the port would hide the servant's own. */
    @Test
    void everyMethodOfTheServantIsPassedOn() throws Exception {
        Class<?> marked = servant(ReplicaSettings.Nested.REFUSE, () -> {}).getClass();
        for (Method method : ServantPort.class.getDeclaredMethods()) {
            assertEquals(
                    marked,
                    marked.getMethod(method.getName(), method.getParameterTypes())
                            .getDeclaringClass(),
                    method.toString());
        }
    }

    /** The values too, and the words of a refusal. */
    @Test
    void whatTheServantSaysIsPassedOn() {
        ReplicaSettings settings = settings(ReplicaSettings.Nested.ALLOW);
        List<String> restored = new ArrayList<>();
        ServantPort marked = new MarkedServant(settings, new ServantPort() {
            @Override
            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                return (position + " " + orderedTimeMillis).getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public boolean isCommutative() {
                return true;
            }

            @Override
            public String operation(Request request) {
                return "add " + request.id().number();
            }

            @Override
            public byte[] skipped(Request request) {
                return new byte[] {2};
            }

            @Override
            public byte[] undone(Request request, String why) {
                return why.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public Optional<byte[]> takeState() {
                RunningOperation running = RunningOperation.current().orElseThrow();
                return Optional.of(
                        (running.group() + " " + running.isNestedAllowed()).getBytes(StandardCharsets.UTF_8));
            }

            @Override
            public OptionalLong stateDigest() {
                return OptionalLong.of(4);
            }

            @Override
            public boolean hasTimers() {
                return true;
            }

            @Override
            public void fireTimer(Place place, long orderedTimeMillis) {
                restored.add(place + "@" + orderedTimeMillis);
            }

            @Override
            public void dropTimer() {
                restored.add("dropped");
            }

            @Override
            public OptionalLong nextTimerMillis() {
                return OptionalLong.of(5);
            }

            @Override
            public void restoreState(byte[] state) {
                restored.add(RunningOperation.current().orElseThrow().refusalOfOwnGroup("add")
                        + new String(state, StandardCharsets.UTF_8));
            }
        });
        assertEquals("7 8", new String(marked.execute(7, 8, REQUEST), StandardCharsets.UTF_8));
        assertTrue(marked.isCommutative());
        assertFalse(servant(ReplicaSettings.Nested.REFUSE, () -> {}).isCommutative());
        assertEquals("add 1", marked.operation(REQUEST));
        assertArrayEquals(new byte[] {2}, marked.skipped(REQUEST));
        assertEquals("why", new String(marked.undone(REQUEST, "why"), StandardCharsets.UTF_8));
        assertEquals("front true", new String(marked.takeState().orElseThrow(), StandardCharsets.UTF_8));
        assertEquals(OptionalLong.of(4), marked.stateDigest());
        assertEquals(OptionalLong.of(4), marked.digestAtMark(true));
        assertEquals(OptionalLong.empty(), marked.digestAtMark(false));
        assertTrue(marked.hasTimers());
        assertFalse(servant(ReplicaSettings.Nested.REFUSE, () -> {}).hasTimers());
        assertEquals(OptionalLong.of(5), marked.nextTimerMillis());
        marked.fireTimer(Place.ofTimer(9, 0), 10);
        marked.dropTimer();
        assertEquals("9/t0@10", restored.remove(0));
        assertEquals("dropped", restored.remove(0));
        marked.restoreState("!".getBytes(StandardCharsets.UTF_8));
        assertEquals(
                List.of("an operation of group front called add of its own group, which would wait for itself;"
                        + " call the service's Java method instead!"),
                restored);
    }

    @Test
    void updatesAreTakenAndAppliedInsideAnOperation() {
        List<String> applied = new ArrayList<>();
        ServantPort marked = new MarkedServant(settings(ReplicaSettings.Nested.REFUSE), new ServantPort() {
            @Override
            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                return request.body();
            }

            @Override
            public Optional<byte[]> takeUpdate() {
                note();
                return Optional.of(new byte[] {5});
            }

            @Override
            public void applyUpdate(byte[] update) {
                note();
                applied.add("update " + update[0]);
            }

            @Override
            public void restoreState(byte[] state) {
                applied.add("state " + state[0]);
            }

            @Override
            public Optional<String> stateObstacle() {
                return Optional.of("it is not serializable");
            }
        });
        assertArrayEquals(new byte[] {5}, marked.takeUpdate().orElseThrow());
        marked.applyUpdate(new byte[] {6});
        assertEquals(List.of(true, true), inside);
        assertEquals(Optional.of("it is not serializable"), marked.stateObstacle());
        // The clock of the agent stands in front of what the servant gave.
        marked.applyUpdate(new ClockedState(Optional.of(1L), new byte[] {7}).encode());
        marked.restoreState(new ClockedState(Optional.of(1L), new byte[] {8}).encode());
        assertEquals(List.of("update 6", "update 7", "state 8"), applied);
    }

    /** Its place and the seed of its entry, too. */
    @Test
    void anExecutionReachesTheServantAsItIs() {
        List<Execution> executed = new ArrayList<>();
        ServantPort marked = new MarkedServant(settings(ReplicaSettings.Nested.REFUSE), new ServantPort() {
            @Override
            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                throw new AssertionError("it has the execution");
            }

            @Override
            public byte[] execute(Execution execution) {
                executed.add(execution);
                return new byte[] {9};
            }
        });
        Execution whole = new Execution(7, 3, 8, REQUEST, Optional.of(new byte[OrderedEntry.SEED_BYTES]));
        assertArrayEquals(new byte[] {9}, marked.execute(whole));
        assertArrayEquals(new byte[] {9}, marked.execute(7, 8, REQUEST));
        assertEquals(List.of(whole, new Execution(7, 0, 8, REQUEST)), executed);
    }

    @Test
    void nestedCallsOfAnOperationGoTheWayThatTheGroupOrders() {
        NestedCalls ordered = call -> Optional.empty();
        List<Optional<NestedCalls>> found = new ArrayList<>();
        ServantPort finds = (position, orderedTimeMillis, request) -> {
            found.add(RunningOperation.current().orElseThrow().nestedCalls());
            return request.body();
        };
        ReplicaSettings settings = settings(ReplicaSettings.Nested.ALLOW);
        new MarkedServant(settings, finds, Optional.of(ordered)).execute(1, 1, REQUEST);
        new MarkedServant(settings, finds).execute(1, 1, REQUEST);
        assertEquals(List.of(Optional.of(ordered), Optional.empty()), found);
    }

    /** Two members in one process, as in a test: the inner one's end does not end the outer one. */
    @Test
    void anOperationInsideAnotherLeavesTheOuterOneRunning() {
        ServantPort inner = servant(ReplicaSettings.Nested.REFUSE, () -> {});
        servant(ReplicaSettings.Nested.REFUSE, () -> {
                    inner.execute(1, 1, REQUEST);
                    note();
                })
                .execute(1, 1, REQUEST);
        assertEquals(List.of(true, true, true), inside);
        assertFalse(RunningOperation.current().isPresent());
    }

    @Test
    void anOperationThatThrowsIsOver() {
        ServantPort servant = servant(ReplicaSettings.Nested.REFUSE, () -> {
            throw new AssertionError("planted");
        });
        assertThrows(AssertionError.class, () -> servant.execute(1, 1, REQUEST));
        call();
    }

    @Test
    void theRefusalNamesGroupCalleeAndRemedy() {
        ServantPort servant = servant(ReplicaSettings.Nested.REFUSE, MarkedServantTest::call);
        NestedCallException refused = assertThrows(NestedCallException.class, () -> servant.execute(1, 1, REQUEST));
        assertEquals(
                "an operation of group front called group back, and each replica would make that call; make it in the"
                        + " client, or start every member with --nested allow (amo.nested=allow) if the callee may run"
                        + " it once a replica",
                refused.getMessage());
    }

    @Test
    void whatIsAllowedPasses() {
        servant(ReplicaSettings.Nested.ALLOW, MarkedServantTest::call).execute(1, 1, REQUEST);
    }

    @Test
    void aThreadThatAnOperationStartsIsInsideAndOneThatWasThereIsNot() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        pool.submit(() -> {}).get(10, TimeUnit.SECONDS);
        CompletableFuture<Boolean> started = new CompletableFuture<>();
        CompletableFuture<Boolean> pooled = new CompletableFuture<>();
        servant(ReplicaSettings.Nested.REFUSE, () -> {
                    new Thread(() -> started.complete(RunningOperation.current().isPresent())).start();
                    pool.execute(
                            () -> pooled.complete(RunningOperation.current().isPresent()));
                })
                .execute(1, 1, REQUEST);
        assertTrue(started.get(10, TimeUnit.SECONDS));
        assertFalse(pooled.get(10, TimeUnit.SECONDS));
        pool.shutdown();
    }
}
