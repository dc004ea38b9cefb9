package org.amo.linearizable.rocksdb;

/** The store cannot do what was asked, and says why. After a failed write it serves nothing more. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
