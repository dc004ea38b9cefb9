package org.amo.base.observe;

import java.util.List;

/**
 * A component that monitoring can ask: a member of a group, a client. Any thread asks at any time, also before the component has
 * started and after it has ended, so no method may wait for the component.
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

    /** The state as one JSON object, without secrets. */
    String statusJson();

    /** Whether it serves now. */
    Readiness readiness();
}
