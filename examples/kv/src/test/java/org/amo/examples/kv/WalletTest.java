package org.amo.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class WalletTest {
    /** The second run finds what the first one left on disk. */
    @Test
    @Timeout(120)
    void centsMoveOnceForEachCallAndNotFromAnEmptyField(@TempDir Path folder) {
        String coordinators = Member.format(FreePorts.members(1));
        assertEquals("savings 95, cash 5", Wallet.pay(coordinators, folder, 5));
        assertEquals("savings 95, cash 5", Wallet.pay(coordinators, folder, 96));
    }
}
