package org.amo.replication.order;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;

/** Settings for groups on this machine, on ports that are free. */
public final class Groups {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private Groups() {}

    public static String freshName() {
        return "test-" + NUMBER.incrementAndGet();
    }

    public static ReplicaSettings settings(
            String group,
            String id,
            List<Member> members,
            ReplicaSettings.Order order,
            ReplicaSettings.Log log,
            Path data,
            Optional<String> secret) {
        return ReplicaSettings.builder(group, id, members)
                .order(order)
                .log(log)
                .data(data)
                .secret(secret)
                .build();
    }

    /** Of a member of a group of its own, with RAFT and a log in files. */
    public static ReplicaSettings onDisk(String id, List<Member> members, Path data) {
        return settings(
                freshName(), id, members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, data, Optional.empty());
    }

    /** Of the records in a member's log, without the room that is written ahead with zeros. */
    static long logBytes(Path data, String group, String id) {
        try {
            byte[] all = Files.readAllBytes(
                    data.resolve(group).resolve(id).resolve(id + ".log").resolve("entries.amo"));
            int used = all.length;
            while (used > 0 && all[used - 1] == 0) {
                used--;
            }
            return used;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
