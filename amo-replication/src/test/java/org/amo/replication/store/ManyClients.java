package org.amo.replication.store;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.replica.Execution;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.reply.RecordMemory;
import org.amo.core.reply.Shares;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.service.AmoReplica;

/** Runs in a process with a small heap: {@code replica FOLDER CLIENTS}, or {@code member FOLDER MEMBERS ID} until its input ends. */
final class ManyClients implements ReplicaEffects {
    static final int REPLY_BYTES = 1_024;
    private static final int MOST_BYTES_A_CLIENT = 72;
    private static final int BUDGET_BYTES = 32 << 20;
    private static final long WALL = 1_700_000_000_000L;
    private static final long RETENTION_MILLIS = 3_600_000;
    private static final long DEADLINE_MILLIS = 10_000;

    /** Clients a millisecond of the group's time. */
    private static final int CLIENTS_A_MILLI = 2;

    private final ArrayDeque<byte[]> submitted = new ArrayDeque<>();
    private final List<Execution> executions = new ArrayList<>();
    private final Replica replica;
    private long executed;
    private long position;
    private long now = 1_000;
    private Optional<Answer> answered = Optional.empty();

    private ManyClients(RecordMemory memory) {
        replica = new Replica(
                new ReplicaOptions(
                        "a",
                        List.of("a"),
                        1,
                        new ClientId(9, 9),
                        GroupParameters.builder()
                                .retentionMillis(RETENTION_MILLIS)
                                .lifeMillis(60_000)
                                .defaultDeadlineMillis(DEADLINE_MILLIS)
                                .budgetBytes(BUDGET_BYTES)
                                .build()),
                this,
                memory);
        replica.onLeader("a", now);
        while (!replica.started()) {
            now += 1_000;
            replica.onTick(now, WALL + now);
            settle();
        }
        now += 10_000;
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[1]);
        if (args[0].equals("member")) {
            member(folder, args[2], args[3]);
            return;
        }
        long heapBytes = Runtime.getRuntime().maxMemory() / 8;
        ChronicleReplies file = ChronicleReplies.inFolder(folder, BUDGET_BYTES, 512);
        SpilledReplies replies = new SpilledReplies(heapBytes, file);
        MappedRows rows = MappedRows.in(folder);
        long before = used();
        ManyClients run = new ManyClients(new RecordMemory(42, replies, rows, Shares::new));
        int clients = Integer.parseInt(args[2]);
        long mostInFile = 0;
        for (int client = 0; client < clients; client++) {
            run.call(client);
            mostInFile = Math.max(mostInFile, file.bytes());
        }
        long after = used();
        require(run.executed == clients, "executed " + run.executed);
        // Late copies of many of them: replayed from the file or the heap, or refused; none runs again.
        int replayed = 0;
        for (int client = 0; client < clients; client += Math.max(1, clients / 20_000)) {
            replayed += run.again(client) ? 1 : 0;
        }
        require(run.executed == clients, "executed again: " + (run.executed - clients));
        require(
                run.replica.status().clients() == clients,
                "clients " + run.replica.status().clients());
        require(mostInFile > 0 || clients < 20_000, "nothing went to the file");
        double heap = (after - before) / (double) clients;
        double inFile = rows.fileBytes() / (double) clients;
        // Kept replies take their part of the heap whatever the number of clients is.
        require(heap <= MOST_BYTES_A_CLIENT || clients < 1_000_000, "heap " + heap);
        require(inFile <= MOST_BYTES_A_CLIENT, "file of rows " + inFile);
        System.out.printf(
                "%d clients, %d live, %d replies replayed: %.1f bytes a client on the heap, replies and live entries among"
                        + " them, %.1f in the file of rows, at most %d kB of replies in the map%n",
                clients, run.replica.status().entries(), replayed, heap, inFile, mostInFile / 1_024);
        file.close();
        rows.close();
    }

    private static void member(Path folder, String members, String id) throws Exception {
        try (AmoReplica replica = AmoReplica.builder("churn")
                .id(id)
                .members(members)
                .data(folder)
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .store(ReplicaSettings.Store.CHRONICLE)
                .parameters(GroupParameters.builder().budgetBytes(BUDGET_BYTES).build())
                .handler((request, context) -> new byte[REPLY_BYTES])
                .start()) {
            System.out.println("ready");
            while (System.in.read() >= 0) {
                System.out.println(replica.status().clients() + " clients, "
                        + replica.status().entries() + " live, executed "
                        + replica.status().executed() + ", heap " + used() / 1_024 + " kB");
            }
        }
        // Threads of libraries must not keep the process.
        Runtime.getRuntime().halt(0);
    }

    private void call(int client) {
        if (client % CLIENTS_A_MILLI == 0) {
            now++;
        }
        answered = Optional.empty();
        long timestamp = WALL + now;
        replica.onCopy(request(client, timestamp), FinishedNumbers.NONE, answer -> answered = Optional.of(answer), now);
        settle();
        Answer answer = answered.orElseThrow();
        require(answer.kind() == Answer.Kind.REPLY, "client " + client + ": " + answer);
        require(ByteBuffer.wrap(answer.reply()).getInt() == client, "the reply of another");
    }

    /** The same copy once more; whether its reply came. */
    private boolean again(int client) {
        answered = Optional.empty();
        long timestamp = WALL + 13_000 + 1 + client / CLIENTS_A_MILLI;
        replica.onCopy(request(client, timestamp), FinishedNumbers.NONE, answer -> answered = Optional.of(answer), now);
        settle();
        Answer answer = answered.orElseThrow();
        if (answer.kind() == Answer.Kind.REPLY) {
            require(ByteBuffer.wrap(answer.reply()).getInt() == client, "the reply of another");
            return true;
        }
        require(
                answer.refusal().equals(Optional.of(Refusal.STALE)),
                "client " + client + " again: " + answer.kind() + " " + answer.refusal());
        return false;
    }

    private static Request request(int client, long timestamp) {
        return new Request(
                RequestId.own(new ClientId(7, client), 1),
                timestamp,
                timestamp + DEADLINE_MILLIS,
                client,
                false,
                ByteBuffer.allocate(4).putInt(0, client).array());
    }

    private void settle() {
        while (!submitted.isEmpty() || !executions.isEmpty()) {
            while (!submitted.isEmpty()) {
                replica.onDelivered(++position, submitted.poll(), now);
            }
            if (!executions.isEmpty()) {
                List<Execution> done = List.copyOf(executions);
                executions.clear();
                List<byte[]> replies = new ArrayList<>(done.size());
                for (Execution each : done) {
                    executed++;
                    int client = ByteBuffer.wrap(each.request().body()).getInt();
                    replies.add(
                            ByteBuffer.allocate(REPLY_BYTES).putInt(0, client).array());
                }
                replica.onExecuted(done, replies, now);
            }
        }
    }

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    @Override
    public void submit(long submission, byte[] entry) {
        submitted.add(entry);
    }

    @Override
    public void execute(List<Execution> more) {
        executions.addAll(more);
    }

    @Override
    public void answer(AnswerListener copy, Answer answer) {
        copy.onAnswer(answer);
    }

    @Override
    public void send(String member, byte[] message) {
        // The group has no other member.
    }

    @Override
    public void parametersDiffer(GroupParameters ofGroup) {
        throw new IllegalStateException("the group has other parameters: " + ofGroup);
    }
}
