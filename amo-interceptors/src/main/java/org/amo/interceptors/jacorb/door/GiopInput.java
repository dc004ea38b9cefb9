package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Hands out whole GIOP messages. JacORB allocates the size that a header claims, so a header is kept back until its
 * message is there. The buffer grows with the received bytes, and each growth is asked for first. One thread reads it.
 */
final class GiopInput extends InputStream {
    static final int HEADER = 12;
    private static final int FIRST_BUFFER = 1 << 10;
    private static final int SMALL_BUFFER = 8 << 10;
    private static final int MOST_CONTROL_BYTES = 64 << 10;
    private static final int MOST_FRAGMENTED = 16;

    private static final int REQUEST = 0;
    private static final int REPLY = 1;
    private static final int LAST_TYPE = 7;
    private static final int FRAGMENT = 7;

    private final InputStream in;
    private final GuardedConnection connection;
    private final GiopLimits limits;

    private byte[] buffer = new byte[FIRST_BUFFER];
    private int start;
    private int end;

    /** Bytes of a whole message that are still to be handed out. */
    private int whole;

    /** Taken for the message that is handed out, given back with the next one. */
    private long passing;

    /** Bytes so far of requests and replies that still lack their last fragment, by request id. */
    private final Map<Integer, Long> fragments = new HashMap<>();

    GiopInput(InputStream in, GuardedConnection connection, GiopLimits limits) {
        this.in = in;
        this.connection = connection;
        this.limits = limits;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (whole == 0 && !next()) {
            return -1;
        }
        int count = Math.min(length, whole);
        System.arraycopy(buffer, start, to, offset, count);
        start += count;
        whole -= count;
        return count;
    }

    @Override
    public int available() {
        return whole;
    }

    @Override
    public void close() {
        connection.close();
    }

    /** Waits until a message is whole; false at the end of the stream. */
    private boolean next() throws IOException {
        if (passing > 0) {
            connection.give(passing);
            passing = 0;
        }
        shrink();
        connection.awaitReads();
        if (connection.isClosing()) {
            return false;
        }
        if (end == start && connection.isProved()) {
            connection.notDue();
        }
        while (end - start < HEADER) {
            if (!more(HEADER)) {
                return false;
            }
            if (end - start < HEADER) {
                connection.dueIn(limits.grace().toNanos());
            }
        }
        long total = checkedLength();
        if (end - start < total) {
            long seconds = total / limits.leastBytesPerSecond();
            connection.dueIn(limits.grace().toNanos() + seconds * 1_000_000_000L);
            if (!gather(Math.min(total, GiopHeaders.EARLY_BYTES), total)) {
                return false;
            }
            closeFor(GiopHeaders.earlyFlaw(buffer, start, end - start));
            if (!gather(total, total)) {
                return false;
            }
        }
        connection.notDue();
        closeFor(GiopHeaders.flaw(buffer, start, (int) total));
        account(total);
        if (connection.isClosing()) {
            // JacORB may have told the peer that no request is taken any more.
            return false;
        }
        whole = (int) total;
        return true;
    }

    /** Reads until so many bytes of a message of that length are there; false at the end of the stream. */
    private boolean gather(long bytes, long total) throws IOException {
        while (end - start < bytes) {
            if (!more(total)) {
                return false;
            }
        }
        return true;
    }

    private long checkedLength() throws IOException {
        if (buffer[start] != 'G' || buffer[start + 1] != 'I' || buffer[start + 2] != 'O' || buffer[start + 3] != 'P') {
            throw closed("it does not speak GIOP");
        }
        if (buffer[start + 4] != 1 || minor() > 2) {
            throw closed("GIOP " + (buffer[start + 4] & 0xFF) + "." + minor() + " is not served");
        }
        int type = type();
        if (type > LAST_TYPE) {
            throw closed("GIOP has no message of type " + type);
        }
        long length = HEADER + (number(8) & 0xFFFF_FFFFL);
        boolean carries = type == REQUEST || type == REPLY || type == FRAGMENT;
        if (length > (carries ? limits.mostMessageBytes() : MOST_CONTROL_BYTES)) {
            throw closed("its message of type " + type + " claims " + length + " bytes; at most "
                    + (carries ? limits.mostMessageBytes() : MOST_CONTROL_BYTES)
                    + " are taken (amo.iiop.messageBytes)");
        }
        return length;
    }

    /** Takes room for the memory that JacORB and the group use for a whole message. */
    private void account(long total) throws IOException {
        int type = type();
        boolean more = minor() > 0 && (buffer[start + 6] & 2) != 0;
        boolean numbered = minor() == 2 && total >= HEADER + 4;
        OptionalInt id = numbered ? OptionalInt.of(number(HEADER)) : OptionalInt.empty();
        if (type == REQUEST && id.isPresent() && connection.isUnanswered(id.getAsInt())) {
            throw closed("it repeats the id of a request that is not answered");
        }
        if (numbered && (type == FRAGMENT ? fragments.containsKey(id.getAsInt()) : more)) {
            accountFragment(type, id.getAsInt(), total, more);
            return;
        }
        long copies = total > SMALL_BUFFER ? (GiopLimits.COPIES - 1) * total : 0;
        if (copies > 0) {
            connection.take(copies);
        }
        if (type == REQUEST) {
            connection.requested(id, copies, !GiopHeaders.asksForReply(buffer, start, (int) total));
        } else {
            passing = copies;
        }
    }

    private void accountFragment(int type, int id, long total, boolean more) throws IOException {
        long before = type == FRAGMENT ? fragments.getOrDefault(id, 0L) : 0;
        if (before + total > limits.mostMessageBytes()) {
            throw closed("the fragments of its message are more than " + limits.mostMessageBytes()
                    + " bytes (amo.iiop.messageBytes)");
        }
        if (before == 0 && fragments.size() >= MOST_FRAGMENTED) {
            throw closed("it has " + MOST_FRAGMENTED + " unfinished messages");
        }
        // JacORB gathers them in a stream that doubles.
        connection.take(2 * total);
        if (more) {
            fragments.merge(id, total, Long::sum);
            return;
        }
        fragments.remove(id);
        long whole = before + total;
        connection.take((GiopLimits.COPIES - 1) * whole - 2 * whole);
        connection.requested(OptionalInt.of(id), (GiopLimits.COPIES - 1) * whole, false);
    }

    private int type() {
        return buffer[start + 7] & 0xFF;
    }

    private int minor() {
        return buffer[start + 5] & 0xFF;
    }

    private int number(int at) {
        int i = start + at;
        boolean littleEndian = (buffer[start + 6] & 1) == 1;
        int value = 0;
        for (int k = 0; k < 4; k++) {
            value = (value << 8) | (buffer[littleEndian ? i + 3 - k : i + k] & 0xFF);
        }
        return value;
    }

    private void closeFor(Optional<String> flaw) throws IOException {
        if (flaw.isPresent()) {
            throw closed(flaw.get());
        }
    }

    private IOException closed(String why) {
        connection.closeFor(why);
        return new IOException(why);
    }

    /** Reads the available bytes, and makes room for them as far as so many bytes are wanted; false at the end. */
    private boolean more(long wanted) throws IOException {
        if (start == end) {
            start = 0;
            end = 0;
        }
        if (end == buffer.length) {
            if (start > 0) {
                System.arraycopy(buffer, start, buffer, 0, end - start);
                end -= start;
                start = 0;
            } else {
                grow((int) Math.min(wanted, Math.max(SMALL_BUFFER, 2L * buffer.length)));
            }
        }
        int count = readSome();
        if (count < 0) {
            return false;
        }
        end += count;
        return true;
    }

    /** JacORB limits the time that a connection may be idle. One whose peer still reads a reply is not. */
    private int readSome() throws IOException {
        while (true) {
            try {
                return in.read(buffer, end, buffer.length - end);
            } catch (SocketTimeoutException e) {
                if (!connection.hasUnsent()) {
                    throw e;
                }
            }
        }
    }

    private void grow(int length) throws IOException {
        int before = buffer.length;
        connection.take(length);
        buffer = Arrays.copyOf(buffer, length);
        if (before > FIRST_BUFFER) {
            connection.give(before);
        }
    }

    /** Gives a large buffer back once it is not needed. */
    private void shrink() throws IOException {
        boolean large = buffer.length > SMALL_BUFFER && end - start <= SMALL_BUFFER;
        if (large || (buffer.length < SMALL_BUFFER && connection.isProved())) {
            int before = buffer.length;
            connection.take(SMALL_BUFFER);
            byte[] small = new byte[SMALL_BUFFER];
            System.arraycopy(buffer, start, small, 0, end - start);
            end -= start;
            start = 0;
            buffer = small;
            if (before > FIRST_BUFFER) {
                connection.give(before);
            }
        }
    }
}
