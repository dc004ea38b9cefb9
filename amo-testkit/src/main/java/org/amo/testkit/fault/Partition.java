package org.amo.testkit.fault;

import java.util.ArrayDeque;
import java.util.Queue;
import org.amo.core.order.LogListener;

/**
 * Cuts one replica off from the order. Events from the order are held back and delivered in their sequence when the cut
 * heals; messages from other members and from this replica are lost meanwhile. Threads share it.
 */
final class Partition {
    private final Object lock = new Object();

    /** Under the lock. */
    private final Queue<Runnable> held = new ArrayDeque<>();

    private volatile boolean cut;

    LogListener around(LogListener listener) {
        return Passing.before(LogListener.class, listener, (method, arguments, passage) -> {
            if (method.equals("onMessage")) {
                return cut ? method : passage.go(arguments);
            }
            synchronized (lock) {
                if (cut) {
                    held.add(() -> passage.go(arguments));
                    return method;
                }
                // Under the lock, so that nothing overtakes the events that heal() delivers.
                return passage.go(arguments);
            }
        });
    }

    boolean isCut() {
        return cut;
    }

    void cut() {
        cut = true;
    }

    void heal() {
        synchronized (lock) {
            while (!held.isEmpty()) {
                held.remove().run();
            }
            cut = false;
        }
    }
}
