package org.amo.benchmarks.order;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.benchmarks.ProcessTime.Switches;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/** Three members of one stack, each in a process of its own. One thread uses it. */
public final class Cluster implements AutoCloseable {
    private static final long START_SECONDS = 90;
    private static final long ROUND_SLACK_SECONDS = 30;
    private static final long ROW_SECONDS = 60;
    private static final long SETTLE_MILLIS = 1_500;
    private static final long WARM_UP_MILLIS = 2_000;
    private static final int WARM_UP_WINDOW = 16;

    private final OrderStack stack;
    private final List<Node> nodes = new ArrayList<>();

    private record Node(String id, LineProcess process) {}

    /**
     * The result of all members together in a round.
     *
     * @param switchesPerRequest how often a thread of the members gave up a processor to wait
     */
    record Round(
            double perSecond,
            double cpuSeconds,
            double switchesPerRequest,
            double p50Micros,
            double p99Micros,
            long lost,
            long repeats) {
        double perCpuSecond(double seconds) {
            return perSecond * seconds / cpuSeconds;
        }
    }

    private Cluster(OrderStack stack) {
        this.stack = stack;
    }

    /** Three members of bare RAFT with its log in memory. */
    public static Cluster bareRaft(Run run, Path folder) throws IOException, InterruptedException {
        return start(OrderStack.RAFT_MEMORY, run, folder);
    }

    static Cluster start(OrderStack stack, Run run, Path folder) throws IOException, InterruptedException {
        Cluster cluster = launch(stack, run, folder);
        try {
            cluster.awaitReady();
            return cluster;
        } catch (IOException | InterruptedException e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts the processes; {@link #awaitReady} has to follow, and {@link #close} in any case. */
    static Cluster launch(OrderStack stack, Run run, Path folder) throws IOException {
        Path own = Files.createDirectories(folder.resolve(stack.name()));
        List<Member> members = FreePorts.members(3);
        Cluster cluster = new Cluster(stack);
        try {
            for (Member member : members) {
                cluster.nodes.add(launch(stack, run, member.id(), members, own));
            }
            return cluster;
        } catch (IOException e) {
            cluster.close();
            throw e;
        }
    }

    void awaitReady() throws IOException, InterruptedException {
        for (Node node : nodes) {
            node.process.awaitReady(START_SECONDS);
        }
    }

    /**
     * The leader sends as fast as it can until the members' compilers have little left to do.
     *
     * @param mostMillis not longer than this
     */
    public void warmUp(int bytes, long mostMillis) throws IOException, InterruptedException {
        for (long spent = 0; spent < mostMillis; spent += WARM_UP_MILLIS) {
            Spent before = spent();
            run(List.of(leader()), WARM_UP_WINDOW, bytes, WARM_UP_MILLIS);
            if (spent().since(before).isWarm()) {
                return;
            }
        }
    }

    /** All members send at once. */
    Round run(int outstanding, int bytes, long millis) throws IOException, InterruptedException {
        return run(nodes, outstanding, bytes, millis);
    }

    /** Median microseconds from a message's sending to its delivery at the same member, the leader, one at a time. */
    public double leaderP50Micros(int bytes, long millis) throws IOException, InterruptedException {
        return byLeader(1, bytes, millis).p50Micros;
    }

    /** Messages a second that the leader orders with so many outstanding, when it alone sends. */
    public double leaderPerSecond(int outstanding, int bytes, long millis) throws IOException, InterruptedException {
        return byLeader(outstanding, bytes, millis).perSecond;
    }

    /** A base that loses messages is none. */
    private Round byLeader(int outstanding, int bytes, long millis) throws IOException, InterruptedException {
        Round round = run(List.of(leader()), outstanding, bytes, millis);
        if (round.lost > 0) {
            throw new IOException(stack.title() + " did not answer " + round.lost + " messages");
        }
        return round;
    }

    /** A call, its acknowledgement, and a copy that comes late: how often the call was executed. */
    long executionsOfALateDuplicate() throws IOException, InterruptedException {
        return number(leader(), "late");
    }

    /** Calls that each member keeps once the leader's client has made so many one after the other; the leader's first. */
    List<Long> keptAfter(int calls) throws IOException, InterruptedException {
        Node leader = leader();
        ask(leader, "row " + calls);
        // The followers learn of the last entries with the next heartbeat.
        TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
        List<Long> kept = new ArrayList<>();
        kept.add(number(leader, "kept"));
        for (Node node : nodes) {
            if (!node.id.equals(leader.id)) {
                kept.add(number(node, "kept"));
            }
        }
        return kept;
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.process.close());
    }

    private Node leader() throws IOException, InterruptedException {
        // An election may be under way.
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < end) {
            for (Node node : nodes) {
                if (ask(node, "leads").equals("leads true")) {
                    return node;
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new IOException(stack.title() + " has had no leader for " + START_SECONDS + " s");
    }

    private Round run(List<Node> senders, int outstanding, int bytes, long millis)
            throws IOException, InterruptedException {
        Spent before = spent();
        Switches switchesBefore = Switches.of(pids());
        for (Node node : senders) {
            node.process.say("run " + outstanding + " " + bytes + " " + millis);
        }
        double perSecond = 0;
        long completed = 0;
        double p50 = 0;
        double p99 = 0;
        long lost = 0;
        long repeats = 0;
        for (Node node : senders) {
            String[] words =
                    node.process.next(millis / 1_000 + ROUND_SLACK_SECONDS).split(" ", -1);
            long own = Long.parseLong(words[1]);
            completed += own;
            perSecond += own / Double.parseDouble(words[2]);
            p50 = Math.max(p50, Double.parseDouble(words[3]));
            p99 = Math.max(p99, Double.parseDouble(words[4]));
            lost += Long.parseLong(words[5]);
            repeats += Long.parseLong(words[6]);
        }
        long switches = Switches.of(pids()).since(switchesBefore).voluntary();
        return new Round(
                perSecond,
                spent().since(before).seconds(),
                switches / (double) Math.max(1, completed),
                p50,
                p99,
                lost,
                repeats);
    }

    private Spent spent() {
        return Spent.of(pids());
    }

    private LongStream pids() {
        return nodes.stream().mapToLong(node -> node.process.pid());
    }

    private static long number(Node node, String question) throws IOException, InterruptedException {
        return Long.parseLong(ask(node, question).split(" ", -1)[1]);
    }

    private static String ask(Node node, String question) throws IOException, InterruptedException {
        return node.process.ask(question, ROW_SECONDS);
    }

    private static Node launch(OrderStack stack, Run run, String id, List<Member> members, Path folder)
            throws IOException {
        LineProcess process = LineProcess.start(
                stack.title() + " " + id,
                OrderNode.class,
                run.jvmFlags("-Xmx512m", "-XX:+ExitOnOutOfMemoryError"),
                List.of(stack.name(), id, Member.format(members), folder.toString()),
                folder.resolve(id + ".log"));
        return new Node(id, process);
    }
}
