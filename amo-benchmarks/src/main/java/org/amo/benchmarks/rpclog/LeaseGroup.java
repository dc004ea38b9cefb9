package org.amo.benchmarks.rpclog;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.Children;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.benchmarks.order.LineReader;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/** Three {@link LeaseNode}s. One thread uses it. */
final class LeaseGroup implements AutoCloseable {
    private static final long START_SECONDS = 90;

    private final List<Node> nodes = new ArrayList<>();
    private final List<Member> members = FreePorts.members(3);

    private record Node(Member member, Process process, BufferedWriter in, LineReader out) {}

    private LeaseGroup() {}

    static LeaseGroup start(Run run) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(run.folder().resolve("leases"));
        LeaseGroup group = new LeaseGroup();
        try {
            for (Member member : group.members) {
                group.launch(run, member, folder);
            }
            for (Node node : group.nodes) {
                String line = node.out.next(START_SECONDS, "lease member " + node.member.id());
                if (!line.equals("ready")) {
                    throw new IOException("lease member " + node.member.id() + " said " + line);
                }
            }
            return group;
        } catch (IOException | InterruptedException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    private void launch(Run run, Member member, Path folder) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
        command.addAll(run.jvmFlags("-Xmx512m", "-XX:+UseSerialGC"));
        command.add("-Djava.util.logging.config.class=org.amo.interceptors.logging.QuietLogging");
        command.add("-cp");
        command.add(System.getProperty("java.class.path", ""));
        command.add(LeaseNode.class.getName());
        command.addAll(List.of(member.id(), text(), folder.toString()));
        Process process = Children.start(new ProcessBuilder(command)
                .redirectError(folder.resolve(member.id() + ".log").toFile()));
        nodes.add(new Node(
                member,
                process,
                new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.US_ASCII)),
                new LineReader(new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII)))));
    }

    /** The members, as a client is told. */
    String text() {
        return Member.format(members);
    }

    Member leader() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < end) {
            for (Node node : nodes) {
                node.in.write("leads?\n");
                node.in.flush();
                if (node.out
                        .next(START_SECONDS, "lease member " + node.member.id())
                        .equals("true")) {
                    return node.member;
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new IOException("the lease group has had no leader for " + START_SECONDS + " s");
    }

    /** Of one member. */
    Spent spent(Member member) {
        return Spent.of(pids(member));
    }

    /** Of all members. */
    Spent spent() {
        return Spent.of(nodes.stream().mapToLong(node -> node.process.pid()));
    }

    private LongStream pids(Member member) {
        return nodes.stream().filter(node -> node.member.equals(member)).mapToLong(node -> node.process.pid());
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.process.destroyForcibly());
        try {
            for (Node node : nodes) {
                node.process.waitFor(10, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
