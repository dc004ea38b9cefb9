package org.amo.replication.order;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.core.order.Member;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.ReplicaSettings;

/** Settings for groups on this machine, on ports that are free. */
public final class Groups {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private Groups() {}

    public static String freshName() {
        return "test-" + NUMBER.incrementAndGet();
    }

    /** Members a, b, c … The ports were free a moment ago; all are held at once so that they differ. */
    public static List<Member> members(int count) {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            List<Member> members = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ServerSocket order = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket client = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                sockets.add(order);
                sockets.add(client);
                members.add(new Member(
                        String.valueOf((char) ('a' + i)), "127.0.0.1", order.getLocalPort(), client.getLocalPort()));
            }
            return members;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            for (ServerSocket socket : sockets) {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    public static ReplicaSettings settings(
            String group,
            String id,
            List<Member> members,
            ReplicaSettings.Order order,
            ReplicaSettings.Log log,
            Path data,
            Optional<String> secret) {
        return new ReplicaSettings(
                group, id, members, order, log, data, GroupParameters.defaults(), secret, Optional.empty());
    }
}
