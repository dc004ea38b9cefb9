package org.amo.replication.service;

import org.amo.base.Stable;

/**
 * How the state of a service gets into a snapshot and out of it, and in style passive to the other members. A service may
 * implement it itself.
 *
 * <p>All methods are called in the thread that runs the service, between two requests, which wait meanwhile. The arrays are not
 * copied: do not change one that was given or taken.
 */
@Stable
public interface AmoState {

    /**
     * All that later replies depend on, less than 2 GiB. Equal states need not give equal bytes, unless {@link #isComparable}.
     *
     * <p>If it throws, this member takes no snapshot now: it warns, its log grows, and it asks again later.
     */
    byte[] take();

    /**
     * Whether equal states give equal bytes at every member, however they were reached. If so, the members compare digests of their
     * states while they run: one with another state than the majority is found before a reply differs. Asked often: a constant.
     */
    default boolean isComparable() {
        return false;
    }

    /**
     * Puts the service, as it was made at the start of its process, into a state that {@link #take} gave at some member. In
     * style passive the default of {@link #applyUpdate} calls it for a service that has run, too: nothing of its earlier state may
     * stay. If it throws, this member ends.
     */
    void restore(byte[] state);

    /**
     * Style passive: what brings a backup from the state behind the last update that was taken or applied here, or behind
     * {@link #restore}, to the present one. By default all of the state. {@link #take} in between changes nothing of it. If it
     * throws, the group undoes the requests behind the last update, and this member begins anew.
     */
    default byte[] takeUpdate() {
        return take();
    }

    /**
     * Style passive: brings the service to the state behind an update that another member took. If it throws, this member takes
     * the state of another one.
     */
    default void applyUpdate(byte[] update) {
        restore(update);
    }
}
