package org.amo.examples.grid;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.OrderedLogs;

/** Sites on the ordered log over JGroups' SEQUENCER, with its views and a majority. */
final class SequencerNetwork implements GridMember.NetworkOfSite {
    private final List<Member> members;

    SequencerNetwork(int sites) {
        members = FreePorts.members(sites);
    }

    @Override
    public GridMember.Network open(int site, Consumer<byte[]> deliveries) {
        ReplicaSettings settings = ReplicaSettings.builder(
                        "grid", members.get(site).id(), members)
                .order(ReplicaSettings.Order.SEQUENCER)
                .log(ReplicaSettings.Log.MEMORY)
                .data(Path.of("."))
                .build();
        OrderedLog log = OrderedLogs.open(settings);
        AtomicLong submissions = new AtomicLong();
        log.start(new LogListener() {
            @Override
            public void onDelivered(long position, byte[] entry) {
                deliveries.accept(entry);
            }

            @Override
            public void onRejected(long submission) {
                // As if it were lost: time-outs make up for it.
            }

            @Override
            public void onLeader(String member) {
                // Any member may order.
            }

            @Override
            public void onMessage(String member, byte[] message) {
                // No site sends any.
            }

            @Override
            public void onEnded(OrderedLogException why) {
                // The site is silent from now on, as one that has gone.
            }
        });
        return new GridMember.Network() {
            @Override
            public void send(byte[] message) {
                log.submit(submissions.incrementAndGet(), message);
            }

            @Override
            public void close() {
                log.close();
            }
        };
    }
}
