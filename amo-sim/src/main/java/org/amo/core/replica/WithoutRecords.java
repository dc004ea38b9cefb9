package org.amo.core.replica;

import org.amo.base.wire.WireWriter;
import org.amo.core.request.Request;

/** The records of a snapshot that leaves them out. */
final class WithoutRecords extends DecisionTable {
    private final DecisionTable records;

    WithoutRecords(DecisionTable records) {
        this.records = records;
    }

    @Override
    void complete(Request request, byte[] reply) {
        records.complete(request, reply);
    }

    @Override
    void write(WireWriter writer) {
        DecisionTable empty = new DecisionTable();
        if (records.started()) {
            empty.start(records.orderedTimeMillis(), records.parameters());
        }
        empty.write(writer);
    }
}
