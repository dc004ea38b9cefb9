package org.amo.lab.attack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;

/** Reads replies over connections on threads of their own, and counts results. Any thread. */
final class Answers {
    private static final long LAST_MILLIS = 2_000;

    private final AtomicLong results = new AtomicLong();
    private final List<Thread> readers = new ArrayList<>();
    private volatile boolean ended;

    /** From now on the connection's replies are read here. One thread calls this. */
    void read(Wire wire) {
        readers.add(DaemonThreads.start("amo-attack-answers", () -> count(wire)));
    }

    /** Replies with a result so far; later replies belong to calls with an unknown outcome. */
    long results() {
        return results.get();
    }

    /** Nothing is counted any more when it returns. */
    void end() {
        ended = true;
        readers.forEach(reader -> DaemonThreads.join(reader, LAST_MILLIS));
    }

    private void count(Wire wire) {
        while (!ended) {
            try {
                if (Giop.readReply(wire.in()).isResult()) {
                    results.incrementAndGet();
                }
            } catch (java.net.SocketTimeoutException e) {
                // Nothing came for a while. In the middle of a message the next read ends this.
            } catch (IOException e) {
                return;
            }
        }
    }
}
