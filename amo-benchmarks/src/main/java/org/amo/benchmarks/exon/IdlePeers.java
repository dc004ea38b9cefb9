package org.amo.benchmarks.exon;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.amo.benchmarks.OwnHeap;
import org.amo.exon.Address;
import org.amo.exon.ExonCounters;
import org.amo.exon.ExonEffects;
import org.amo.exon.ExonNode;
import org.amo.exon.ExonOptions;
import org.amo.exon.MessageName;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;

/**
 * Measures the state that a node keeps of peers that it has exchanged messages with and not heard of since, in virtual
 * time: one node, and many that each send it a message and get one back.
 */
final class IdlePeers {
    private static final byte[] SECRET = "a secret that is known to everybody".getBytes(StandardCharsets.US_ASCII);
    private static final NodeId SERVER = new NodeId(7, 0);
    private static final long STEP_MICROS = 1_000;
    private static final int QUIET_STEPS = 5;
    private static final int WARM_UP = 3_000;

    /** So long that none is forgotten before the last is met: an hour. */
    private static final long IDLE_MICROS = 3_600_000_000L;

    private final Rig server = new Rig(SERVER);
    private long nowMicros = 1;
    private long lastPeer;

    private record Where(NodeId node) implements Address {}

    /**
     * Bytes of the server's heap for each peer.
     *
     * @param active while all of them are remembered
     * @param past after the idle time of them all
     * @param remembered peers of which anything is still known then; 0 if all is well
     */
    record Result(double active, double past, int remembered) {}

    private static final class Rig implements ExonEffects {
        private final ArrayDeque<byte[]> out = new ArrayDeque<>();
        private final NodeId id;
        private final ExonNode node;
        private final List<MessageName> delivered = new ArrayList<>();

        Rig(NodeId id) {
            this.id = id;
            ExonOptions options = ExonOptions.builder()
                    .idleMicros(IDLE_MICROS)
                    .abandonMicros(3 * IDLE_MICROS)
                    .build();
            this.node = new ExonNode(id, 1, 1L << 40, SECRET, options, this);
        }

        void taken() {
            delivered.forEach(delivery -> {
                node.onAccepted(delivery, 0);
                node.onTaken(delivery.units(), 0);
            });
            delivered.clear();
        }

        @Override
        public void transmit(Address to, byte[] datagram) {
            out.add(datagram);
        }

        @Override
        public void deliver(MessageName delivery, byte[] message) {
            delivered.add(delivery);
        }

        @Override
        public void completed(long message, Outcome outcome) {
            if (outcome != Outcome.DELIVERED) {
                throw new IllegalStateException("a message is " + outcome);
            }
        }

        @Override
        public void reserveClock(long bound) {
            throw new IllegalStateException("the clock has no bound here");
        }
    }

    Result measure(int peers) {
        exchange(WARM_UP); // classes, compiled code and all that the JDK keeps
        forgetAll();
        long before = OwnHeap.usedBytes();
        exchange(peers);
        long active = OwnHeap.usedBytes();
        forgetAll();
        long past = OwnHeap.usedBytes();
        ExonCounters counters = server.node.counters();
        return new Result((active - before) / (double) peers, (past - before) / (double) peers, counters.peers());
    }

    private void exchange(int peers) {
        for (int i = 0; i < peers; i++) {
            exchange(new NodeId(8, ++lastPeer));
        }
    }

    /** The peers are gone with all their state; all messages to and from them are acknowledged. */
    private void forgetAll() {
        long end = nowMicros + 4 * IDLE_MICROS;
        while (server.node.nextDeadline() <= end) {
            nowMicros = Math.max(nowMicros, server.node.nextDeadline());
            server.node.onTick(nowMicros);
            server.out.clear();
        }
        nowMicros = end;
    }

    private void exchange(NodeId id) {
        Rig client = new Rig(id);
        client.node.hint(SERVER, new Where(SERVER));
        client.node.send(SERVER, 1, new byte[100], Long.MAX_VALUE / 4, nowMicros);
        carry(client);
        server.node.send(id, 1, new byte[100], Long.MAX_VALUE / 4, nowMicros);
        carry(client);
        // The client is idle first and says so: with that its slots at the server are free.
        while (client.node.counters().sendRecords() > 0) {
            client.node.onTick(client.node.nextDeadline());
            deliver(client, server);
        }
        server.out.clear();
    }

    /** Until nothing moves. */
    private void carry(Rig client) {
        for (int quiet = 0; quiet < QUIET_STEPS; ) {
            nowMicros += STEP_MICROS;
            client.node.onTick(nowMicros);
            server.node.onTick(nowMicros);
            quiet = client.out.isEmpty() && server.out.isEmpty() ? quiet + 1 : 0;
            deliver(client, server);
            deliver(server, client);
        }
        client.taken();
        server.taken();
    }

    private void deliver(Rig from, Rig to) {
        while (!from.out.isEmpty()) {
            byte[] bytes = from.out.remove();
            to.node.onDatagram(new Where(from.id), bytes, bytes.length, nowMicros);
        }
        to.node.flush(nowMicros);
    }
}
