package org.amo.lab.chaos;

import org.amo.testkit.check.SequentialModel;

/** The models of the services under test, for the black-box tests. */
public final class Ledgers {
    private Ledgers() {}

    public static SequentialModel<?> bank() {
        return LedgerModel.bank();
    }

    public static SequentialModel<?> counters() {
        return LedgerModel.counters();
    }
}
