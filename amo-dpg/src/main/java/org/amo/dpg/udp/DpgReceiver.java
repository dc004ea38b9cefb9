package org.amo.dpg.udp;

import org.amo.dpg.Tag;

/**
 * The application's side of a site. Called by the thread that owns the site, in the agreed order: a call that takes its time
 * holds this site back, and a site that stands still for too long counts as absent and misses the others' deliveries
 * meanwhile. If a call throws, the error is logged; the message counts as delivered.
 */
public interface DpgReceiver {
    /**
     * A message, at most once in the life of the process.
     *
     * @param body not to be changed: other sites may ask for it again
     * @param own whether this site sent it
     */
    void onMessage(Tag tag, byte[] body, boolean own);

    /** A dummy stands for a message: no present site has its body (Konorski, section 4.2). */
    void onDummy(Tag tag);

    /**
     * Later deliveries follow this message in the common sequence. Others may have delivered messages between the last
     * delivery and this message; this site will not. Told at the start and after each absence.
     *
     * @param after {@link Tag#ROOT} if nothing came before
     */
    void onSegment(Tag after);

    /** A message of this site that was sent before an absence: it may be delivered to all, some or none of the sites. */
    default void onUndetermined(byte[] body) {}
}
