package org.amo.interceptors.jacorb.door;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.amo.interceptors.CapturedRequest;

/**
 * Checks the headers of requests and replies. JacORB allocates the lengths that they claim, and 2 GB end a process that exits when
 * memory is short. And it writes a key that it did not make, of whatever length, into the text of an exception: a key of 1 MB takes a
 * tenth of a second of a processor.
 */
final class GiopHeaders {
    private static final int MESSAGE_HEADER = 12;
    private static final int FLAGS_AT = 6;
    private static final int TYPE_AT = 7;

    private static final int REQUEST = 0;
    private static final int REPLY = 1;
    private static final int LOCATE_REQUEST = 3;

    /** The response flags of GIOP 1.2. */
    private static final int WITHOUT_RESPONSE = 0;

    private static final int WHEN_TAKEN = 1;
    private static final int WHEN_DONE = 3;

    /** A target that is named by its object key. */
    private static final int KEY = 0;

    /** So many bytes of a message of GIOP 1.2 have the length of its object key. */
    static final int EARLY_BYTES = 28;

    /** Longest object key. */
    static final int MOST_KEY_BYTES = CapturedRequest.MAX_NAME;

    /** Longest object key without the separator that is in every key which JacORB makes, such as the name of a service. */
    static final int MOST_NAME_BYTES = 1 << 10;

    private static final byte SEPARATOR = '/';

    private final ByteBuffer in;
    private final boolean newer;

    private GiopHeaders(ByteBuffer in, boolean newer) {
        this.in = in;
        this.newer = newer;
    }

    private static GiopHeaders behind(byte[] bytes, int start, int length) {
        ByteBuffer in = ByteBuffer.wrap(bytes, start, length).slice();
        in.order((in.get(FLAGS_AT) & 1) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int minor = in.get(FLAGS_AT - 1);
        return new GiopHeaders(in.position(MESSAGE_HEADER), minor == 2);
    }

    /**
     * Looks at the first part of a message: its first {@link #EARLY_BYTES} at least, or all of it.
     *
     * @return why the rest of it need not be read, if that is known already
     */
    static Optional<String> earlyFlaw(byte[] bytes, int start, int length) {
        GiopHeaders headers = behind(bytes, start, length);
        int type = headers.in.get(TYPE_AT);
        if (!headers.newer || (type != REQUEST && type != LOCATE_REQUEST)) {
            return Optional.empty();
        }
        try {
            headers.number();
            if (type == REQUEST) {
                headers.skip(4); // response flags, and octets without a meaning
            }
            headers.align(2);
            return headers.in.getShort() == KEY ? longKey(headers.number()) : Optional.empty();
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            // It ends before, or has a later part of its header in another fragment.
            return Optional.empty();
        }
    }

    private static Optional<String> longKey(int length) {
        return length > MOST_KEY_BYTES
                ? Optional.of("its request has an object key of " + length + " bytes; at most " + MOST_KEY_BYTES
                        + " are taken")
                : Optional.empty();
    }

    /**
     * Looks at a whole message. All parts of a header must be in it, and not in a later fragment.
     *
     * @return why it cannot be read, if so
     */
    static Optional<String> flaw(byte[] bytes, int start, int length) {
        GiopHeaders headers = behind(bytes, start, length);
        try {
            switch (headers.in.get(TYPE_AT)) {
                case REQUEST -> headers.request(headers.in.get(FLAGS_AT - 1));
                case REPLY -> headers.reply();
                case LOCATE_REQUEST -> {
                    headers.number();
                    headers.target();
                }
                default -> {}
            }
            return Optional.empty();
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return Optional.of("a length in the header of its message claims more than the message holds");
        } catch (IllegalStateException e) {
            return Optional.ofNullable(e.getMessage());
        }
    }

    /** Whether a whole request without a flaw asks for a reply. */
    static boolean asksForReply(byte[] bytes, int start, int length) {
        GiopHeaders headers = behind(bytes, start, length);
        if (headers.newer) {
            headers.number();
            return (headers.in.get() & WHEN_DONE) != WITHOUT_RESPONSE;
        }
        headers.contexts();
        headers.number();
        return headers.in.get() != 0;
    }

    private void request(int minor) {
        if (newer) {
            number();
            responseFlags();
            skip(3); // octets without a meaning
            target();
            octets(); // the operation
            contexts();
            return;
        }
        contexts();
        number();
        skip(minor == 1 ? 4 : 1);
        key();
        octets(); // the operation
        octets(); // the principal
    }

    private void reply() {
        if (!newer) {
            contexts();
        }
        number();
        number();
        if (newer) {
            contexts();
        }
    }

    /** JacORB loses the thread that meets other flags, and its pool of threads has an end. */
    private void responseFlags() {
        int flags = in.get();
        if (flags != WITHOUT_RESPONSE && flags != WHEN_TAKEN && flags != WHEN_DONE) {
            throw new IllegalStateException("its response flags are " + (flags & 0xFF) + ", not 0, 1 or 3");
        }
    }

    private void target() {
        if (newer) {
            align(2);
            if (in.getShort() != KEY) {
                throw new IllegalStateException("it names a target otherwise than by its object key");
            }
        }
        key();
    }

    private void key() {
        int length = number();
        int from = in.position();
        skip(length);
        longKey(length).ifPresent(why -> {
            throw new IllegalStateException(why);
        });
        if (length > MOST_NAME_BYTES && !hasSeparator(from)) {
            throw new IllegalStateException(
                    "its request has an object key of " + length + " bytes that no object of this ORB has");
        }
    }

    private boolean hasSeparator(int from) {
        for (int at = from; at < in.position(); at++) {
            if (in.get(at) == SEPARATOR) {
                return true;
            }
        }
        return false;
    }

    private void contexts() {
        for (long left = number() & 0xFFFF_FFFFL; left > 0; left--) {
            number();
            octets();
        }
    }

    private void octets() {
        skip(number());
    }

    private int number() {
        align(4);
        return in.getInt();
    }

    private void skip(int length) {
        if (length < 0) {
            throw new BufferUnderflowException();
        }
        in.position(in.position() + length);
    }

    /** Alignment counts from the start of the message. */
    private void align(int boundary) {
        in.position((in.position() + boundary - 1) & -boundary);
    }
}
