package org.amo.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;
import org.amo.replication.service.AmoState;

/** Members of a Java service in this process, which answers each call with its number, and the commands of their operator. */
final class JavaGroup implements AutoCloseable {
    private static final int MOST_MEMBERS = 6;

    final Map<String, AmoReplica> replicas = new LinkedHashMap<>();

    /** Members are built by several threads. */
    final Map<String, CompletableFuture<OrderedLogException>> ended = new ConcurrentHashMap<>();

    /** Three that begin, and three more. */
    final List<Member> members = FreePorts.members(MOST_MEMBERS);

    final List<Member> first = members.subList(0, 3);
    final Path secret;

    /** Members that start wait for each other, and the common pool may have one thread. */
    final ExecutorService threads = Executors.newCachedThreadPool();

    private final Path data;

    JavaGroup(Path data) {
        this.data = data;
        try {
            secret = Files.writeString(data.resolve("secret"), "5e".repeat(32));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param list that they are started with */
    void start(List<Member> starting, List<Member> list) throws Exception {
        List<CompletableFuture<AmoReplica>> all = new ArrayList<>();
        for (Member each : starting) {
            all.add(CompletableFuture.supplyAsync(() -> builder(each, list).start(), threads));
        }
        for (CompletableFuture<AmoReplica> each : all) {
            AmoReplica replica = each.get(60, TimeUnit.SECONDS);
            replicas.put(replica.id(), replica);
        }
    }

    AmoReplica.Builder builder(Member member, List<Member> list) {
        int[] calls = new int[1];
        return AmoReplica.builder("counters")
                .id(member.id())
                .members(Member.format(list))
                .data(data)
                .log(Log.FILE)
                .secretFile(secret)
                .handler((request, context) -> Integer.toString(++calls[0]).getBytes(UTF_8))
                .state(new AmoState() {
                    @Override
                    public byte[] take() {
                        return Integer.toString(calls[0]).getBytes(UTF_8);
                    }

                    @Override
                    public void restore(byte[] state) {
                        calls[0] = Integer.parseInt(new String(state, UTF_8));
                    }
                })
                .onEnded(ended.computeIfAbsent(member.id(), id -> new CompletableFuture<>())::complete);
    }

    AmoClient client(String list) {
        return AmoClient.builder("counters").members(list).secretFile(secret).build();
    }

    /** The number of a call that is made now. */
    static int call(AmoClient client) {
        return Integer.parseInt(new String(client.call("x".getBytes(UTF_8)), UTF_8));
    }

    /** {@code amo member}, with the list that the group begins with. */
    Run member(String action, String which) {
        return Run.of(
                "member",
                action,
                which,
                "--members",
                Member.format(members),
                "--group=counters",
                "--secret-file=" + secret);
    }

    Path folder(String id) {
        return data.resolve("counters").resolve(id);
    }

    void stopAll() {
        replicas.values().forEach(AmoReplica::close);
        replicas.clear();
    }

    @Override
    public void close() {
        stopAll();
        threads.shutdownNow();
    }
}
