package org.amo.benchmarks.order;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;

/**
 * One member in a process of its own: {@code OrderNode STACK ID MEMBERS FOLDER}. It says {@code ready}; then each line
 * {@code run OUTSTANDING BYTES MILLIS} on its standard input is a round, and each {@code leads}, {@code late}, {@code row
 * CALLS} and {@code kept} is answered. It ends with its input.
 */
final class OrderNode {
    private OrderNode() {}

    public static void main(String[] args) throws Exception {
        Sender sender = open(OrderStack.valueOf(args[0]), args[1], Member.parseList(args[2]), Path.of(args[3]));
        Window window = new Window(sender);
        sender.start(window::onCompleted);
        System.out.println("ready");
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "leads" -> System.out.println("leads " + sender.leads());
                case "late" -> System.out.println("late " + remembering(sender).executionsOfALateDuplicate());
                case "row" -> {
                    remembering(sender).callInARow(Integer.parseInt(words[1]));
                    System.out.println("row done");
                }
                case "kept" -> System.out.println("kept " + remembering(sender).kept());
                default -> run(sender, window, words);
            }
        }
        // No caller waits for a graceful end.
        Runtime.getRuntime().halt(0);
    }

    private static void run(Sender sender, Window window, String[] words) throws InterruptedException {
        long before = sender.repeats();
        Window.Result result =
                window.run(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
        System.out.printf(
                Locale.ROOT,
                "ran %d %f %f %f %d %d%n",
                result.completed(),
                result.seconds(),
                result.p50Micros(),
                result.p99Micros(),
                result.lost(),
                sender.repeats() - before);
    }

    private static RemembersCalls remembering(Sender sender) {
        if (sender instanceof RemembersCalls remembering) {
            return remembering;
        }
        throw new IllegalArgumentException("this stack remembers no calls");
    }

    private static Sender open(OrderStack stack, String id, List<Member> members, Path folder) throws Exception {
        return switch (stack) {
            case NAKACK -> new ChannelSender(id, members, false);
            case SEQUENCER -> new ChannelSender(id, members, true);
            case JGROUPS_RAFT -> new JgroupsRaftSender(id, members);
            case RAFT_MEMORY ->
                new LogSender(settings(id, members, folder, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.MEMORY));
            case RAFT_FILE ->
                new LogSender(settings(id, members, folder, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE));
            case RAFT_FSYNC ->
                new LogSender(settings(id, members, folder, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FSYNC));
            case AMO_RAFT_MEMORY ->
                new AmoSender(settings(id, members, folder, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.MEMORY));
            case AMO_RAFT_FILE ->
                new AmoSender(settings(id, members, folder, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE));
            case AMO_RAFT_FSYNC ->
                new AmoSender(settings(id, members, folder, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FSYNC));
            case AMO_SEQUENCER ->
                new AmoSender(
                        settings(id, members, folder, ReplicaSettings.Order.SEQUENCER, ReplicaSettings.Log.MEMORY));
            case RATIS -> new RatisSender(id, members, folder);
        };
    }

    private static ReplicaSettings settings(
            String id, List<Member> members, Path folder, ReplicaSettings.Order order, ReplicaSettings.Log log) {
        return ReplicaSettings.builder("bench", id, members)
                .order(order)
                .log(log)
                .data(folder)
                .build();
    }
}
