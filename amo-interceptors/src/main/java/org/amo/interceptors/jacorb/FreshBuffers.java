package org.amo.interceptors.jacorb;

import org.jacorb.config.Configuration;
import org.jacorb.orb.BufferManager;
import org.jacorb.orb.BufferManagerFactory;
import org.jacorb.orb.IBufferManager;
import org.jacorb.orb.ORB;
import org.omg.CORBA.NO_MEMORY;

/**
 * Gives JacORB a new, empty buffer for each message, where its own manager hands out used ones. JacORB 3.9 steps over the
 * gap in front of a repository id of a valuetype without clearing it. In used buffers the gap holds bytes of earlier
 * messages: then two attempts of one request have different fingerprints, members that did the same have different
 * replies, and one client reads bytes that another one sent.
 *
 * <p>It also refuses messages if their header claims more than a quarter of the heap.
 *
 * <p>Set by the property {@value #PROPERTY}. Any thread.
 */
public final class FreshBuffers implements BufferManagerFactory {
    /** Names the factory to JacORB. Read when an ORB is made, before any initializer runs. */
    public static final String PROPERTY = "jacorb.buffermanager.factory";

    /** Whether each message of that ORB has a buffer of its own. */
    static boolean isUsedBy(ORB orb) {
        return orb.getBufferManager() instanceof Manager;
    }

    @Override
    public IBufferManager newSingletonBufferManager(Configuration configuration) {
        return new Manager(configuration);
    }

    @Override
    public IBufferManager newBufferManager(IBufferManager singleton, Configuration configuration) {
        return new Manager(configuration);
    }

    /** A BufferManager of JacORB, since its users may cast to one; its pools stay empty. */
    private static final class Manager extends BufferManager {
        private static final int MOST_DOUBLED = 1 << 29;

        /** JacORB takes a buffer for as much as the header of an incoming message claims, before any of it is there. */
        private static final long MOST_CLAIMED =
                Math.max(16 << 20, Runtime.getRuntime().maxMemory() / 4);

        Manager(Configuration configuration) {
            super(configuration);
        }

        @Override
        protected void storeBuffer(int position, byte[] buffer) {
            // Drops the buffers with which JacORB fills its pools at first.
        }

        @Override
        public void returnBuffer(byte[] buffer, boolean ofStream) {
            // No message gets the buffer of another.
        }

        /** @throws NO_MEMORY instead of filling the heap, which ends that message and not the process */
        @Override
        public byte[] getBuffer(int size) {
            if (size > MOST_CLAIMED) {
                throw new NO_MEMORY("a message of " + size + " bytes; give the process a heap of more than four times"
                        + " the largest message");
            }
            return new byte[size];
        }

        @Override
        public byte[] getExpandedBuffer(int size) {
            // A stream that grows by a few bytes at a time must not copy itself each time.
            return new byte[size < MOST_DOUBLED ? 2 * size : size];
        }
    }
}
