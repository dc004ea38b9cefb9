package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.amo.replication.service.SecretSteps.BOTH;
import static org.amo.replication.service.SecretSteps.NEW;
import static org.amo.replication.service.SecretSteps.OLD;
import static org.amo.replication.service.SecretSteps.SWITCHED;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.SecretRing;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three members and their clients exchange the secret of their group by its files, under load. */
@Timeout(120)
final class SecretExchangeTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final List<Member> members = FreePorts.members(3);
    private final String list = Member.format(members);
    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();

    /** Calls that have ended one after another. */
    private final AtomicInteger single = new AtomicInteger();

    private final AtomicInteger unknown = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final PacedCalls load = new PacedCalls();
    private SecretSteps steps = new SecretSteps(Path.of(""));

    @BeforeEach
    void begin() {
        steps = new SecretSteps(folder);
    }

    @AfterEach
    void close() {
        load.close();
        replicas.values().forEach(AmoReplica::close);
        threads.shutdownNow();
        await().atMost(LIMIT).until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("amo-secret-files")));
    }

    private AmoReplica.Builder member(Member member) {
        AtomicLong count = new AtomicLong();
        return AmoReplica.builder("count")
                .id(member.id())
                .members(list)
                .data(folder)
                .log(ReplicaSettings.Log.FILE)
                .secretFile(steps.file(member.id()))
                .handler((request, context) ->
                        Long.toString(count.incrementAndGet()).getBytes(UTF_8))
                .withoutSnapshots();
    }

    private void startAll(String text) throws Exception {
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (Member member : members) {
            steps.write(member.id(), text);
            starting.add(CompletableFuture.supplyAsync(() -> member(member).start(), threads));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            AmoReplica replica = each.get(60, TimeUnit.SECONDS);
            replicas.put(replica.id(), replica);
        }
    }

    /** One file after another, as an operator does, and then each member's word for it. */
    private void step(String text, long accepted, long changes) {
        for (Member member : members) {
            steps.write(member.id(), text);
        }
        steps.write("client", text);
        await().atMost(LIMIT).until(() -> replicas.values().stream()
                .map(replica -> replica.status().secrets())
                .allMatch(Map.of("accepted", accepted, "changes", changes, "refused", 0L)::equals));
    }

    private long call(AmoClient client) {
        long reply = Long.parseLong(new String(client.call(new byte[] {1}), UTF_8));
        single.incrementAndGet();
        return reply;
    }

    private AmoClient.Builder client() {
        return AmoClient.builder("count").members(list).deadline(Duration.ofSeconds(20));
    }

    @Test
    void aGroupUnderLoadExchangesItsSecretWithoutAFailedCallAndTheOldOneIsOut() throws Exception {
        steps.write("client", OLD);
        startAll(OLD);
        AmoClient.Builder kept = client().secretFile(steps.file("client"));
        try (AmoClient client = kept.build();
                AmoClient left = client().secret(OLD).build()) {
            load.begin(client);
            call(left);
            step(BOTH, 2, 1);
            callOnceWith(NEW);
            assertTrue(isProved(NEW) && isProved(OLD));
            step(SWITCHED, 2, 2);
            // Clients that have not changed yet are served, on old connections and new ones.
            call(left);
            callOnceWith(OLD);
            SecretRing ofOperator = SecretRing.of(OLD);
            OperatorClient operator = OperatorClient.following("count", Optional.of(ofOperator), Optional.empty());
            ask(operator);
            ofOperator.change(SWITCHED);
            step(NEW, 1, 3);
            ask(operator);
            assertTrue(isProved(NEW) && !isProved(OLD));
            // Its connections end within the period of the member's look, and no new one begins.
            await().atMost(LIMIT).until(() -> isRefused(left));
            load.awaitMore();
            int begun = load.end();
            // Each call ran once: those under load, and those one after another.
            long ran = callOnceWith(kept) - begun;
            assertTrue(ran >= single.get() && ran <= single.get() + unknown.get(), ran + " of " + single);
        }
        aMemberThatWasAwayIsRefusedUntilItHasTheNewSecret();
    }

    private long callOnceWith(String secret) {
        return callOnceWith(client().secret(secret));
    }

    private long callOnceWith(AmoClient.Builder builder) {
        try (AmoClient client = builder.build()) {
            return call(client);
        }
    }

    private boolean isRefused(AmoClient client) {
        try {
            call(client);
            return false;
        } catch (AmoUnknownException e) {
            // Its connection ended before the reply.
            unknown.incrementAndGet();
            return false;
        } catch (AmoNotExecutedException e) {
            assertTrue(e.getMessage().contains("secret is not that of group 'count'"), e.getMessage());
            return true;
        }
    }

    private void ask(OperatorClient operator) throws AdministrationException {
        Member first = members.get(0);
        assertTrue(operator.ask(first.host(), first.clientPort(), Administration.STATUS, "", 10_000)
                .contains("\"secrets\":{"));
    }

    /** A change of the members that is refused, since these have another version: whether for its proof. */
    private boolean isProved(String secret) {
        MemberChange change =
                MemberChange.of("count", MemberChange.Kind.REMOVE, members.get(2), 99, Optional.of(secret));
        ExecutionException refused = assertThrows(
                ExecutionException.class, () -> replicas.get(members.get(0).id())
                        .service()
                        .changeMembers(change)
                        .toCompletableFuture()
                        .get(20, TimeUnit.SECONDS));
        return !String.valueOf(refused.getMessage()).contains("was not made with this group's secret");
    }

    private void aMemberThatWasAwayIsRefusedUntilItHasTheNewSecret() {
        Member away = members.get(2);
        replicas.remove(away.id()).close();
        steps.write(away.id(), OLD);
        try (AmoReplica alone = member(away).start()) {
            // start() returned after two seconds without a majority.
            long before = alone.status().position();
            callOnceWith(NEW);
            long position = replicas.get(members.get(0).id()).status().position();
            assertEquals("", alone.status().leader());
            assertEquals(before, alone.status().position());
            assertTrue(before < position, before + " " + position);
            steps.write(away.id(), NEW);
            await().atMost(LIMIT).until(() -> alone.status().secrets().get("refused") == 1);
            // It overlaps, so that it is taken without a restart.
            steps.write(away.id(), BOTH);
            await().atMost(LIMIT).until(() -> alone.status().secrets().get("accepted") == 2);
            steps.write(away.id(), NEW);
            await().atMost(LIMIT).until(() -> alone.status().position() >= position);
        }
    }

    @Test
    void aBuilderRefusesAFileWhoseSecondSecretCanBeGuessed() {
        steps.write("short", "amo secrets\n" + OLD + "\nshort");
        assertThrows(
                IllegalArgumentException.class, () -> AmoReplica.builder("g").secretFile(steps.file("short")));
        assertThrows(
                IllegalArgumentException.class, () -> AmoClient.builder("g").secretFile(steps.file("short")));
    }

    @Test
    void aProcessProvesItselfByTheFirstSecretOfAFile() {
        steps.write("both", SWITCHED);
        assertEquals(NEW, AmoReplica.readSecret(steps.file("both")));
    }
}
