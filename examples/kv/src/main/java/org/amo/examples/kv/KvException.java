package org.amo.examples.kv;

/** A call did not come to a result; the message says what is certain. */
public class KvException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public KvException(String message) {
        super(message);
    }

    public KvException(String message, Throwable cause) {
        super(message, cause);
    }
}
