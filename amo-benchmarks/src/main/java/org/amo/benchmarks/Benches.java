package org.amo.benchmarks;

import java.util.List;
import org.amo.benchmarks.cache.CacheBench;
import org.amo.benchmarks.fts.FtsBench;
import org.amo.benchmarks.order.OrderBench;

/** The programs of {@code amo bench}, by name. */
public final class Benches {
    private Benches() {}

    /** In the order in which {@code all} runs them. */
    public static List<Bench> all() {
        return List.of(new FtsBench(), new CacheBench(), new OrderBench());
    }
}
