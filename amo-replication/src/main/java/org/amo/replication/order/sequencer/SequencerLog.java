package org.amo.replication.order.sequencer;

import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;

/** Placeholder until the next commit of this branch. */
public final class SequencerLog implements OrderedLog {

    public SequencerLog(ReplicaSettings settings) {
        throw new UnsupportedOperationException("not yet: " + settings.group());
    }

    @Override
    public Guarantee guarantee() {
        return Guarantee.TOTAL;
    }

    @Override
    public void start(LogListener listener) {}

    @Override
    public void submit(long submission, byte[] entry) {}

    @Override
    public void send(String member, byte[] message) {}

    @Override
    public void close() {}
}
