package org.amo.base.wire;

/**
 * A value is longer than the readers of its frame accept. The writer raises it, so that no reader ever meets such a frame.
 * The message names field, length and limit.
 */
public final class FrameLimitException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public FrameLimitException(String field, long length, long most) {
        super(field + " takes " + length + " bytes, at most " + most + " can be sent; send less at a time");
    }
}
