package org.amo.base.wire;

/** Bytes from outside are not of the agreed form. The message names field, offset and value. */
public final class MalformedFrameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedFrameException(String message) {
        super(message);
    }
}
