package org.amo.kv;

import java.time.Duration;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * Settings of a cluster. Its first start sets them by an ordered request; a coordinator with other values ends.
 *
 * @param termMillis of a lease, at least 1,000. Default 1,000 s, the paper's
 * @param maxLeases at once. Default 2,000,000
 * @param tablets ranges of keys, at least as many as servers. Default 16
 * @param servers that have to be there before ranges are dealt. Default 3
 * @param deadAfterMillis a server without a heartbeat for so long loses its ranges if it has released its directory.
 *     Default 3 s
 * @param backups that have each write of a server before its answer. Default 0
 */
public record KvSettings(long termMillis, int maxLeases, int tablets, int servers, long deadAfterMillis, int backups) {
    static final int MAX_TABLETS = 4_096;
    private static final int MAX_BACKUPS = 16;
    private static final long MAX_MILLIS = 1L << 52;

    public KvSettings {
        if (termMillis < 1_000
                || maxLeases < 1
                || deadAfterMillis < 100
                || Math.max(termMillis, deadAfterMillis) > MAX_MILLIS) {
            throw new IllegalArgumentException(
                    "a term is at least 1 s, maxLeases 1 and deadAfterMillis 100, and times are"
                            + " at most " + MAX_MILLIS + " ms: termMillis=" + termMillis + " maxLeases=" + maxLeases
                            + " deadAfterMillis=" + deadAfterMillis);
        }
        if (servers < 1 || tablets < servers || tablets > MAX_TABLETS) {
            throw new IllegalArgumentException("each server needs a tablet, and there are at most " + MAX_TABLETS
                    + ": servers=" + servers + " tablets=" + tablets);
        }
        if (backups < 0 || backups > MAX_BACKUPS) {
            throw new IllegalArgumentException("a server has 0 to " + MAX_BACKUPS + " backups, not " + backups);
        }
    }

    /** Without backups. */
    KvSettings(long termMillis, int maxLeases, int tablets, int servers, long deadAfterMillis) {
        this(termMillis, maxLeases, tablets, servers, deadAfterMillis, 0);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects settings; {@link #build} checks them. */
    public static final class Builder {
        private long termMillis = 1_000_000;
        private int maxLeases = 2_000_000;
        private int tablets = 16;
        private int servers = 3;
        private long deadAfterMillis = 3_000;
        private int backups;

        private Builder() {}

        public Builder term(Duration value) {
            termMillis = value.toMillis();
            return this;
        }

        public Builder maxLeases(int value) {
            maxLeases = value;
            return this;
        }

        public Builder tablets(int value) {
            tablets = value;
            return this;
        }

        public Builder servers(int value) {
            servers = value;
            return this;
        }

        public Builder deadAfter(Duration value) {
            deadAfterMillis = value.toMillis();
            return this;
        }

        public Builder backups(int value) {
            backups = value;
            return this;
        }

        /** @throws IllegalArgumentException naming the settings that cannot work */
        public KvSettings build() {
            return new KvSettings(termMillis, maxLeases, tablets, servers, deadAfterMillis, backups);
        }
    }

    /** The same with so many backups. */
    KvSettings withBackups(int number) {
        return new KvSettings(termMillis, maxLeases, tablets, servers, deadAfterMillis, number);
    }

    /** Between two heartbeats of a server or backup. */
    long beatMillis() {
        return Math.max(20, deadAfterMillis / 8);
    }

    void write(WireWriter writer) {
        writeFirst(writer);
        writer.varint(backups);
    }

    /** Without backups, as the first version had it. */
    void writeFirst(WireWriter writer) {
        writer.varint(termMillis);
        writer.varint(maxLeases);
        writer.varint(tablets);
        writer.varint(servers);
        writer.varint(deadAfterMillis);
    }

    static KvSettings read(WireReader reader) {
        return readFirst(reader).withBackups(readBackups(reader));
    }

    static int readBackups(WireReader reader) {
        return (int) reader.varint("backups", 0, MAX_BACKUPS);
    }

    /** Reads the bytes of {@link #writeFirst}. */
    static KvSettings readFirst(WireReader reader) {
        long termMillis = reader.varint("term", 1_000, MAX_MILLIS);
        int maxLeases = (int) reader.varint("most leases", 1, Integer.MAX_VALUE);
        int tablets = (int) reader.varint("tablets", 1, MAX_TABLETS);
        int servers = (int) reader.varint("servers", 1, tablets);
        return new KvSettings(termMillis, maxLeases, tablets, servers, reader.varint("dead after", 100, MAX_MILLIS));
    }
}
