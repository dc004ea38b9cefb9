package org.amo.benchmarks.cache;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.amo.base.ClientId;
import org.amo.benchmarks.Children;
import org.amo.benchmarks.LoopReplica;
import org.amo.benchmarks.OwnHeap;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.store.ChronicleReplies;
import org.amo.replication.store.ReplyStores;

/**
 * Bytes of the reply cache, each figure in a virtual machine of its own: used memory after a collection, when a replica is
 * half full and when it is full. The first half also rids the heap of objects held since the start.
 */
final class Footprint {
    /** Enough that the noise of the virtual machine is below a byte an entry. */
    static final int QUICK_ENTRIES = 200_000;

    static final int FULL_ENTRIES = 1_000_000;
    private static final int ENTRIES_A_CLIENT = 100;

    /** Longer than the life of a request and the skew. */
    private static final long PAST_DEADLINE_MILLIS = 120_000;

    /** Longer than the retention. */
    private static final long PAST_BOUND_MILLIS = 900_000;

    private Footprint() {}

    /**
     * The measured sizes, in bytes.
     *
     * @param liveEntry a live entry beyond its reply, clients having {@value #ENTRIES_A_CLIENT}
     * @param liveEntryAlone the same, each client having one
     * @param idleClient a client with all its calls finished
     * @param chronicleEntry a reply beyond its content in the Chronicle Map of {@code --store chronicle}, outside the heap;
     *     the part that decides about the entry stays on the heap
     */
    record Bytes(double liveEntry, double liveEntryAlone, double idleClient, double chronicleEntry) {}

    /** Bytes of a live entry beyond its reply. */
    static double liveEntryBytes(int entries) throws IOException, InterruptedException {
        return child("live", entries);
    }

    /** Bytes of a client that has acknowledged all its replies. */
    static double idleClientBytes(int clients) throws IOException, InterruptedException {
        return child("idle", clients);
    }

    /** Bytes of a client whose only reply has expired. */
    static double expiredClientBytes(int clients) throws IOException, InterruptedException {
        return child("expired", clients);
    }

    static Bytes measure(int entries) throws IOException, InterruptedException {
        return new Bytes(
                child("live", entries), child("alone", entries), child("idle", entries), child("chronicle", entries));
    }

    private static double child(String kind, int entries) throws IOException, InterruptedException {
        List<String> flags = new ArrayList<>(ReplyStores.jvmOptions());
        // A collection may leave some dead objects where they are, to move less; here each has to go.
        flags.addAll(List.of("-Xmx3g", "-XX:+UseSerialGC", "-XX:MarkSweepAlwaysCompactCount=1"));
        flags.add("-Djava.util.logging.config.class=org.amo.interceptors.logging.QuietLogging");
        List<String> command = Children.command(Footprint.class, flags);
        command.addAll(List.of(kind, Integer.toString(entries)));
        Process process = Children.start(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD));
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        if (process.waitFor() != 0) {
            throw new IOException("the measurement of memory (" + kind + ") failed");
        }
        return Double.parseDouble(output.strip());
    }

    /** In the process of its own: {@code Footprint live|alone|idle|expired|chronicle ENTRIES}. */
    public static void main(String[] args) {
        int entries = Integer.parseInt(args[1]);
        double bytes =
                switch (args[0]) {
                    case "live" -> perEntry(entries, ENTRIES_A_CLIENT);
                    case "alone" -> perEntry(entries, 1);
                    case "idle" -> perIdleClient(entries);
                    case "expired" -> perExpiredClient(entries);
                    case "chronicle" -> perChronicleEntry(entries);
                    default -> throw new IllegalArgumentException(args[0]);
                };
        System.out.println(bytes);
    }

    private static double perEntry(int entries, int aClient) {
        LoopReplica replica = new LoopReplica();
        long time = replica.timestamp();
        double bytes = bytesPerStep(
                entries,
                i -> replica.call(
                        replica.request(new ClientId(1, i / aClient), 1 + i % aClient, time, new byte[0]),
                        FinishedNumbers.NONE,
                        Footprint::mustBeReply));
        require(replica.entries() == entries, "entries");
        return bytes - LoopReplica.REPLY_BYTES;
    }

    private static double perIdleClient(int clients) {
        LoopReplica replica = new LoopReplica();
        long time = replica.timestamp();
        double bytes = bytesPerStep(clients, i -> {
            ClientId client = new ClientId(1, i);
            replica.call(replica.request(client, 1, time, new byte[0]), FinishedNumbers.NONE, Footprint::mustBeReply);
            replica.acknowledge(client, FinishedNumbers.of(1));
        });
        requireOnlyRecords(replica, clients);
        return bytes;
    }

    /** Deadlines pass before each reading of the memory. */
    private static double perExpiredClient(int clients) {
        LoopReplica replica = new LoopReplica();
        double bytes = bytesPerStep(
                clients,
                i -> replica.call(
                        replica.request(new ClientId(1, i), 1, replica.timestamp(), new byte[0]),
                        FinishedNumbers.NONE,
                        Footprint::mustBeReply),
                () -> replica.pass(PAST_DEADLINE_MILLIS));
        requireOnlyRecords(replica, clients);
        return bytes;
    }

    /** And beyond the bound not even these. */
    private static void requireOnlyRecords(LoopReplica replica, int clients) {
        require(replica.entries() == 0, "no entries");
        require(replica.clients() == clients, "a record for each client");
        replica.pass(PAST_BOUND_MILLIS);
        require(replica.clients() == 0, "no records beyond the bound");
    }

    private static double bytesPerStep(int steps, IntConsumer step) {
        return bytesPerStep(steps, step, () -> {});
    }

    /**
     * Of the second half of the steps.
     *
     * @param settle before each reading of the memory
     */
    private static double bytesPerStep(int steps, IntConsumer step, Runnable settle) {
        long half = 0;
        for (int i = 0; i < steps; i++) {
            if (i == steps / 2) {
                settle.run();
                half = OwnHeap.usedBytes();
            }
            step.accept(i);
        }
        settle.run();
        return (OwnHeap.usedBytes() - half) / (steps / 2.0);
    }

    private static double perChronicleEntry(int entries) {
        byte[] reply = new byte[LoopReplica.REPLY_BYTES];
        // Room for a tenth more than it holds: in use a cache is never run full.
        ChronicleReplies replies = ChronicleReplies.open(entries * 11L / 10 * reply.length, reply.length);
        long taken = 0;
        for (int i = 0; i < entries; i++) {
            taken += replies.put(new ClientId(1, i / ENTRIES_A_CLIENT), i, reply) ? 1 : 0;
        }
        require(taken == entries, "entries in the map");
        double bytes = replies.memoryBytes() / (double) entries - reply.length;
        replies.close();
        // Beside it the heap still holds the packed part of the entry; its reply is gone from there.
        return bytes;
    }

    private static void mustBeReply(Answer answer) {
        require(answer.kind() == Answer.Kind.REPLY, "a reply");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("expected " + what);
        }
    }
}
