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
        List<Member> members = new ArrayList<>();
        hold(count, members);
        return members;
    }

    private static void hold(int more, List<Member> members) {
        if (more == 0) {
            return;
        }
        String id = String.valueOf((char) ('a' + members.size()));
        try (ServerSocket order = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket client = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            members.add(new Member(id, "127.0.0.1", order.getLocalPort(), client.getLocalPort()));
            hold(more - 1, members);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
