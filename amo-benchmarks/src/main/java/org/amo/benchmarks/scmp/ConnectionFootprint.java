package org.amo.benchmarks.scmp;

import java.util.Set;
import org.amo.benchmarks.OwnHeap;
import org.amo.scmp.Call;
import org.amo.scmp.CallPeer;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.RefusalReason;
import org.amo.scmp.Reply;
import org.amo.scmp.RpcServer;
import org.amo.scmp.RpcServerEffects;
import org.amo.scmp.RpcServerOptions;
import org.amo.scmp.ScmpOptions;
import org.amo.scmp.StartModes;

/** Heap that a server holds for each connection with its last reply acknowledged, seen by the collector. */
final class ConnectionFootprint {
    private static final long NOW = 1_700_000_000_000_000L;
    private static final CallPeer ANYBODY = () -> Integer.MAX_VALUE;

    private ConnectionFootprint() {}

    static double bytesPerConnection(int connections) {
        long before = OwnHeap.usedBytes();
        RpcServer server = filled(connections);
        long after = OwnHeap.usedBytes();
        if (server.counters().connections() != connections) {
            throw new IllegalStateException("only " + server.counters().connections() + " connections");
        }
        return (after - before) / (double) connections;
    }

    private static RpcServer filled(int connections) {
        RpcServerOptions options = RpcServerOptions.builder()
                .scmp(ScmpOptions.builder().maxConnections(2 * connections).build())
                .services(Set.of(1))
                .build();
        Effects effects = new Effects();
        RpcServer server = new RpcServer(options, StartModes.of(options.scmp()).volatileFirstCreation(NOW), effects);
        byte[] nothing = new byte[0];
        Reply reply = new Reply(false, nothing);
        for (int i = 0; i < connections; i++) {
            ConnectionId connection = new ConnectionId(i * 0x9E3779B97F4A7C15L, i, 0);
            server.onCall(ANYBODY, new Call(connection, NOW + i % 1_000, 1, nothing), NOW);
            server.onExecuted(connection, NOW + i % 1_000, reply, NOW);
            server.onReplyAck(connection, NOW + i % 1_000);
        }
        return server;
    }

    private static final class Effects implements RpcServerEffects {
        @Override
        public void execute(Call call) {}

        @Override
        public void reply(CallPeer to, ConnectionId connection, long timestampMicros, Reply reply) {}

        @Override
        public void acknowledge(CallPeer to, ConnectionId connection, long timestampMicros) {}

        @Override
        public void hold(CallPeer to, ConnectionId connection, long timestampMicros, int replyBytes) {}

        @Override
        public void refuse(
                CallPeer to,
                ConnectionId connection,
                long timestampMicros,
                RefusalReason reason,
                long serverMicros,
                long boundMicros) {
            throw new IllegalStateException("refused: " + reason);
        }

        @Override
        public void storeLatest(long latestMicros) {}
    }
}
