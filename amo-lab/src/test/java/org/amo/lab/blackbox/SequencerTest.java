package org.amo.lab.blackbox;

import org.amo.core.replica.ReplicaSettings.Order;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** F17: the same over {@code --order sequencer}. */
@Timeout(90)
final class SequencerTest extends BasicDecisions {
    private static BankCluster bank;

    SequencerTest() {
        super(bank);
    }

    @BeforeAll
    static void start() {
        bank = BankCluster.start(BankCluster.Settings.bank("sequencer").order(Order.SEQUENCER));
    }

    @AfterAll
    static void stop() {
        bank.close();
    }
}
