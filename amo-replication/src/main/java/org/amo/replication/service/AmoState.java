package org.amo.replication.service;

import org.amo.base.Stable;

/**
 * How the state of a service gets into a snapshot and out of it. Both methods are called in the thread that runs the
 * service, between two requests. A service may implement it itself.
 */
@Stable
public interface AmoState {

    /** All that later replies depend on. Equal states need not give equal bytes, unless {@link #isComparable}. */
    byte[] take();

    /**
     * Whether equal states give equal bytes at every member, however they were reached. If so, members take digests of their
     * states, which tools compare: a service that is not deterministic is found before a reply differs.
     */
    default boolean isComparable() {
        return false;
    }

    /**
     * Puts the service, as it was made at the start of its process, into a state that {@link #take} gave at some member. In
     * style passive the default of {@link #applyUpdate} calls it for a service that has run, too: nothing of its earlier state may
     * stay.
     */
    void restore(byte[] state);

    /**
     * Style passive: what brings a backup from the state behind the last update that was taken or applied here, or behind
     * {@link #restore}, to the present one. By default all of the state. {@link #take} in between changes nothing of it.
     */
    default byte[] takeUpdate() {
        return take();
    }

    /** Style passive: brings the service to the state behind an update that another member took. */
    default void applyUpdate(byte[] update) {
        restore(update);
    }
}
