package org.amo.grpc;

import io.grpc.Metadata;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * The metadata of one attempt of a call (docs/wire/grpc.md): all attempts of a call carry the same number, timestamp and deadline.
 *
 * @param client the sender's incarnation
 * @param number of the call, 1 to 2^60
 * @param timestampMillis in the server's time
 * @param deadlineMillis in the server's time, at least the timestamp
 * @param finished the numbers that the client has finished
 * @param server the id of the server that must answer; empty for any
 */
record CallMetadata(
        ClientId client,
        long number,
        long timestampMillis,
        long deadlineMillis,
        FinishedNumbers finished,
        Optional<String> server) {
    static final Metadata.Key<String> CLIENT = key("amo-client");
    static final Metadata.Key<String> NUMBER = key("amo-number");
    static final Metadata.Key<String> TIMESTAMP = key("amo-timestamp");
    static final Metadata.Key<String> DEADLINE = key("amo-deadline");
    static final Metadata.Key<String> FINISHED = key("amo-finished");
    static final Metadata.Key<String> SERVER = key("amo-server");

    /** Asks for the server's id and time; no call. */
    static final Metadata.Key<String> HELLO = key("amo-hello");

    private static final List<Metadata.Key<String>> KEYS =
            List.of(CLIENT, NUMBER, TIMESTAMP, DEADLINE, FINISHED, SERVER, HELLO);

    /** Longest value of {@link #FINISHED}: gRPC takes 8 KiB of metadata by default. */
    static final int MOST_FINISHED_CHARS = 4_096;

    private static final int MOST_DIGITS = 19;

    /** Metadata that breaks the rules of docs/wire/grpc.md. */
    static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1;

        MalformedException(String key, String value, String rule) {
            super("metadata " + key + " is " + rule + ", not '" + value.substring(0, Math.min(40, value.length()))
                    + "'");
        }
    }

    static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    /** Whether the headers are those of a call under amo's rules, or of a hello. */
    static boolean isIn(Metadata headers) {
        return headers.containsKey(CLIENT) || headers.containsKey(HELLO);
    }

    /** Takes it out: an application may copy the headers of a call that it serves to the calls that it makes. */
    static void discardFrom(Metadata headers) {
        KEYS.forEach(headers::discardAll);
    }

    void putInto(Metadata headers) {
        headers.put(CLIENT, client.toString());
        headers.put(NUMBER, Long.toString(number));
        headers.put(TIMESTAMP, Long.toString(timestampMillis));
        headers.put(DEADLINE, Long.toString(deadlineMillis - timestampMillis));
        if (!finished.isEmpty()) {
            headers.put(FINISHED, text(finished));
        }
        server.ifPresent(id -> headers.put(SERVER, id));
    }

    static CallMetadata read(Metadata headers) throws MalformedException {
        long timestamp = number(headers, TIMESTAMP, 0, Request.MAX_TIME_MILLIS);
        return new CallMetadata(
                clientId(headers),
                number(headers, NUMBER, 1, RequestId.MAX_NUMBER),
                timestamp,
                timestamp + number(headers, DEADLINE, 0, Request.MAX_TIME_MILLIS),
                finished(headers),
                Optional.ofNullable(headers.get(SERVER)));
    }

    private static ClientId clientId(Metadata headers) throws MalformedException {
        String text = value(headers, CLIENT);
        for (int i = 0; i < text.length(); i++) {
            if (Character.digit(text.charAt(i), 16) < 0 || text.length() != 32) {
                throw new MalformedException(CLIENT.name(), text, "32 hexadecimal digits");
            }
        }
        return ClientId.parse(text);
    }

    private static String value(Metadata headers, Metadata.Key<String> key) throws MalformedException {
        String value = headers.get(key);
        if (value == null || value.isEmpty()) {
            throw new MalformedException(key.name(), "", "needed in each call");
        }
        return value;
    }

    private static long number(Metadata headers, Metadata.Key<String> key, long least, long most)
            throws MalformedException {
        String text = value(headers, key);
        long number = digits(text, 0, text.length());
        if (number < least || number > most) {
            throw new MalformedException(key.name(), text, "a decimal number from " + least + " to " + most);
        }
        return number;
    }

    /** The value of decimal digits; -1 if there are others, none, or too many. */
    private static long digits(String text, int from, int to) {
        if (from >= to || to - from > MOST_DIGITS) {
            return -1;
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9' || value > (Long.MAX_VALUE - 9) / 10) {
                return -1;
            }
            value = 10 * value + (digit - '0');
        }
        return value;
    }

    /** {@code FLOOR}, then ranges above it in rising order: {@code ,FIRST-LAST}, or {@code ,NUMBER} for a single one. */
    static String text(FinishedNumbers finished) {
        StringBuilder text = new StringBuilder().append(finished.floor());
        for (int i = 0; i < finished.rangeCount(); i++) {
            text.append(',').append(finished.rangeFirst(i));
            if (finished.rangeLast(i) > finished.rangeFirst(i)) {
                text.append('-').append(finished.rangeLast(i));
            }
        }
        return text.toString();
    }

    private static FinishedNumbers finished(Metadata headers) throws MalformedException {
        String text = headers.get(FINISHED);
        if (text == null) {
            return FinishedNumbers.NONE;
        }
        int parts = 0;
        for (int i = 0; i < text.length(); i++) {
            parts += text.charAt(i) == ',' ? 1 : 0;
        }
        if (text.length() > MOST_FINISHED_CHARS || parts > FinishedNumbers.MAX_RANGES) {
            throw new MalformedException(FINISHED.name(), text, "of at most " + MOST_FINISHED_CHARS + " characters");
        }
        int end = endOfPart(text, 0);
        long floor = digits(text, 0, end);
        long[] bounds = new long[2 * parts];
        for (int i = 0; i < parts; i++) {
            int from = end + 1;
            end = endOfPart(text, from);
            int dash = text.indexOf('-', from);
            int split = dash < 0 || dash > end ? end : dash;
            bounds[2 * i] = digits(text, from, split);
            bounds[2 * i + 1] = split == end ? bounds[2 * i] : digits(text, split + 1, end);
        }
        try {
            return FinishedNumbers.of(floor, bounds);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(FINISHED.name(), text, "a floor and rising ranges with gaps between them");
        }
    }

    private static int endOfPart(String text, int from) {
        int comma = text.indexOf(',', from);
        return comma < 0 ? text.length() : comma;
    }
}
