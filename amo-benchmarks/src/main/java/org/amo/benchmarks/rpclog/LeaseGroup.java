package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.benchmarks.order.LineProcess;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/** Three {@link LeaseNode}s. One thread uses it. */
final class LeaseGroup implements AutoCloseable {
    private static final long START_SECONDS = 90;

    private final List<Node> nodes = new ArrayList<>();
    private final List<Member> members = FreePorts.members(3);

    private record Node(Member member, LineProcess process) {}

    private LeaseGroup() {}

    static LeaseGroup start(Run run) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(run.folder().resolve("leases"));
        LeaseGroup group = new LeaseGroup();
        try {
            for (Member member : group.members) {
                group.launch(run, member, folder);
            }
            for (Node node : group.nodes) {
                node.process.awaitReady(START_SECONDS);
            }
            return group;
        } catch (IOException | InterruptedException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    private void launch(Run run, Member member, Path folder) throws IOException {
        LineProcess process = LineProcess.start(
                "lease member " + member.id(),
                LeaseNode.class,
                run.jvmFlags("-Xmx512m", "-XX:+UseSerialGC"),
                List.of(member.id(), text(), folder.toString()),
                folder.resolve(member.id() + ".log"));
        nodes.add(new Node(member, process));
    }

    /** The members, as a client is told. */
    String text() {
        return Member.format(members);
    }

    Member leader() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < end) {
            for (Node node : nodes) {
                if (node.process.ask("leads?", START_SECONDS).equals("true")) {
                    return node.member;
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new IOException("the lease group has had no leader for " + START_SECONDS + " s");
    }

    /** Of one member. */
    Spent spent(Member member) {
        return Spent.of(
                nodes.stream().filter(node -> node.member.equals(member)).mapToLong(node -> node.process.pid()));
    }

    /** Of all members. */
    Spent spent() {
        return Spent.of(nodes.stream().mapToLong(node -> node.process.pid()));
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.process.close());
    }
}
