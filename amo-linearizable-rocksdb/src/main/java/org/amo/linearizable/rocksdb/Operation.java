package org.amo.linearizable.rocksdb;

import java.util.Optional;

/**
 * The operation of a call on its object. The store's thread runs it, once for each call that is executed; all other calls wait
 * meanwhile. It must touch nothing but its object: if the process dies before the write is on disk, a retry of the call runs it
 * again, on the object as it was.
 */
@FunctionalInterface
public interface Operation {
    /**
     * Decides on the change. An exception, and of the errors StackOverflowError, AssertionError and LinkageError, means that the
     * call did not happen: its future fails, and a retry may run. Any other error ends the store.
     *
     * @param object as it is, with the changes of earlier calls of the same write; empty if there is none
     * @param nextVersion that the object will have if it is put
     */
    Change on(Optional<StoredObject> object, long nextVersion);

    /**
     * The outcome of the operation.
     *
     * @param kind of change of the object
     * @param value new, if it is put
     * @param result for the client, and for retries of the call; at most {@link
     *     org.amo.linearizable.rpclog.RpcRecord#MAX_RESULT} bytes, or the call did not happen
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
