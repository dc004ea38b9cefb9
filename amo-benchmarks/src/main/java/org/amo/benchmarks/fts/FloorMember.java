package org.amo.benchmarks.fts;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;

/**
 * One member of the floor M: the smallest program that replicates a call. The first member leads for ever. It appends each
 * request, sends it to the others, and answers with its bytes when a majority has it. There are no elections, no records of
 * requests, no state and no seal, and nothing is kept once it is answered.
 *
 * <p>One thread does everything: in each turn it reads all sockets that are ready, and writes once to each of them. A thread of
 * its own forces the log, if there is one.
 */
class FloorMember implements Runnable, AutoCloseable {
    private static final byte[] NOTHING = {};

    private final int size;
    private final boolean leads;
    private final Selector selector;
    private final ServerSocketChannel door;
    private final Optional<FloorWriter> writer;
    private final FloorConnection.Receiver receiver = this::onFrame;

    private final List<FloorConnection> connections = new ArrayList<>();
    private final List<Follower> followers = new ArrayList<>();
    private final Deque<Request> unanswered = new ArrayDeque<>();
    private long appended;
    private long answered;

    // At a follower.
    private Optional<FloorConnection> leader = Optional.empty();
    private long acknowledged;

    private volatile boolean open = true;

    private record Request(FloorConnection client, long number, byte[] body) {}

    private static final class Follower {
        private final FloorConnection connection;
        private long acknowledged;

        Follower(FloorConnection connection) {
            this.connection = connection;
        }
    }

    /**
     * Binds its port: the leader that for clients, and the others those for the order. The leader also connects to the others,
     * which must be there.
     *
     * @param forcing absent for a log in memory
     */
    FloorMember(List<Member> members, String id, Optional<FloorWriter.Forcing> forcing) throws IOException {
        Member self = members.stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no member " + id));
        size = members.size();
        leads = members.get(0).equals(self);
        selector = Selector.open();
        writer = forcing.map(each -> new FloorWriter(id, each, this::wake));
        if (leads) {
            for (Member other : members.subList(1, size)) {
                SocketChannel channel = SocketChannel.open(new InetSocketAddress(other.host(), other.orderPort()));
                followers.add(new Follower(add(channel)));
            }
        }
        door = ServerSocketChannel.open();
        door.bind(new InetSocketAddress(self.host(), leads ? self.clientPort() : self.orderPort()));
        door.configureBlocking(false);
        door.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** {@code -Damo.id -Damo.members [-Dfloor.force=PATH] FloorMember FILE}: writes its id to the file when it serves. */
    public static void main(String[] args) throws IOException {
        Optional<String> path = Optional.ofNullable(System.getProperty("floor.force"));
        Optional<FloorWriter.Forcing> forcing =
                path.isPresent() ? Optional.of(FloorWriter.file(Path.of(path.get()))) : Optional.empty();
        String id = System.getProperty("amo.id", "");
        FloorMember member = new FloorMember(Member.parseList(System.getProperty("amo.members", "")), id, forcing);
        PublishedFile.write(Path.of(args[0]), id);
        member.run();
    }

    /** How many members must have an entry before its call is answered. */
    int majority() {
        return size / 2 + 1;
    }

    /** This member has the entries up to this one, on stable storage if it forces them. */
    long durable() {
        return writer.map(FloorWriter::forced).orElse(appended);
    }

    final long appended() {
        return appended;
    }

    @Override
    public void run() {
        try {
            while (open) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    serve(key);
                }
                selector.selectedKeys().clear();
                writer.ifPresent(FloorWriter::handOver);
                if (leads) {
                    answerCommitted();
                } else {
                    acknowledge();
                }
                flush();
            }
        } catch (IOException e) {
            System.err.println("a member of the floor ended: " + e);
        } finally {
            release();
        }
    }

    /** Its thread ends soon. */
    @Override
    public void close() {
        open = false;
        wake();
    }

    private void wake() {
        selector.wakeup();
    }

    private void serve(SelectionKey key) throws IOException {
        if (key.attachment() instanceof FloorConnection connection) {
            try {
                if (!connection.read(receiver)) {
                    drop(connection);
                }
            } catch (IOException e) {
                drop(connection);
            }
        } else {
            for (SocketChannel channel = door.accept(); channel != null; channel = door.accept()) {
                add(channel);
            }
        }
    }

    private FloorConnection add(SocketChannel channel) throws IOException {
        FloorConnection connection = new FloorConnection(channel, selector);
        connection.key().attach(connection);
        connections.add(connection);
        return connection;
    }

    private void drop(FloorConnection connection) {
        connection.close();
        connections.remove(connection);
        followers.removeIf(follower -> follower.connection == connection);
        leader = leader.filter(each -> each != connection);
    }

    private void onFrame(FloorConnection from, long number, byte[] body) throws IOException {
        if (!leads) {
            if (number != appended + 1) {
                throw new IOException("entry " + number + " came after " + appended);
            }
            leader = Optional.of(from);
            append(body);
            return;
        }
        for (Follower follower : followers) {
            if (follower.connection == from) {
                follower.acknowledged = number;
                return;
            }
        }
        append(body);
        unanswered.add(new Request(from, number, body));
        for (Follower follower : followers) {
            follower.connection.write(appended, body);
        }
    }

    private void append(byte[] body) {
        appended++;
        if (writer.isPresent()) {
            writer.get().append(appended, body);
        }
    }

    private void acknowledge() {
        long upTo = durable();
        if (upTo > acknowledged && leader.isPresent()) {
            acknowledged = upTo;
            leader.get().write(upTo, NOTHING);
        }
    }

    private void answerCommitted() {
        long[] upTo = new long[size];
        upTo[0] = durable();
        for (int i = 0; i < followers.size(); i++) {
            upTo[i + 1] = followers.get(i).acknowledged;
        }
        Arrays.sort(upTo);
        long committed = upTo[size - majority()];
        for (; answered < committed; answered++) {
            Request next = unanswered.remove();
            next.client().write(next.number(), next.body());
        }
    }

    private void flush() {
        for (int i = connections.size() - 1; i >= 0; i--) {
            FloorConnection connection = connections.get(i);
            try {
                connection.flush();
            } catch (IOException e) {
                drop(connection);
            }
        }
    }

    private void release() {
        open = false;
        writer.ifPresent(FloorWriter::close);
        connections.forEach(FloorConnection::close);
        try {
            door.close();
            selector.close();
        } catch (IOException e) {
            System.err.println("a member of the floor did not close its port: " + e);
        }
    }
}
