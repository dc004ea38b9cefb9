package org.amo.scmp;

/** The three states of figure 3-1. */
enum ConnectionState {
    /** The last call is done and its reply acknowledged. */
    IDLE,
    /** The last call runs. */
    COMPUTING,
    /** The reply is kept, should the client not have it. */
    REPLYING
}
