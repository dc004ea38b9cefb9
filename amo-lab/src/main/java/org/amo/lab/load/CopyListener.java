package org.amo.lab.load;

/** Told of the copies of the calls that a thread makes. */
interface CopyListener {
    /** A copy is about to leave, under this id; a call that certainly did not run may change its id. */
    void onCopy(String id);
}
