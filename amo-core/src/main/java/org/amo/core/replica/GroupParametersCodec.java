package org.amo.core.replica;

import org.amo.core.wire.WireReader;
import org.amo.core.wire.WireWriter;

/** The form of a group's parameters in its first entry and in snapshots. */
final class GroupParametersCodec {
    private GroupParametersCodec() {}

    static void write(WireWriter writer, GroupParameters parameters) {
        writer.varint(parameters.retentionMillis());
        writer.varint(parameters.skewMillis());
        writer.varint(parameters.lifeMillis());
        writer.varint(parameters.defaultDeadlineMillis());
        writer.varint(parameters.budgetBytes());
        writer.varint(parameters.foreignBudgetBytes());
        writer.varint(parameters.replyAllowanceBytes());
        writer.varint(parameters.maxClients());
        writer.varint(parameters.maxEntriesPerClient());
        writer.varint(parameters.maxRangesPerClient());
    }

    static GroupParameters read(WireReader reader) {
        try {
            return new GroupParameters(
                    time(reader, "retention"),
                    time(reader, "skew"),
                    time(reader, "life"),
                    time(reader, "deadline"),
                    reader.varint("budget", 1, Long.MAX_VALUE),
                    reader.varint("foreign budget", 1, Long.MAX_VALUE),
                    number(reader, "reply allowance"),
                    number(reader, "clients"),
                    number(reader, "entries per client"),
                    number(reader, "ranges per client"));
        } catch (IllegalArgumentException e) {
            throw new org.amo.core.wire.MalformedFrameException("group parameters: " + e.getMessage());
        }
    }

    private static long time(WireReader reader, String field) {
        return reader.varint(field, 1, WireReader.MAX_TIME_MILLIS);
    }

    private static int number(WireReader reader, String field) {
        return (int) reader.varint(field, 0, Integer.MAX_VALUE);
    }
}
