package org.amo.replication;

import java.util.List;
import java.util.function.Function;
import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;

/** An ordered log whose deliveries a test exchanges or drops at one member, as a violation of the order does. */
final class ViolatingLog extends LogAround {
    private final Function<byte[], List<byte[]>> path;

    /** @param path gives the entries to deliver when the next one has come */
    ViolatingLog(OrderedLog log, Function<byte[], List<byte[]>> path) {
        super(log);
        this.path = path;
    }

    @Override
    public void start(LogListener listener) {
        super.start(new LogListener() {
            private long position;

            @Override
            public void onDelivered(long ordered, byte[] entry) {
                for (byte[] each : path.apply(entry)) {
                    position++;
                    listener.onDelivered(position, each);
                }
            }

            @Override
            public void onRejected(long submission) {
                listener.onRejected(submission);
            }

            @Override
            public void onLeader(String member) {
                listener.onLeader(member);
            }

            @Override
            public void onMessage(String member, byte[] message) {
                listener.onMessage(member, message);
            }

            @Override
            public void onEnded(OrderedLogException why) {
                listener.onEnded(why);
            }
        });
    }
}
