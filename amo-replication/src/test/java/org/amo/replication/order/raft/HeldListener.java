package org.amo.replication.order.raft;

import java.util.concurrent.locks.ReentrantLock;
import org.amo.replication.order.Recorder;

/** A listener whose deliveries can be held up: it says that it has no room, or the delivery itself blocks. */
final class HeldListener extends Recorder {
    private final ReentrantLock deliveries = new ReentrantLock();
    private volatile boolean room = true;

    /** From now on a delivery blocks; by the thread that will call {@link #unblock}. */
    void block() {
        deliveries.lock();
    }

    void unblock() {
        deliveries.unlock();
    }

    /** Whether a delivery has come to the block. */
    boolean holdsUp() {
        return deliveries.hasQueuedThreads();
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
            super.onDelivered(position, entry);
        } finally {
            deliveries.unlock();
        }
    }
}
