package org.amo.benchmarks.scmp;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;

/**
 * A group of three members in this process that sends back each request. Its log is in memory, so that a call takes the order and the
 * network alone.
 */
final class FirstCallGroup implements AutoCloseable {
    private static final int MEMBERS = 3;
    private static final long START_SECONDS = 60;
    private static final long POLL_MILLIS = 10;

    private final String group;
    private final List<Member> list;
    private final String members;
    private final Optional<String> secret;
    private final List<AmoReplica> replicas = new ArrayList<>();

    /**
     * Serves once it is made.
     *
     * @param host an address of the calling thread's network
     * @param secret empty: nothing is sealed
     */
    FirstCallGroup(String host, Optional<String> secret, Path data) throws Exception {
        this.secret = secret;
        this.group = secret.isPresent() ? "sealed" : "open";
        this.list = FreePorts.members(MEMBERS).stream()
                .map(each -> new Member(each.id(), host, each.orderPort(), each.clientPort()))
                .toList();
        this.members = Member.format(list);
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (Member each : list) {
            starting.add(CompletableFuture.supplyAsync(
                    () -> start(each.id(), data), task -> DaemonThreads.start("amo-bench-member", task)));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            replicas.add(each.get(START_SECONDS, TimeUnit.SECONDS));
        }
        try (AmoClient first = client(AmoClient.Transport.TCP)) {
            byte[] unused = first.call(new byte[NullCall.BYTES]);
        }
        // A new group refuses timestamps up to its first one and the skew, and a client without a connection has not
        // heard of them.
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (replicas.stream().anyMatch(each -> each.status().upperMillis() >= System.currentTimeMillis())) {
            if (System.nanoTime() > giveUp) {
                throw new IllegalStateException("the group takes no first calls after " + START_SECONDS + " s");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private AmoReplica start(String id, Path data) {
        AmoReplica.Builder builder = AmoReplica.builder(group)
                .id(id)
                .members(members)
                .data(data)
                .log(ReplicaSettings.Log.MEMORY)
                .withoutSnapshots()
                .udp()
                .handler((request, context) -> request);
        return secret.map(builder::secret).orElseGet(builder::insecure).start();
    }

    String name() {
        return group;
    }

    String id(int member) {
        return list.get(member).id();
    }

    /** Where a member takes datagrams. */
    InetSocketAddress address(int member) {
        return new InetSocketAddress(list.get(member).host(), list.get(member).clientPort());
    }

    /** Datagrams of one outcome that a member has counted. */
    long counted(int member, String outcome) {
        return Objects.requireNonNull(replicas.get(member).status().datagrams().get(outcome));
    }

    /** A new client, which has not called yet. */
    AmoClient client(AmoClient.Transport transport) {
        return builder(transport).build();
    }

    /** The settings of a client. */
    AmoClient.Builder builder(AmoClient.Transport transport) {
        AmoClient.Builder builder = AmoClient.builder(group)
                .members(members)
                .transport(transport)
                .deadline(Duration.ofSeconds(NullCall.TIMEOUT_SECONDS));
        return secret.map(builder::secret).orElseGet(builder::insecure);
    }

    @Override
    public void close() {
        replicas.forEach(AmoReplica::close);
    }
}
