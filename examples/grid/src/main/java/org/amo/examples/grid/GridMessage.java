package org.amo.examples.grid;

import java.nio.ByteBuffer;

/**
 * A message between sites.
 *
 * @param from the site that says it
 * @param number of a request of {@code to}
 * @param to the site that made the request
 * @param unit of the resource
 * @param generation of the message about the unit: older ones do not count
 * @param need units that a request asks for
 */
record GridMessage(Kind kind, int from, long number, int to, int unit, long generation, int need) {
    private static final int BYTES = 1 + 4 + 8 + 4 + 4 + 8 + 4;

    enum Kind {
        /** The site wants units. */
        REQUEST(0),
        /** The site gives a unit that it keeps to a request. */
        ALLOCATION(1),
        /** The site keeps the unit for the next request. */
        RELEASE(2),
        /** The request has got its units, or was given up. */
        END(3),
        /** Nothing was heard of the unit for so long: the site keeps it from now on. */
        CLAIM(4);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        private static Kind of(byte code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no kind of a message of the grid: " + code);
        }
    }

    static GridMessage request(int from, long number, int need) {
        return new GridMessage(Kind.REQUEST, from, number, from, 0, 0, need);
    }

    static GridMessage end(int from, long number) {
        return new GridMessage(Kind.END, from, number, from, 0, 0, 0);
    }

    static GridMessage allocation(int from, int unit, long generation, int to, long number) {
        return new GridMessage(Kind.ALLOCATION, from, number, to, unit, generation, 0);
    }

    static GridMessage release(int from, int unit, long generation) {
        return new GridMessage(Kind.RELEASE, from, 0, from, unit, generation, 0);
    }

    static GridMessage claim(int from, int unit, long generation) {
        return new GridMessage(Kind.CLAIM, from, 0, from, unit, generation, 0);
    }

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .put(kind.code)
                .putInt(from)
                .putLong(number)
                .putInt(to)
                .putInt(unit)
                .putLong(generation)
                .putInt(need)
                .array();
    }

    static GridMessage of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("no message of the grid: " + bytes.length + " bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new GridMessage(
                Kind.of(buffer.get()),
                buffer.getInt(),
                buffer.getLong(),
                buffer.getInt(),
                buffer.getInt(),
                buffer.getLong(),
                buffer.getInt());
    }
}
