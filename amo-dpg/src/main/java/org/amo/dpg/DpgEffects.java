package org.amo.dpg;

/** Effects of a {@link DpgSite}. No effect may call back into the site: its consequences are another input. */
public interface DpgEffects {
    /** Sends a 'message' PDU to the group. It may be lost. */
    void multicast(Message message);

    /** Sends a 'report' PDU to the group. It may be lost. */
    void multicast(Report report);

    /**
     * The deliveries that follow continue the common sequence right after this message. Told at the start, and after each
     * absence: messages that others delivered in between are not delivered here.
     */
    void beginSegment(Tag after);

    /** Hands a message to the application, in the agreed order, at most once in the life of the process. */
    void deliver(Tag tag, byte[] body);

    /** A 'dummy' delivery (section 4.2) in place of a message: no present site has its body. */
    void deliverDummy(Tag tag);

    /** A message of this site that was sent before an absence: it may be delivered to all, some or none of the sites. */
    void undetermined(Message own);
}
