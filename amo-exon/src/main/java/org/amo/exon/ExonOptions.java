package org.amo.exon;

/**
 * The limits and times of a node.
 *
 * @param datagramBytes UDP payload of a datagram, 256 to 65,000. Default 1452, which fits Ethernet with IPv4 and IPv6
 * @param maxMessageBytes longest message that {@link ExonNode#send} takes; it must fit in the slots of a record. Default 1 MiB
 * @param minStandbySlots N of the paper, the slots asked for in advance: at least so many. Default 16
 * @param maxStandbySlots at most so many; between the two, N follows the path's bandwidth x delay. Default 2,048
 * @param maxSlotsPerRecord most open slots of one sender; each is room for one datagram. Default 4,096
 * @param maxSlotsPerNode most open slots of all senders together. Default 32,768
 * @param maxRecords most senders with a record at a time. Default 200,000
 * @param maxQueuedBytes most bytes that wait or are under way to one node. Default 16 MiB
 * @param maxQueuedBytesInAll most such bytes to all nodes together, each message with 256 bytes more. Default
 *     256 MiB; an endpoint begins with an eighth of its heap
 * @param idleMicros how long a half-connection without work is kept. Default 10 s
 * @param abandonMicros how long a sender that left slots open may be silent before its record goes and its tokens become
 *     UNKNOWN. Default an hour; while messages of others wait for room, six times {@code idleMicros}
 * @param maxRetryMicros longest time between two attempts. Default 1 s
 * @param clockRange how far ahead of use the node clock's bound is stored. Default 2^24, a write every eight seconds at a
 *     million messages a second
 */
public record ExonOptions(
        int datagramBytes,
        int maxMessageBytes,
        int minStandbySlots,
        int maxStandbySlots,
        int maxSlotsPerRecord,
        int maxSlotsPerNode,
        int maxRecords,
        int maxQueuedBytes,
        long maxQueuedBytesInAll,
        long idleMicros,
        long abandonMicros,
        long maxRetryMicros,
        long clockRange) {
    private static final int LEAST_DATAGRAM_BYTES = 256;

    /** @throws IllegalArgumentException naming the setting that does not fit the others */
    public ExonOptions {
        require(
                datagramBytes >= LEAST_DATAGRAM_BYTES && datagramBytes <= 65_000,
                "datagramBytes must be 256 to 65000",
                datagramBytes);
        require(minStandbySlots >= 1, "standbySlots must be at least 1", minStandbySlots);
        require(maxStandbySlots >= minStandbySlots, "most standbySlots must be at least the least", maxStandbySlots);
        require(
                maxSlotsPerRecord >= 2 * minStandbySlots,
                "maxSlots per record must be twice standbySlots",
                maxSlotsPerRecord);
        require(
                maxSlotsPerNode >= maxSlotsPerRecord,
                "maxSlots per node must be at least those per record",
                maxSlotsPerNode);
        require(maxRecords >= 1, "maxRecords must be at least 1", maxRecords);
        require(
                maxMessageBytes >= 0 && maxMessageBytes <= 64 << 20,
                "maxMessageBytes must be 0 to 64 MiB",
                maxMessageBytes);
        require(maxQueuedBytes >= maxMessageBytes, "maxQueuedBytes must be at least maxMessageBytes", maxQueuedBytes);
        require(
                maxQueuedBytesInAll >= maxMessageBytes + (long) OutgoingMessage.OVERHEAD,
                "maxQueuedBytesInAll must be at least maxMessageBytes and " + OutgoingMessage.OVERHEAD,
                maxQueuedBytesInAll);
        require(idleMicros > 0, "idleMicros must be above 0", idleMicros);
        require(abandonMicros >= 2 * idleMicros, "abandonMicros must be at least twice idleMicros", abandonMicros);
        require(clockRange >= 2, "clockRange must be at least 2", clockRange);
        require(maxRetryMicros > 0, "maxRetryMicros must be above 0", maxRetryMicros);
        int fragments = fragments(maxMessageBytes, datagramBytes);
        require(
                fragments <= maxSlotsPerRecord,
                "maxMessageBytes needs " + fragments + " slots, more than maxSlots per record",
                maxSlotsPerRecord);
    }

    /**
     * The same with datagrams of another length.
     *
     * @throws IllegalArgumentException if the other limits do not fit it
     */
    public ExonOptions withDatagramBytes(int bytes) {
        return new ExonOptions(
                bytes,
                maxMessageBytes,
                minStandbySlots,
                maxStandbySlots,
                maxSlotsPerRecord,
                maxSlotsPerNode,
                maxRecords,
                maxQueuedBytes,
                maxQueuedBytesInAll,
                idleMicros,
                abandonMicros,
                maxRetryMicros,
                clockRange);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Longest piece of a message that fits in one datagram. */
    int fragmentBytes() {
        return datagramBytes - ExonCodec.MAX_OVERHEAD;
    }

    /** Pieces of the longest message, from a sender with the smallest datagrams. */
    int maxPieces() {
        return Math.min(maxSlotsPerRecord, fragments(maxMessageBytes, LEAST_DATAGRAM_BYTES));
    }

    private static int fragments(int bytes, int datagramBytes) {
        int each = datagramBytes - ExonCodec.MAX_OVERHEAD;
        return Math.max(1, (bytes + each - 1) / each);
    }

    private static void require(boolean holds, String what, long value) {
        if (!holds) {
            throw new IllegalArgumentException(what + ": " + value);
        }
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private int datagramBytes = 1452;
        private int maxMessageBytes = 1 << 20;
        private int minStandbySlots = 16;
        private int maxStandbySlots = 2_048;
        private int maxSlotsPerRecord = 4_096;
        private int maxSlotsPerNode = 32_768;
        private int maxRecords = 200_000;
        private int maxQueuedBytes = 16 << 20;
        private long maxQueuedBytesInAll = 256L << 20;
        private long idleMicros = 10_000_000;
        private long abandonMicros = 3_600_000_000L;
        private long maxRetryMicros = 1_000_000;
        private long clockRange = 1 << 24;

        private Builder() {}

        public Builder datagramBytes(int bytes) {
            datagramBytes = bytes;
            return this;
        }

        public Builder maxMessageBytes(int bytes) {
            maxMessageBytes = bytes;
            return this;
        }

        /** The least and the most slots that are asked for in advance. */
        public Builder standbySlots(int least, int most) {
            minStandbySlots = least;
            maxStandbySlots = most;
            return this;
        }

        /** Most open slots of one sender, and of all together. */
        public Builder maxSlots(int perRecord, int perNode) {
            maxSlotsPerRecord = perRecord;
            maxSlotsPerNode = perNode;
            return this;
        }

        public Builder maxRecords(int records) {
            maxRecords = records;
            return this;
        }

        public Builder maxQueuedBytes(int bytes) {
            maxQueuedBytes = bytes;
            return this;
        }

        public Builder maxQueuedBytesInAll(long bytes) {
            maxQueuedBytesInAll = bytes;
            return this;
        }

        public Builder idleMicros(long micros) {
            idleMicros = micros;
            return this;
        }

        public Builder abandonMicros(long micros) {
            abandonMicros = micros;
            return this;
        }

        public Builder maxRetryMicros(long micros) {
            maxRetryMicros = micros;
            return this;
        }

        public Builder clockRange(long values) {
            clockRange = values;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that does not fit the others */
        public ExonOptions build() {
            return new ExonOptions(
                    datagramBytes,
                    maxMessageBytes,
                    minStandbySlots,
                    maxStandbySlots,
                    maxSlotsPerRecord,
                    maxSlotsPerNode,
                    maxRecords,
                    maxQueuedBytes,
                    maxQueuedBytesInAll,
                    idleMicros,
                    abandonMicros,
                    maxRetryMicros,
                    clockRange);
        }
    }
}
