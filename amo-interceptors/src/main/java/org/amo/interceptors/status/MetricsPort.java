package org.amo.interceptors.status;

import java.util.Map;
import java.util.function.Supplier;

/**
 * Offers metrics by cause to the monitoring of a process. A reading is a map from a metric's name to its value; a
 * metric of several causes has one name for each, {@code refusals.STALE}. Any thread may use it. No call of a client depends on
 * metrics: a port that cannot offer them logs that, and does not throw.
 */
public interface MetricsPort {
    /**
     * Offers readings from now on until the result is closed.
     *
     * @param kind {@code replica} or {@code client}
     * @param group the replicas' group; of a client its id
     * @param id the member; of a client its number in this process
     * @param reading asked by any thread at any time; must not block
     */
    Registration offer(String kind, String group, String id, Supplier<Map<String, Long>> reading);

    /** Ends an offer. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
