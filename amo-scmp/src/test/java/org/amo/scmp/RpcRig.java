package org.amo.scmp;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A server whose effects are a list of words. */
final class RpcRig implements RpcServerEffects {
    static final long SECOND = 1_000_000;
    static final long NOW = 1_700_000_000 * SECOND;
    static final long RHO = 300 * SECOND;
    static final ConnectionId C = new ConnectionId(1, 2, 3);
    static final ConnectionId D = new ConnectionId(1, 2, 4);
    static final CallPeer PROVEN = () -> Integer.MAX_VALUE;
    static final CallPeer UNPROVEN = () -> 10;

    final List<String> effects = new ArrayList<>();
    final RpcServer server;
    long stored = Long.MIN_VALUE;

    RpcRig() {
        this(options(ScmpOptions.builder().collectAbove(0)));
    }

    RpcRig(RpcServerOptions options) {
        server = new RpcServer(options, StartModes.of(options.scmp()).firstCreation(NOW), this);
        tick(NOW);
    }

    private RpcRig(RpcServerOptions options, long recovered, long now) {
        server = new RpcServer(options, StartModes.of(options.scmp()).recovered(recovered, now), this);
        tick(now);
    }

    static RpcServerOptions options(ScmpOptions.Builder scmp) {
        return RpcServerOptions.builder()
                .scmp(scmp.build())
                .services(Set.of(0, 1))
                .build();
    }

    RpcRig restarted(long now) {
        return new RpcRig(options(ScmpOptions.builder().collectAbove(0)), stored, now);
    }

    void tick(long now) {
        server.onTick(now);
        if (effects.remove("store")) {
            server.onLatestStored(stored);
        }
    }

    /** What a CALL gave. */
    List<String> call(ConnectionId connection, long timestamp, long now) {
        return call(PROVEN, connection, timestamp, 1, now);
    }

    List<String> call(CallPeer from, ConnectionId connection, long timestamp, int service, long now) {
        effects.clear();
        server.onCall(from, new Call(connection, timestamp, service, new byte[] {7}), now);
        return List.copyOf(effects);
    }

    List<String> truncated(CallPeer from, ConnectionId connection, long timestamp, long now) {
        effects.clear();
        server.onTruncatedCall(from, connection, timestamp, now);
        return List.copyOf(effects);
    }

    List<String> executed(ConnectionId connection, long timestamp, int bytes, long now) {
        effects.clear();
        server.onExecuted(connection, timestamp, new Reply(false, new byte[bytes]), now);
        return List.copyOf(effects);
    }

    @Override
    public void execute(Call call) {
        effects.add("execute " + (call.timestampMicros() - NOW));
    }

    @Override
    public void reply(CallPeer to, ConnectionId connection, long timestampMicros, Reply reply) {
        effects.add("REPLY " + (timestampMicros - NOW) + " of " + reply.body().length);
    }

    @Override
    public void acknowledge(CallPeer to, ConnectionId connection, long timestampMicros) {
        effects.add("ACK " + (timestampMicros - NOW));
    }

    @Override
    public void hold(CallPeer to, ConnectionId connection, long timestampMicros, int replyBytes) {
        effects.add("HELD " + (timestampMicros - NOW) + " of " + replyBytes);
    }

    @Override
    public void refuse(
            CallPeer to,
            ConnectionId connection,
            long timestampMicros,
            RefusalReason reason,
            long serverMicros,
            long boundMicros) {
        effects.add(reason + " " + (timestampMicros - NOW));
    }

    @Override
    public void storeLatest(long latestMicros) {
        stored = latestMicros;
        effects.add("store");
    }
}
