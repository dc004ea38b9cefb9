package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interfaces of clients whose methods return stages, before services whose methods return results. */
@Timeout(60)
final class StageProxyTest {
    static final class Empty extends Exception {
        private static final long serialVersionUID = 1L;

        public Empty(String message) {
            super(message);
        }
    }

    interface Stack {
        int push(String item);

        String pop() throws Empty;

        void clear();

        Optional<String> find(String item);

        @ReadOnly
        long size();

        @ReadOnly
        String top();
    }

    static final class StackInMemory implements Stack {
        private final List<String> items = new ArrayList<>();

        @Override
        public int push(String item) {
            items.add(item);
            return items.size();
        }

        @Override
        public String pop() throws Empty {
            if (items.isEmpty()) {
                throw new Empty("nothing to pop");
            }
            return items.remove(items.size() - 1);
        }

        @Override
        public void clear() {
            items.clear();
        }

        @Override
        public Optional<String> find(String item) {
            return items.stream().filter(item::equals).findFirst();
        }

        @Override
        public long size() {
            return items.size();
        }

        @Override
        public String top() {
            return items.get(items.size() - 1) + (ReplicaContext.current().readOnly() ? " read" : " ordered");
        }
    }

    interface StackLater {
        CompletionStage<Integer> push(String item);

        CompletableFuture<String> pop() throws Empty;

        CompletionStage<Void> clear();

        CompletionStage<Optional<String>> find(String item);

        @ReadOnly
        CompletableFuture<Long> size();

        @ReadOnly
        CompletableFuture<String> top();
    }

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static Throwable failure(CompletionStage<?> stage) {
        return assertThrows(ExecutionException.class, () -> result(stage)).getCause();
    }

    @Test
    void resultsComeInStagesPrimitiveOnesBoxedAndVoidAsNull() throws Exception {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Stack.class, StackInMemory::new)) {
            Stack plain = group.client().proxy(Stack.class);
            StackLater later = group.client().proxy(StackLater.class);
            assertEquals(1, result(later.push("a")));
            assertEquals(2, plain.push("b"));
            assertEquals(Optional.of("a"), result(later.find("a")));
            assertEquals(2L, result(later.size()));
            assertEquals(2, plain.size());
            assertEquals("b", result(later.pop()));
            assertNull(result(later.clear()));
            assertEquals(0, plain.size());
        }
    }

    @Test
    void callsUnderWayTogetherRunOnceEachThroughTheCrashOfAMember() throws Exception {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Stack.class, StackInMemory::new)) {
            StackLater later = group.client().proxy(StackLater.class);
            List<CompletionStage<Integer>> stages = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                stages.add(later.push("item " + i));
                if (i == 250) {
                    group.crash(group.members().get(0));
                }
            }
            for (CompletionStage<Integer> stage : stages) {
                assertTrue(result(stage) <= 500);
            }
            assertEquals(500L, result(later.size()));
        }
    }

    @Test
    void exceptionsOfTheServiceEndTheStage() throws Exception {
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Stack.class, StackInMemory::new)) {
            StackLater later = group.client().proxy(StackLater.class);
            assertEquals(
                    "nothing to pop",
                    assertInstanceOf(Empty.class, failure(later.pop())).getMessage());
            AmoServiceException undeclared = assertInstanceOf(AmoServiceException.class, failure(later.top()));
            assertTrue(undeclared.type().contains("IndexOutOfBounds"), undeclared.type());
            AtomicReference<Throwable> seen = new AtomicReference<>();
            String fallback = result(later.pop().exceptionally(why -> {
                seen.set(why);
                return "none";
            }));
            assertEquals("none", fallback);
            assertInstanceOf(Empty.class, seen.get(), "a dependent action gets the exception itself");
        }
    }

    @Test
    void readsAreReadsAndOrderedOnesInStylePassive() throws Exception {
        try (EmbeddedGroup active = EmbeddedGroup.of(3, Stack.class, StackInMemory::new);
                EmbeddedGroup passive = EmbeddedGroup.ofPassive(3, Stack.class, StackInMemory::new)) {
            StackLater later = active.client().proxy(StackLater.class);
            result(later.push("a"));
            assertEquals("a read", result(later.top()));
            StackLater stale = active.client()
                    .with(CallOptions.stale(Duration.ofMinutes(1)))
                    .proxy(StackLater.class);
            assertEquals("a read", result(stale.top()));
            StackLater ordered = passive.client().proxy(StackLater.class);
            result(ordered.push("a"));
            assertEquals("a ordered", result(ordered.top()));
            assertThrows(IllegalArgumentException.class, () -> active.client().queryAsync(new byte[65 << 20]));
        }
    }

    @Test
    void aReadThatHasNoResultEndsAsOne() throws Exception {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Stack.class, StackInMemory::new)) {
            AmoClient client = group.client();
            StackLater later = client.proxy(StackLater.class);
            result(later.push("a"));
            StackLater impatient =
                    client.with(CallOptions.deadline(Duration.ofMillis(300))).proxy(StackLater.class);
            group.members().forEach(group::crash);
            AmoReadException none = assertInstanceOf(AmoReadException.class, failure(impatient.top()));
            assertTrue(String.valueOf(none.getMessage()).contains("may be called again"), none.getMessage());
            client.close();
            assertInstanceOf(AmoReadException.class, failure(later.top()));
        }
    }

    @Test
    void anOrderedReadWithoutAResultIsNoUnknownCall() throws Exception {
        try (EmbeddedGroup group = EmbeddedGroup.ofPassive(3, Stack.class, StackInMemory::new)) {
            AmoClient client = group.client();
            result(client.proxy(StackLater.class).push("a"));
            StackLater impatient =
                    client.with(CallOptions.deadline(Duration.ofMillis(300))).proxy(StackLater.class);
            group.members().forEach(group::crash);
            assertInstanceOf(AmoReadException.class, failure(impatient.top()));
        }
    }

    interface Wrong {
        CompletionStage<Long> push(String item);
    }

    interface Nothing {
        @ReadOnly
        CompletionStage<Void> look();
    }

    interface Raw {
        @SuppressWarnings("rawtypes") // what is to be refused
        CompletionStage push(String item);
    }

    @Test
    void whatCannotBeIsRefusedInOneLine() throws Exception {
        String service = String.valueOf(assertThrows(IllegalArgumentException.class, () -> AmoReplica.builder("g")
                        .service(StackLater.class, new StackThatIsLate()))
                .getMessage());
        assertTrue(service.contains("returns a stage") && service.contains("StackLater."), service);
        String nothing =
                String.valueOf(assertThrows(IllegalArgumentException.class, () -> new MethodTable(Nothing.class))
                        .getMessage());
        assertTrue(nothing.contains("returns void"), nothing);
        assertThrows(IllegalArgumentException.class, () -> new MethodTable(Raw.class));
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Stack.class, StackInMemory::new)) {
            Wrong wrong = group.client().proxy(Wrong.class);
            AmoServiceException other = assertInstanceOf(AmoServiceException.class, failure(wrong.push("a")));
            assertTrue(String.valueOf(other.getMessage()).contains("same version"), other.getMessage());
            assertEquals(0, group.client().proxy(Stack.class).size());
        }
    }

    private static final class StackThatIsLate implements StackLater {
        @Override
        public CompletionStage<Integer> push(String item) {
            return CompletableFuture.completedFuture(0);
        }

        @Override
        public CompletableFuture<String> pop() {
            return CompletableFuture.completedFuture("");
        }

        @Override
        public CompletionStage<Void> clear() {
            return CompletableFuture.allOf();
        }

        @Override
        public CompletionStage<Optional<String>> find(String item) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletableFuture<Long> size() {
            return CompletableFuture.completedFuture(0L);
        }

        @Override
        public CompletableFuture<String> top() {
            return CompletableFuture.completedFuture("");
        }
    }

    @Test
    void aRequestOfAStageNamesItselfToTheProgramThatRecovers() {
        MethodTable later = new MethodTable(StackLater.class);
        MethodTable plain = MethodTable.ofService(Stack.class);
        Method push = method("push");
        byte[] request = MethodTable.request(later.of(push), new Object[] {"a"});
        MethodTable.Call call = plain.read(request);
        assertEquals("push", call.entry().name());
        assertEquals("a", call.arguments()[0]);
        // The box has a byte that says whether it is null.
        byte[] reply = MethodTable.result(call.entry(), 7);
        assertEquals(5, reply.length, new String(reply, UTF_8));
        assertEquals(7, MethodTable.readResult(later.of(push), reply));
    }

    private static Method method(String name) {
        for (Method each : StackLater.class.getMethods()) {
            if (each.getName().equals(name)) {
                return each;
            }
        }
        throw new AssertionError(name);
    }
}
