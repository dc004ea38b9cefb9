package org.amo.linearizable.rocksdb;

/** The store cannot do a request; the message says why. After a failed write the store serves nothing more. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
