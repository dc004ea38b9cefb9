package org.amo.replication;

import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;

/** An ordered log around another one; a test replaces what it disturbs. */
abstract class LogAround implements OrderedLog {
    private final OrderedLog log;

    LogAround(OrderedLog log) {
        this.log = log;
    }

    @Override
    public Guarantee guarantee() {
        return log.guarantee();
    }

    @Override
    public void start(LogListener listener) {
        log.start(listener);
    }

    @Override
    public void submit(long submission, byte[] entry) {
        log.submit(submission, entry);
    }

    @Override
    public void send(String member, byte[] message) {
        log.send(member, message);
    }

    @Override
    public void close() {
        log.close();
    }
}
