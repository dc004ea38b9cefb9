package org.amo.scmp;

/** Where one datagram came from, in the shell's own terms. The core hands it back with the answer. */
public interface CallPeer {
    /**
     * The largest REPLY datagram body that may go there in answer to this very datagram: without limit for a proven sender; for
     * an unproven one no more than it sent, or anybody could make us flood a third party.
     */
    int mostReplyBytes();
}
