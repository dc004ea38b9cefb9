package org.amo.scmp.udp;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.amo.scmp.SteadyClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A machine's two clocks, read as one that is steady. One thread owns it. */
final class Clocks {
    private static final Logger LOG = LoggerFactory.getLogger(Clocks.class);

    private final LongSupplier wallMicros;
    private final SteadyClock clock;
    private boolean warned;

    Clocks(LongSupplier wallMicros, long leastMicros) {
        this.wallMicros = wallMicros;
        this.clock = new SteadyClock(leastMicros, wallMicros.getAsLong(), System.nanoTime());
    }

    static long systemWallMicros() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1_000;
    }

    long micros() {
        long now = clock.read(wallMicros.getAsLong(), System.nanoTime());
        if (clock.disbelievesWall() && !warned) {
            LOG.warn(
                    "the machine's clock jumped {} s ahead and is not followed; if it is right now, restart this process",
                    clock.wallAheadMicros() / 1_000_000);
        }
        warned = clock.disbelievesWall();
        return now;
    }
}
