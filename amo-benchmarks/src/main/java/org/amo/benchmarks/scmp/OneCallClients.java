package org.amo.benchmarks.scmp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;

/**
 * Clients that make one call each and acknowledge its reply, all of them by datagrams from one socket to one member. One thread uses
 * it.
 */
final class OneCallClients implements AutoCloseable {
    /** As the library's client does without a measured round trip. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private static final int MOST_SENDS = 60;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final byte[] BODY = new byte[NullCall.BYTES];

    private final OneCallDatagrams datagrams;
    private final DatagramChannel channel = DatagramChannel.open();
    private final Selector selector = Selector.open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(2_048);
    private final Map<ClientId, Open> open = new HashMap<>();
    private final long idHigh = new SecureRandom().nextLong();
    private final List<byte[]> recorded = new ArrayList<>();
    private final int toRecord;

    private long made;
    private long answered;
    private long sentAgain;

    /** A call without an answer. */
    private static final class Open {
        private final long timestampMillis;
        private long sentNanos;
        private int sends = 1;

        private Open(long timestampMillis, long sentNanos) {
            this.timestampMillis = timestampMillis;
            this.sentNanos = sentNanos;
        }
    }

    /**
     * The result of a round.
     *
     * @param calls that were answered with their reply
     * @param sentAgain datagrams that left a second time or later
     * @param cpuNanos of this thread
     */
    record Round(long calls, double seconds, long sentAgain, long cpuNanos) {
        double perSecond() {
            return calls / seconds;
        }

        /** Cores that all but this thread took. */
        double othersCores(double processSeconds) {
            return (processSeconds - cpuNanos / 1e9) / seconds;
        }
    }

    /** @param toRecord so many datagrams of calls are kept */
    OneCallClients(OneCallDatagrams datagrams, InetSocketAddress member, int toRecord) throws IOException {
        this.datagrams = datagrams;
        this.toRecord = toRecord;
        channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
        channel.connect(member);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    /** The first datagrams of calls that left. */
    List<byte[]> recorded() {
        return List.copyOf(recorded);
    }

    /** As many calls as get answers in this time, so many under way. */
    Round busy(int underWay, long millis) throws IOException {
        return run(millis, () -> underWay - open.size());
    }

    /** So many calls a second, answered or not. */
    Round paced(int perSecond, long millis) throws IOException {
        long start = System.nanoTime();
        long before = made;
        return run(millis, () -> (int) ((System.nanoTime() - start) * perSecond / 1e9 - (made - before)));
    }

    private interface Due {
        int calls();
    }

    private Round run(long millis, Due due) throws IOException {
        long start = System.nanoTime();
        long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
        long before = answered;
        long againBefore = sentAgain;
        long cpu = Threads.cpuNanos();
        while (System.nanoTime() < end) {
            for (int more = due.calls(); more > 0; more--) {
                begin();
            }
            turn();
        }
        Round round = new Round(
                answered - before,
                (System.nanoTime() - start) / 1e9,
                sentAgain - againBefore,
                Threads.cpuNanos() - cpu);
        while (!open.isEmpty()) {
            turn();
        }
        return round;
    }

    private void begin() throws IOException {
        ClientId client = new ClientId(idHigh, ++made);
        Open call = new Open(System.currentTimeMillis(), System.nanoTime());
        open.put(client, call);
        byte[] datagram = datagrams.call(client, call.timestampMillis, BODY);
        if (recorded.size() < toRecord) {
            recorded.add(datagram);
        }
        send(datagram);
    }

    private void turn() throws IOException {
        int ready = selector.select(1);
        selector.selectedKeys().clear();
        while (ready > 0 && channel.read(buffer.clear()) > 0) {
            byte[] answer = new byte[buffer.flip().remaining()];
            buffer.get(answer);
            onAnswer(answer);
        }
        long now = System.nanoTime();
        for (Map.Entry<ClientId, Open> each : open.entrySet()) {
            Open call = each.getValue();
            if (now - call.sentNanos > AGAIN_NANOS) {
                if (++call.sends > MOST_SENDS) {
                    throw new IOException("no answer to " + (MOST_SENDS - 1) + " datagrams of one call");
                }
                call.sentNanos = now;
                sentAgain++;
                send(datagrams.call(each.getKey(), call.timestampMillis, BODY));
            }
        }
    }

    private void onAnswer(byte[] answer) throws IOException {
        OneCallDatagrams.Told told = datagrams
                .told(answer)
                .orElseThrow(() -> new IOException("no answer of this group, of " + answer.length + " bytes"));
        Open call = open.get(told.client());
        if (call == null) {
            // It answers a copy that came behind the acknowledgement of the reply, so it may be a refusal.
            return;
        }
        if (!told.isReply()) {
            throw new IOException("a call of a client has no reply, but " + told.answer());
        }
        open.remove(told.client());
        answered++;
        send(datagrams.finished(told.client(), call.timestampMillis));
    }

    // A datagram that the socket does not take is lost, and sent again after its time.
    private void send(byte[] datagram) throws IOException {
        int unused = channel.write(ByteBuffer.wrap(datagram));
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
