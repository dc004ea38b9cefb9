package org.amo.interceptors.state;

import org.amo.base.Stable;

/**
 * Writes and reads the state of servants that neither offer {@code get_state} and {@code set_state} nor keep their
 * state in serializable fields. Named by the property {@code amo.stateCodec}: a class of the application with a public
 * constructor without parameters.
 *
 * <p>Both methods are called in the thread that runs the servants, between two operations, never while one runs.
 */
@Stable
public interface StateCodec {

    /**
     * All that later replies of the servant depend on. Equal states need not give equal bytes, unless {@link #isComparable}.
     *
     * @throws Exception then no snapshot is taken this time
     */
    byte[] take(Object servant) throws Exception;

    /**
     * Whether equal states give equal bytes at every member, however they were reached. If so, the members compare the states of the
     * servants that operations called, and find one that differs before a reply does.
     */
    default boolean isComparable() {
        return false;
    }

    /**
     * Puts a servant, as the application's main has made it, into a state that {@link #take} gave, perhaps at another
     * member. In style passive the default of {@link #applyUpdate} calls it for a servant that has run, too: nothing of its
     * earlier state may stay.
     *
     * @throws Exception then this member stops
     */
    void restore(Object servant, byte[] state) throws Exception;

    /**
     * Style passive: what brings the servant of a backup from the state behind the last update that was taken or applied here,
     * or behind {@link #restore}, to the present one. By default all of the state. {@link #take} in between changes nothing of
     * it.
     *
     * @throws Exception then the group undoes the operations behind the last update, and this member begins anew
     */
    default byte[] takeUpdate(Object servant) throws Exception {
        return take(servant);
    }

    /**
     * Style passive: brings a servant to the state behind an update of another member.
     *
     * @throws Exception then this member takes the state of another one
     */
    default void applyUpdate(Object servant, byte[] update) throws Exception {
        restore(servant, update);
    }
}
