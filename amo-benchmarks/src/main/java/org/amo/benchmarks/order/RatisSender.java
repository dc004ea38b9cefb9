package org.amo.benchmarks.order;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.amo.core.order.Member;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/**
 * Apache Ratis: a server of the group and an asynchronous client of it in one process. Its log is in memory, its retry
 * cache on (which answers repeated calls, as amo does), and it may batch as much as it likes: up to 4 MB an append, 128
 * appends outstanding, no wait between them, 4,000 requests of a client outstanding.
 */
final class RatisSender implements RemembersCalls {
    /** Kept, since an unreferenced logger forgets its level. Its lines would cost the peer time. */
    private static final Logger RATIS = Logger.getLogger("org.apache.ratis");

    private static final RaftGroupId GROUP = RaftGroupId.valueOf(new UUID(0, 1));
    private static final int OUTSTANDING = 4_000;
    private static final long ANSWER_SECONDS = 30;

    private final Nothing machine = new Nothing();
    private final RaftServer server;
    private final RaftClient client;
    private final RaftPeerId self;
    private final AtomicLong failures = new AtomicLong();
    private volatile LongConsumer completed = sequence -> {};

    /** Executes nothing and answers at once. */
    private static final class Nothing extends BaseStateMachine {
        private final AtomicLong executions = new AtomicLong();

        private static final Message REPLY = Message.valueOf(ByteString.copyFrom(new byte[20]));

        @Override
        public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
            executions.incrementAndGet();
            updateLastAppliedTermIndex(
                    transaction.getLogEntry().getTerm(),
                    transaction.getLogEntry().getIndex());
            return CompletableFuture.completedFuture(REPLY);
        }
    }

    RatisSender(String id, List<Member> members, Path folder) throws IOException {
        RATIS.setLevel(Level.WARNING);
        self = RaftPeerId.valueOf(id);
        RaftGroup group = RaftGroup.valueOf(
                GROUP,
                members.stream()
                        .map(member -> RaftPeer.newBuilder()
                                .setId(member.id())
                                .setAddress(member.host() + ":" + member.orderPort())
                                .build())
                        .toArray(RaftPeer[]::new));
        int port = members.stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow()
                .orderPort();
        RaftProperties properties = new RaftProperties();
        GrpcConfigKeys.Server.setPort(properties, port);
        RaftServerConfigKeys.setStorageDir(properties, List.of(new File(folder.toFile(), "ratis-" + id)));
        RaftServerConfigKeys.Log.setUseMemory(properties, true);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf("4MB"));
        RaftServerConfigKeys.Log.Appender.setWaitTimeMin(properties, TimeDuration.ZERO);
        RaftServerConfigKeys.Write.setElementLimit(properties, 4 * OUTSTANDING);
        GrpcConfigKeys.Server.setLeaderOutstandingAppendsMax(properties, 128);
        RaftClientConfigKeys.Async.setOutstandingRequestsMax(properties, OUTSTANDING);
        server = RaftServer.newBuilder()
                .setServerId(self)
                .setGroup(group)
                .setProperties(properties)
                .setStateMachine(machine)
                .build();
        client = RaftClient.newBuilder()
                .setRaftGroup(group)
                .setProperties(properties)
                .build();
    }

    @Override
    public void start(LongConsumer toTell) throws Exception {
        completed = toTell;
        server.start();
        client.io().send(Message.valueOf("hello"));
    }

    @Override
    public void send(long sequence, byte[] payload) {
        Message message = Message.valueOf(ByteString.copyFrom(payload));
        CompletableFuture<RaftClientReply> unused = client.async().send(message).whenComplete((reply, failure) -> {
            if (failure != null || !reply.isSuccess()) {
                failures.incrementAndGet();
            }
            completed.accept(sequence);
        });
    }

    @Override
    public long repeats() {
        return failures.get();
    }

    @Override
    public boolean leads() {
        try {
            return server.getDivision(GROUP).getInfo().isLeader();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public long executionsOfALateDuplicate() throws Exception {
        ClientId late = ClientId.randomId();
        long before = machine.executions.get();
        call(late, 100, List.of());
        call(late, 100, List.of());
        call(late, 101, List.of(100L));
        call(late, 100, List.of());
        return machine.executions.get() - before - 1;
    }

    @Override
    public void callInARow(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            client.io().send(Message.valueOf("call"));
        }
    }

    @Override
    public long kept() throws IOException {
        return server.getDivision(GROUP).getRetryCache().getStatistics().size();
    }

    /** A call as a client of Ratis makes it, with the numbers in the caller's hand. */
    private void call(ClientId caller, long number, List<Long> acknowledged) throws Exception {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(caller)
                .setServerId(self)
                .setGroupId(GROUP)
                .setCallId(number)
                .setRepliedCallIds(acknowledged)
                .setMessage(Message.valueOf("late"))
                .setType(RaftClientRequest.writeRequestType())
                .build();
        RaftClientReply reply = server.submitClientRequestAsync(request).get(ANSWER_SECONDS, TimeUnit.SECONDS);
        if (!reply.isSuccess()) {
            throw new IOException("Ratis refused a call: " + reply);
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
    }
}
