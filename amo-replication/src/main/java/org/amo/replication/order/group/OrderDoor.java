package org.amo.replication.order.group;

import java.io.DataInput;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import org.amo.base.ProcessLimits;
import org.amo.core.door.DoorLimits;
import org.amo.core.door.Doorkeeper;
import org.amo.core.door.Doorkeeper.Decision;
import org.amo.core.door.Doorkeeper.Outcome;

/**
 * Keeps the limits of one order port. A connection is proved by its first frame, sealed with the group's secret; until then
 * JGroups does not see it, it may hold {@value #UNPROVED_BYTES} bytes and gives way to others. Frames are read as their bytes
 * arrive: nothing is allocated for a length that was only claimed. Any thread.
 *
 * <p>JGroups takes the address in a greeting for the sender's, and may close the connection that it has to that member. It
 * opens a connection only to send a frame, which follows its greeting at once.
 */
final class OrderDoor {
    /** Bundles and fragments are at most 64,000 bytes; the rest is for headers and the seal. */
    static final int UNPROVED_BYTES = 66 << 10;

    private static final int CONNECTIONS = ProcessLimits.connections(256, 4);
    private static final int UNPROVED_BYTES_OF_ALL = 4 << 20;
    private static final int FIRST_PIECE = 4 << 10;

    private final BiPredicate<SocketAddress, byte[]> proof;

    // Guarded by this.
    private final Doorkeeper<GreetedSocket> keeper = new Doorkeeper<>(new DoorLimits(
            CONNECTIONS,
            CONNECTIONS,
            UNPROVED_BYTES,
            UNPROVED_BYTES_OF_ALL,
            UNPROVED_BYTES_OF_ALL,
            UNPROVED_BYTES_OF_ALL));

    /** @param proof whether a frame, of a connection from that address, was sealed with the group's secret and is new */
    OrderDoor(BiPredicate<SocketAddress, byte[]> proof) {
        this.proof = proof;
    }

    /** @throws IOException when there is no room for the new connection */
    void arrive(GreetedSocket connection) throws IOException {
        Decision<GreetedSocket> decision;
        synchronized (this) {
            decision = keeper.arrive(connection, connection.getInetAddress());
        }
        close(decision.close());
        if (decision.outcome() != Outcome.GRANTED) {
            throw new IOException("there are " + CONNECTIONS + " connections");
        }
    }

    /** @throws IOException when its first frame does not prove the connection */
    void prove(GreetedSocket connection, byte[] frame) throws IOException {
        if (!proof.test(connection.getRemoteSocketAddress(), frame)) {
            throw new IOException("its first frame was not sealed with the group's secret");
        }
        synchronized (this) {
            keeper.prove(connection);
        }
    }

    synchronized void leave(GreetedSocket connection) {
        keeper.leave(connection);
    }

    synchronized long held() {
        return keeper.held();
    }

    /** Reads a frame of a connection that has proved nothing yet. */
    byte[] readUnproved(GreetedSocket connection, DataInput in, int length) throws IOException {
        int taken = 0;
        try {
            byte[] frame = {};
            while (frame.length < length) {
                int before = frame.length;
                int next = Math.min(length, Math.max(FIRST_PIECE, 2 * before));
                take(connection, next - before);
                taken = next;
                frame = Arrays.copyOf(frame, next);
                in.readFully(frame, before, next - before);
            }
            return frame;
        } finally {
            give(connection, taken);
        }
    }

    /** Reads a frame of a member. */
    static byte[] read(DataInput in, int length) throws IOException {
        byte[] frame = new byte[Math.min(length, UNPROVED_BYTES)];
        int have = 0;
        while (true) {
            in.readFully(frame, have, frame.length - have);
            have = frame.length;
            if (have == length) {
                return frame;
            }
            frame = Arrays.copyOf(frame, Math.min(length, 2 * have));
        }
    }

    private void take(GreetedSocket connection, int bytes) throws IOException {
        Decision<GreetedSocket> decision;
        synchronized (this) {
            decision = keeper.take(connection, bytes);
        }
        close(decision.close());
        if (decision.outcome() != Outcome.GRANTED) {
            throw new IOException("a connection without proof wants " + bytes + " bytes more than it may hold");
        }
    }

    private synchronized void give(GreetedSocket connection, int bytes) {
        keeper.give(connection, bytes);
    }

    private static void close(List<GreetedSocket> connections) throws IOException {
        for (Socket connection : connections) {
            connection.close();
        }
    }
}
