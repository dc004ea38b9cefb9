package org.amo.replication.lease;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.Renewed;

/** Writes and reads the requests and answers of the lease server; docs/wire/rpclog.md. */
final class LeaseCalls {
    static final int OPEN = 1;
    static final int RENEW = 2;
    static final int CHECK = 3;
    static final int TIME = 4;
    static final int RENEW_ALL = 5;

    /** Of one entry. */
    static final int MOST_RENEWALS = 65_536;

    private LeaseCalls() {}

    static byte[] open() {
        return new byte[] {OPEN};
    }

    static byte[] time() {
        return new byte[] {TIME};
    }

    /** @param kind RENEW or CHECK */
    static byte[] about(int kind, LeaseId client) {
        WireWriter writer = new WireWriter(16);
        writer.u8(kind);
        writer.varint(client.value());
        return writer.toBytes();
    }

    /** @param clients rising, none twice */
    static byte[] renewAll(long[] clients) {
        WireWriter writer = new WireWriter(16 + 3 * clients.length);
        writer.u8(RENEW_ALL);
        writeIds(writer, clients);
        return writer.toBytes();
    }

    static byte[] renewed(Renewed renewed) {
        WireWriter writer = new WireWriter(32 + 3 * renewed.ended().length);
        writer.varint(renewed.expires().millis());
        writer.varint(renewed.now().millis());
        writeIds(writer, renewed.ended());
        return writer.toBytes();
    }

    static Renewed readRenewed(byte[] bytes) {
        WireReader reader = new WireReader("renewed", bytes);
        Renewed renewed = new Renewed(readTime(reader, "expires"), readTime(reader, "now"), readIds(reader));
        reader.end();
        return renewed;
    }

    private static void writeIds(WireWriter writer, long[] ids) {
        if (ids.length > MOST_RENEWALS) {
            throw new IllegalArgumentException(
                    "at most " + MOST_RENEWALS + " leases are renewed at once: " + ids.length);
        }
        writer.varint(ids.length);
        long last = 0;
        for (long id : ids) {
            writer.varint(id - last);
            last = id;
        }
    }

    static long[] readIds(WireReader reader) {
        long[] ids = new long[(int) reader.varint("count", 0, Math.min(MOST_RENEWALS, reader.remaining()))];
        long last = 0;
        for (int i = 0; i < ids.length; i++) {
            last += reader.varint("client", 1, LeaseId.MAX_VALUE - last);
            ids[i] = last;
        }
        return ids;
    }

    static LeaseId readClient(WireReader reader) {
        return new LeaseId(reader.varint("client", 1, LeaseId.MAX_VALUE));
    }

    static byte[] time(ClusterTime now) {
        WireWriter writer = new WireWriter(16);
        writer.varint(now.millis());
        return writer.toBytes();
    }

    static ClusterTime readTime(byte[] bytes) {
        WireReader reader = new WireReader("cluster time", bytes);
        ClusterTime time = readTime(reader, "time");
        reader.end();
        return time;
    }

    static byte[] answer(LeaseAnswer answer) {
        WireWriter writer = new WireWriter(32);
        writer.u8(
                switch (answer.status()) {
                    case LIVE -> 0;
                    case EXPIRED -> 1;
                    case FULL -> 2;
                });
        writer.varint(answer.client().value());
        writer.varint(answer.expires().millis());
        writer.varint(answer.now().millis());
        return writer.toBytes();
    }

    static LeaseAnswer readAnswer(byte[] bytes) {
        WireReader reader = new WireReader("lease answer", bytes);
        int code = reader.u8("status");
        LeaseAnswer.Status status =
                switch (code) {
                    case 0 -> LeaseAnswer.Status.LIVE;
                    case 1 -> LeaseAnswer.Status.EXPIRED;
                    case 2 -> LeaseAnswer.Status.FULL;
                    default -> throw reader.malformed("status", code);
                };
        LeaseAnswer answer =
                new LeaseAnswer(status, readClient(reader), readTime(reader, "expires"), readTime(reader, "now"));
        reader.end();
        return answer;
    }

    private static ClusterTime readTime(WireReader reader, String field) {
        return new ClusterTime(reader.varint(field, 0, ClusterTime.MAX_MILLIS));
    }
}
