package org.amo.linearizable.rocksdb;

import java.util.Optional;

/** The operation of a call on its object. It runs on the store's thread, once per call, and must be quick. */
@FunctionalInterface
public interface Operation {
    /**
     * @param object as it is; empty if there is none
     * @param nextVersion that the object will have if it is put
     */
    Change on(Optional<StoredObject> object, long nextVersion);

    /**
     * The outcome of the operation.
     *
     * @param kind of change of the object
     * @param value new, if it is put
     * @param result for the client, and for retries of the call
     */
    record Change(Kind kind, byte[] value, byte[] result) {
        /** The change of an object. */
        public enum Kind {
            PUT,
            KEEP,
            DELETE
        }

        public static Change put(byte[] value, byte[] result) {
            return new Change(Kind.PUT, value, result);
        }

        public static Change keep(byte[] result) {
            return new Change(Kind.KEEP, new byte[0], result);
        }

        public static Change delete(byte[] result) {
            return new Change(Kind.DELETE, new byte[0], result);
        }
    }
}
