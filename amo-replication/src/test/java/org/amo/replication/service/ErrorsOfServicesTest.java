package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.ReplicationProvider;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a service may throw, and what becomes of it. */
@Timeout(60)
final class ErrorsOfServicesTest {
    enum What {
        ASSERTION("java.lang.AssertionError"),
        IDENTITY("java.lang.AssertionError"),
        LINKAGE("java.lang.LinkageError"),
        INITIALIZER("java.lang.LinkageError"),
        CHECKED("java.io.IOException"),
        INTERRUPTED("java.lang.InterruptedException"),
        INTERRUPTS_ITSELF("java.lang.IllegalStateException"),
        THROWABLE("java.lang.reflect.InvocationTargetException"),
        CLASS_CAST("java.lang.ClassCastException");

        private final String reply;

        What(String reply) {
            this.reply = reply;
        }
    }

    interface Fragile {
        int add(int value);

        int fail(What how);
    }

    private static final class FragileService implements Fragile {
        private int sum;

        @Override
        public int add(int value) {
            sum += value;
            return sum;
        }

        @Override
        public int fail(What how) {
            sum += 1_000;
            throw sneaky(
                    switch (how) {
                        case ASSERTION -> new AssertionError("broken");
                        case IDENTITY -> new AssertionError(new Object() {});
                        case LINKAGE -> new NoClassDefFoundError("Could not initialize class X");
                        case INITIALIZER -> new ExceptionInInitializerError("first use");
                        case CHECKED -> new java.io.IOException("not declared");
                        case INTERRUPTED -> new InterruptedException("by nobody");
                        case INTERRUPTS_ITSELF -> {
                            Thread.currentThread().interrupt();
                            yield new IllegalStateException("the thread is interrupted");
                        }
                        case THROWABLE -> new Throwable("neither error nor exception");
                        case CLASS_CAST -> new ClassCastException("A is in loader my.Loader @1b2c3d4e, B is not");
                    });
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
            throw (E) thrown;
        }
    }

    @ParameterizedTest
    @EnumSource(What.class)
    void whatAServiceThrowsIsItsReplyAtEveryMemberAndAfterAReplay(What how) {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Fragile.class, FragileService::new)) {
            Fragile fragile = group.client().proxy(Fragile.class);
            assertEquals(1, fragile.add(1));
            AmoServiceException thrown = assertThrows(AmoServiceException.class, () -> fragile.fail(how));
            assertEquals(how.reply, thrown.type());
            assertFalse(thrown.serviceMessage().contains("@"), thrown.serviceMessage());
            assertEquals(1_003, fragile.add(2));
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)), "members disagree");
            group.crash("a");
            group.restart("a");
            assertEquals(1_006, fragile.add(3));
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)), "the replay gives another reply");
        }
    }

    @Test
    void anErrorOfTheVirtualMachineIsNoReplyAndEndsItsMemberAlone() throws Exception {
        List<Member> members = List.of(
                new Member("a", "embedded", 1, 1),
                new Member("b", "embedded", 1, 1),
                new Member("c", "embedded", 1, 1));
        List<String> fatal = new CopyOnWriteArrayList<>();
        List<OrderedLogException> ended = new CopyOnWriteArrayList<>();
        List<CompletableFuture<ReplicatedService>> opening = new ArrayList<>();
        try (InMemoryLogs logs = new InMemoryLogs()) {
            for (Member member : members) {
                ReplicaSettings settings = ReplicaSettings.builder("small", member.id(), members)
                        .log(ReplicaSettings.Log.MEMORY)
                        .data(Path.of("."))
                        .build();
                // The same request is too much for one member only, deep inside an exception of its own.
                AmoHandler handler = (request, context) -> {
                    if (member.id().equals("a") && request.length == 2) {
                        throw new IllegalStateException(new OutOfMemoryError("Java heap space"));
                    }
                    return request;
                };
                ServantPort servant = new HandlerServant("small", handler, Optional.empty(), false);
                opening.add(CompletableFuture.supplyAsync(() -> ReplicationProvider.open(
                        settings,
                        servant,
                        logs.member(member.id()),
                        ended::add,
                        (name, error) -> fatal.add(name + ": " + error.getMessage()))));
            }
            List<ReplicatedService> replicas = new ArrayList<>();
            for (CompletableFuture<ReplicatedService> each : opening) {
                replicas.add(each.get(30, TimeUnit.SECONDS));
            }
            await().until(() ->
                    replicas.stream().allMatch(replica -> replica.status().orderedTimeMillis() > 0));
            assertEquals(Answer.Kind.REPLY, call(replicas.get(1), 1, 1).kind());
            assertEquals(Answer.Kind.REPLY, call(replicas.get(1), 2, 2).kind());
            await().until(() -> !ended.isEmpty());
            assertEquals(List.of("member a of group small: Java heap space"), fatal);
            assertEquals(1, ended.size());
            assertEquals(Answer.Kind.REPLY, call(replicas.get(2), 3, 3).kind());
            replicas.forEach(ReplicatedService::close);
        }
    }

    private static Answer call(ReplicatedService replica, long number, int length) throws Exception {
        long time =
                Math.max(replica.status().orderedTimeMillis(), replica.status().upperMillis());
        Request request = new Request(
                RequestId.own(new ClientId(1, 2), number), time + 1, time + 10_000, number, false, new byte[length]);
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        replica.submit(request, FinishedNumbers.NONE, answer::complete);
        return answer.get(20, TimeUnit.SECONDS);
    }
}
