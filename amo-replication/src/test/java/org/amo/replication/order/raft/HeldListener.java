package org.amo.replication.order.raft;

import java.util.concurrent.locks.ReentrantLock;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.OrderedLogException;
import org.amo.replication.order.Recorder;

/** A listener whose deliveries can be held up: it says that it has no room, or the delivery itself blocks. */
final class HeldListener implements LogListener {
    private final Recorder to = new Recorder();
    private final ReentrantLock deliveries = new ReentrantLock();
    private volatile boolean room = true;

    Recorder recorder() {
        return to;
    }

    /** From now on a delivery blocks; by the thread that will call {@link #unblock}. */
    void block() {
        deliveries.lock();
    }

    void unblock() {
        deliveries.unlock();
    }

    void room(boolean now) {
        room = now;
    }

    @Override
    public boolean hasRoom() {
        return room;
    }

    @Override
    public void onDelivered(long position, byte[] entry) {
        deliveries.lock();
        try {
            to.onDelivered(position, entry);
        } finally {
            deliveries.unlock();
        }
    }

    @Override
    public void onSnapshot(LogSnapshot snapshot) {
        to.onSnapshot(snapshot);
    }

    @Override
    public void onRejected(long submission) {
        to.onRejected(submission);
    }

    @Override
    public void onLeader(String member) {
        to.onLeader(member);
    }

    @Override
    public void onEnded(OrderedLogException why) {
        to.onEnded(why);
    }

    @Override
    public void onMessage(String member, byte[] message) {
        to.onMessage(member, message);
    }
}
