package org.amo.benchmarks.fts;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.amo.net.Inbox;

/**
 * A client of the floor, with one connection to its leader and one thread. Calls that are handed over while that thread is
 * awake leave in one write. Any thread may call; stages of asynchronous calls end in the client's thread.
 */
final class FloorClient implements AutoCloseable {
    private final Selector selector;
    private final FloorConnection connection;
    private final Inbox<Call> offered = new Inbox<>();
    private final Thread thread;
    private volatile boolean open = true;

    // The client's thread. The leader answers in the order of the calls.
    private final Deque<Call> waiting = new ArrayDeque<>();
    private long sent;
    private long answered;

    private record Call(byte[] body, CompletableFuture<byte[]> reply) {}

    private FloorClient(SocketChannel channel, String leader) throws IOException {
        selector = Selector.open();
        connection = new FloorConnection(channel, selector);
        thread = DaemonThreads.unstarted("amo-floor-client-" + leader, this::run);
    }

    static FloorClient connect(Member leader) throws IOException {
        FloorClient client = new FloorClient(
                SocketChannel.open(new InetSocketAddress(leader.host(), leader.clientPort())), leader.id());
        client.thread.start();
        return client;
    }

    /** Calls and waits. */
    byte[] call(byte[] body) {
        return callAsync(body).join();
    }

    CompletableFuture<byte[]> callAsync(byte[] body) {
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        offered.put(new Call(body, reply));
        // A stage that calls on does so before this thread looks for calls.
        if (offered.wake() && !Thread.currentThread().equals(thread)) {
            selector.wakeup();
        }
        if (!open) {
            failOffered();
        }
        return reply;
    }

    @Override
    public void close() {
        open = false;
        selector.wakeup();
    }

    private void run() {
        try {
            while (open) {
                selector.select();
                selector.selectedKeys().clear();
                if (!connection.read((from, number, reply) -> onAnswer(number, reply))) {
                    throw new IOException("the leader closed the connection");
                }
                sendOffered();
                connection.flush();
            }
        } catch (IOException e) {
            System.err.println("a client of the floor ended: " + e);
        } finally {
            open = false;
            connection.close();
            for (Call call = waiting.poll(); call != null; call = waiting.poll()) {
                fail(call);
            }
            failOffered();
            closeSelector();
        }
    }

    private void onAnswer(long number, byte[] reply) throws IOException {
        Call call = waiting.poll();
        answered++;
        if (call == null || number != answered) {
            throw new IOException("an answer to call " + number + " instead of " + answered);
        }
        call.reply().complete(reply);
    }

    private void sendOffered() {
        offered.awake();
        for (Call call = offered.poll(); call != null; call = offered.poll()) {
            waiting.add(call);
            connection.write(++sent, call.body());
        }
    }

    private void failOffered() {
        for (Call call = offered.poll(); call != null; call = offered.poll()) {
            fail(call);
        }
    }

    private static void fail(Call call) {
        call.reply().completeExceptionally(new IOException("the client of the floor has ended"));
    }

    private void closeSelector() {
        try {
            selector.close();
        } catch (IOException e) {
            System.err.println("a client of the floor kept its selector: " + e);
        }
    }
}
