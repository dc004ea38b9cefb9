package org.amo.scmp;

import java.io.IOException;

/**
 * Stable storage for {@code G.latest} (section 2.2): one number that never falls and survives any crash. One thread at a
 * time may use it.
 */
public interface StableLatest {
    /** The value last made durable. */
    long storedMicros();

    /**
     * Makes a value durable; when this returns, no crash can lose it.
     *
     * @throws IllegalArgumentException when the value is below the stored one
     * @throws IOException when it may not be durable; the stored value may then be the old one or the new
     */
    void store(long latestMicros) throws IOException;
}
