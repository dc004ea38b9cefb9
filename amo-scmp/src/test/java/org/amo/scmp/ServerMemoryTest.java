package org.amo.scmp;

import static org.amo.scmp.RpcRig.NOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ServerMemoryTest {
    private static final int CONNECTIONS = 100_000;

    /** The defaults of a server over UDP take no more connections than a quarter of its heap has room for, by this number. */
    private static final int MOST_BYTES = 128;

    @Test
    void aConnectionWithAShortReplyTakesNoMoreThanTheDefaultsCountWith() {
        RpcRig rig = new RpcRig(RpcRig.options(ScmpOptions.builder().maxConnections(CONNECTIONS)));
        long before = used();
        for (int i = 0; i < CONNECTIONS; i++) {
            ConnectionId connection = new ConnectionId(i, -i, 0);
            assertEquals(List.of("execute 0"), rig.call(connection, NOW, NOW));
            assertEquals(1, rig.executed(connection, NOW, 1, NOW).size());
        }
        double bytes = (used() - before) / (double) CONNECTIONS;
        assertTrue(bytes > 40 && bytes <= MOST_BYTES, bytes + " bytes a connection");
        assertEquals(1, rig.call(new ConnectionId(-1, 1, 0), NOW, NOW).size());
        assertTrue(rig.effects.get(0).contains("OVERLOADED"), rig.effects::toString);
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
