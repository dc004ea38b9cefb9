package org.amo.interceptors.jacorb;

import org.jacorb.config.Configuration;
import org.jacorb.orb.AbstractBufferManager;
import org.jacorb.orb.BufferManagerFactory;
import org.jacorb.orb.IBufferManager;

/**
 * Gives JacORB a new, empty buffer for each message, where its own manager hands out used ones. JacORB 3.9 steps over the
 * gap in front of a repository id of a valuetype without clearing it. With used buffers the bytes there are of earlier
 * messages, and then two copies of one request have different fingerprints, members that did the same have different
 * replies, and one client reads what another one sent.
 *
 * <p>Set by the property {@value #PROPERTY}. Any thread.
 */
public final class FreshBuffers implements BufferManagerFactory {
    /** Names the factory to JacORB. Read when an ORB is made, before any initializer runs. */
    public static final String PROPERTY = "jacorb.buffermanager.factory";

    @Override
    public IBufferManager newSingletonBufferManager(Configuration configuration) {
        return new Manager();
    }

    @Override
    public IBufferManager newBufferManager(IBufferManager singleton, Configuration configuration) {
        return new Manager();
    }

    private static final class Manager extends AbstractBufferManager {
        private static final int MOST_DOUBLED = 1 << 29;

        @Override
        public byte[] getBuffer(int size) {
            return new byte[size];
        }

        @Override
        public byte[] getExpandedBuffer(int size) {
            // A stream that grows by a few bytes at a time must not copy itself each time.
            return new byte[size < MOST_DOUBLED ? 2 * size : size];
        }
    }
}
