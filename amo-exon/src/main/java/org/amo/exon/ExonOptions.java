package org.amo.exon;

/** Limits and times of a node. Immutable. */
public final class ExonOptions {
    final int datagramBytes;
    final int maxMessageBytes;
    final int minStandbySlots;
    final int maxStandbySlots;
    final int maxSlotsPerRecord;
    final int maxSlotsPerNode;
    final int maxRecords;
    final int maxQueuedBytes;
    final long idleMicros;
    final long abandonMicros;
    final long maxRetryMicros;
    final long clockRange;

    private ExonOptions(Builder builder) {
        datagramBytes = builder.datagramBytes;
        maxMessageBytes = builder.maxMessageBytes;
        minStandbySlots = builder.minStandbySlots;
        maxStandbySlots = builder.maxStandbySlots;
        maxSlotsPerRecord = builder.maxSlotsPerRecord;
        maxSlotsPerNode = builder.maxSlotsPerNode;
        maxRecords = builder.maxRecords;
        maxQueuedBytes = builder.maxQueuedBytes;
        idleMicros = builder.idleMicros;
        abandonMicros = builder.abandonMicros;
        maxRetryMicros = builder.maxRetryMicros;
        clockRange = builder.clockRange;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Longest message that {@link ExonNode#send} takes, in bytes. */
    public int maxMessageBytes() {
        return maxMessageBytes;
    }

    /** Most bytes that wait or are under way to one node. */
    public int maxQueuedBytes() {
        return maxQueuedBytes;
    }

    /** How far ahead of use the node clock's bound is stored. */
    public long clockRange() {
        return clockRange;
    }

    /** Longest piece of a message that fits in one datagram. */
    int fragmentBytes() {
        return datagramBytes - ExonCodec.MAX_OVERHEAD;
    }

    int fragmentsOf(int bytes) {
        return Math.max(1, (bytes + fragmentBytes() - 1) / fragmentBytes());
    }

    /** Collects the settings; {@link #build} checks them. */
    public static final class Builder {
        private int datagramBytes = 1452;
        private int maxMessageBytes = 1 << 20;
        private int minStandbySlots = 16;
        private int maxStandbySlots = 2_048;
        private int maxSlotsPerRecord = 4_096;
        private int maxSlotsPerNode = 32_768;
        private int maxRecords = 200_000;
        private int maxQueuedBytes = 16 << 20;
        private long idleMicros = 10_000_000;
        private long abandonMicros = 3_600_000_000L;
        private long maxRetryMicros = 1_000_000;
        private long clockRange = 1 << 24;

        /** UDP payload of a datagram: 1452 fits Ethernet with IPv4 and IPv6. 256 to 65,000. */
        public Builder datagramBytes(int bytes) {
            datagramBytes = bytes;
            return this;
        }

        /** Longest message. It must fit in the slots of a record. */
        public Builder maxMessageBytes(int bytes) {
            maxMessageBytes = bytes;
            return this;
        }

        /** N of the paper, slots asked for in advance: it follows the path's bandwidth x delay between these two. */
        public Builder standbySlots(int least, int most) {
            minStandbySlots = least;
            maxStandbySlots = most;
            return this;
        }

        /** Most open slots of one sender, and of all together. Each is room for one datagram. */
        public Builder maxSlots(int perRecord, int perNode) {
            maxSlotsPerRecord = perRecord;
            maxSlotsPerNode = perNode;
            return this;
        }

        /** Most senders with a record at a time. */
        public Builder maxRecords(int records) {
            maxRecords = records;
            return this;
        }

        /** Most bytes that wait or are under way to one node. */
        public Builder maxQueuedBytes(int bytes) {
            maxQueuedBytes = bytes;
            return this;
        }

        /** How long a half-connection without work is kept. */
        public Builder idleMicros(long micros) {
            idleMicros = micros;
            return this;
        }

        /** How long a sender that left slots open may be silent before its record goes and its tokens become UNKNOWN. */
        public Builder abandonMicros(long micros) {
            abandonMicros = micros;
            return this;
        }

        /** Longest time between two attempts. */
        public Builder maxRetryMicros(long micros) {
            maxRetryMicros = micros;
            return this;
        }

        /** How far ahead of use the node clock's bound is stored: 2^24 is a write every eight seconds at a million messages a second. */
        public Builder clockRange(long values) {
            clockRange = values;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that does not fit the others */
        public ExonOptions build() {
            require(
                    datagramBytes >= 256 && datagramBytes <= 65_000,
                    "datagramBytes must be 256 to 65000",
                    datagramBytes);
            require(minStandbySlots >= 1, "standbySlots must be at least 1", minStandbySlots);
            require(
                    maxStandbySlots >= minStandbySlots,
                    "most standbySlots must be at least the least",
                    maxStandbySlots);
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
            require(
                    maxQueuedBytes >= maxMessageBytes,
                    "maxQueuedBytes must be at least maxMessageBytes",
                    maxQueuedBytes);
            require(idleMicros > 0, "idleMicros must be above 0", idleMicros);
            require(abandonMicros >= 2 * idleMicros, "abandonMicros must be at least twice idleMicros", abandonMicros);
            require(clockRange >= 2, "clockRange must be at least 2", clockRange);
            require(maxRetryMicros > 0, "maxRetryMicros must be above 0", maxRetryMicros);
            ExonOptions options = new ExonOptions(this);
            int fragments = options.fragmentsOf(maxMessageBytes);
            require(
                    fragments <= maxSlotsPerRecord,
                    "maxMessageBytes needs " + fragments + " slots, more than maxSlots per record",
                    maxSlotsPerRecord);
            return options;
        }

        private static void require(boolean holds, String what, long value) {
            if (!holds) {
                throw new IllegalArgumentException(what + ": " + value);
            }
        }
    }
}
