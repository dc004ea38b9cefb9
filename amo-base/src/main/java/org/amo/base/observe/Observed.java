package org.amo.base.observe;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A component that monitoring can ask: a member of a group, a client. Any thread asks at any time, also before the component has
 * started and after it has ended, so no method may wait for the component, but for {@link #statuses}.
 */
public interface Observed {
    /** The kind of component, {@code replica} or {@code client} for instance: the JMX type. */
    String kind();

    /** The group that it belongs to; empty if there is none, or more than one. */
    String group();

    /** Its id; with the kind and the group it is unique in this process. */
    String id();

    /** All numbers now. Names and labels stay the same; a label whose values are known has a reading for each value, from the start on. */
    List<Reading> readings();

    /** The state as one JSON object, without secrets: the readings, and more where there is more. The id needs no escapes. */
    default String statusJson() {
        return readings().stream()
                .map(each -> "\"" + each.fullName() + "\":" + each.value())
                .collect(Collectors.joining(",", "{\"id\":\"" + id() + "\",", "}"));
    }

    /**
     * The status of each member of the group, this one among them, by id, in the order of the group; empty for a member that does not
     * answer. It may ask the others, and wait half a second for each: one thread calls it at a time, and only while a page is open.
     */
    default Map<String, Optional<String>> statuses() {
        return Map.of(id(), Optional.of(statusJson()));
    }

    /** Whether it serves now. */
    Readiness readiness();
}
