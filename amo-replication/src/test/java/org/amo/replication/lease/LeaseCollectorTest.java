package org.amo.replication.lease;

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
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.replication.FreePorts;
import org.amo.replication.rpc.RpcQuestions;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoException;
import org.amo.replication.service.AmoHandler;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Renewals over sockets into a real group (rows R12, R18). */
@Timeout(120)
final class LeaseCollectorTest {
    private static final long TERM = 100_000;
    private static final String GROUP = "leases";

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<AmoReplica> replicas = new ArrayList<>();

    /** Requests that members ran. */
    private final AtomicInteger requests = new AtomicInteger();

    private final List<Member> members = FreePorts.members(3);
    private final AmoClient client = AmoClient.builder(GROUP)
            .members(Member.format(members))
            .insecure()
            .deadline(Duration.ofSeconds(30))
            .build();

    /** With more patience than any machine needs: only what is lost is to be asked again. */
    private final LeaseClient leases =
            new LeaseClient(client::callAsync, question -> client.ask(question, Duration.ofSeconds(30)));

    @BeforeEach
    void start(@TempDir Path folder) {
        open.add(client);
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (Member member : members) {
            LeaseService service = new LeaseService(TERM, 1_000);
            AmoHandler counting = (request, context) -> {
                requests.incrementAndGet();
                return service.handle(request, context);
            };
            AmoClient own = AmoClient.builder(GROUP)
                    .members(Member.format(members))
                    .insecure()
                    .build();
            open.add(own);
            AmoReplica.Builder builder = AmoReplica.builder(GROUP)
                    .id(member.id())
                    .members(Member.format(members))
                    .data(folder)
                    .log(ReplicaSettings.Log.MEMORY)
                    .handler(counting)
                    .questions(new LeaseCollector(TERM, new LeaseClient(own)))
                    .insecure();
            starting.add(CompletableFuture.supplyAsync(builder::start));
        }
        starting.forEach(each -> replicas.add(each.join()));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        replicas.forEach(AmoReplica::close);
    }

    @Test
    void manyClientsRenewByFewEntriesAndAreToldWhatWasOrdered() {
        List<LeaseId> ids = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            ids.add(leases.open().join().client());
        }
        int before = requests.get();
        List<CompletableFuture<LeaseAnswer>> renewals =
                ids.stream().map(leases::renew).toList();
        for (int i = 0; i < ids.size(); i++) {
            LeaseAnswer told = renewals.get(i).join();
            assertEquals(ids.get(i), told.client());
            assertTrue(told.isLive());
            LeaseAnswer ordered = leases.check(told.client()).join();
            assertEquals(told.expires(), ordered.expires(), "it was ordered when it was told");
        }
        // Of three members, and with the 200 checks. One by one, the renewals alone were 600.
        assertTrue(requests.get() - before < 3 * (200 + 50), "requests run: " + (requests.get() - before));
        assertFalse(leases.renew(new LeaseId(9_999)).join().isLive(), "it was never granted");
    }

    @Test
    void aMemberThatCollectsStopsAndClientsRenewAtAnother() {
        LeaseId lease = leases.open().join().client();
        assertTrue(leases.renew(lease).join().isLive());
        String served = client.servedBy();
        AmoReplica serving = replicas.stream()
                .filter(each -> each.id().equals(served))
                .findFirst()
                .orElseThrow();
        replicas.remove(serving);
        serving.close();
        Optional<LeaseAnswer> told = Optional.empty();
        while (told.isEmpty()) {
            // As a keeper does: what is not known is asked again.
            told = leases.renew(lease)
                    .handle((answer, failed) -> Optional.ofNullable(answer))
                    .join();
        }
        assertTrue(told.orElseThrow().isLive());
    }

    @Test
    void renewalsThatCannotBeOrderedHaveNoAnswerAndLaterOnesAreOrdered() throws Exception {
        LeaseId lease = leases.open().join().client();
        AtomicBoolean fails = new AtomicBoolean(true);
        LeaseClient order = new LeaseClient(request -> {
            if (fails.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return client.callAsync(request);
        });
        ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
        open.add(owner::shutdownNow);
        LeaseCollector collector = new LeaseCollector(TERM, order);
        collector.onStart(owner);
        assertEquals(Optional.empty(), ask(collector, owner, lease).get(20, TimeUnit.SECONDS));
        byte[] told = ask(collector, owner, lease).get(20, TimeUnit.SECONDS).orElseThrow();
        assertTrue(LeaseCalls.readAnswer(told).isLive());
    }

    private static CompletableFuture<Optional<byte[]>> ask(
            LeaseCollector collector, ScheduledExecutorService owner, LeaseId lease) {
        CompletableFuture<Optional<byte[]>> answer = new CompletableFuture<>();
        owner.execute(() -> collector.onQuestion(LeaseCalls.about(LeaseCalls.RENEW, lease), answer::complete));
        return answer;
    }

    @Test
    void whatIsNoRenewalHasNoAnswer() {
        CompletionException failed =
                assertThrows(CompletionException.class, () -> client.ask(new byte[] {3, 1}, Duration.ofSeconds(10))
                        .toCompletableFuture()
                        .join());
        assertTrue(failed.getCause() instanceof AmoException, String.valueOf(failed.getCause()));
        assertThrows(
                IllegalArgumentException.class,
                () -> client.ask(new byte[RpcQuestions.MAX_BYTES + 1], Duration.ofSeconds(1)));
        assertThrows(MalformedFrameException.class, () -> new LeaseCollector(TERM, leases)
                .onQuestion(new byte[] {3, 1}, answer -> {}));
        assertTrue(LeaseCollector.gatherMillis(1_000_000) == 200 && LeaseCollector.gatherMillis(1_000) == 15);
    }
}
