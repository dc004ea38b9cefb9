package org.amo.replication.service;

import java.util.concurrent.atomic.LongAdder;

/** The calls of a client that got a number, and their outcomes. Any thread. */
final class CallCounts {
    final LongAdder begun = new LongAdder();
    final LongAdder replied = new LongAdder();
    final LongAdder notExecuted = new LongAdder();
    final LongAdder unknown = new LongAdder();
}
