package ${package};

import java.util.Map;
import org.amo.replication.service.ReadOnly;

/** The service, as its clients call it. Parameters and results are primitives, texts, records, and collections of such. */
public interface Counters {

    /** Adds to a counter, which begins at 0, and returns its new value. */
    long add(String name, long amount);

    /** All of them. One member answers, without an entry in the log. */
    @ReadOnly
    Map<String, Long> all();
}
