package org.amo.core.replica;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;

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
        writer.varint(parameters.clientShare());
        writer.varint(parameters.principalShare());
        writer.varint(parameters.clientCallsPerSecond());
        writer.varint(parameters.principalCallsPerSecond());
        writer.varint(parameters.weights().size());
        new TreeMap<>(parameters.weights()).forEach((principal, weight) -> {
            writer.i64(principal.hash());
            writer.varint(weight);
        });
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
                    number(reader, "ranges per client"),
                    number(reader, "client share"),
                    number(reader, "principal share"),
                    number(reader, "calls per client"),
                    number(reader, "calls per principal"),
                    weights(reader));
        } catch (IllegalArgumentException e) {
            throw new org.amo.base.wire.MalformedFrameException("group parameters: " + e.getMessage());
        }
    }

    private static Map<Principal, Integer> weights(WireReader reader) {
        Map<Principal, Integer> weights = new HashMap<>();
        Optional<Principal> last = Optional.empty();
        for (long left = reader.varint("weights", 0, GroupParameters.MOST_WEIGHTS); left > 0; left--) {
            Principal principal = new Principal(reader.i64("weighted principal"));
            if (last.isPresent() && last.get().compareTo(principal) >= 0) {
                throw reader.malformed("weighted principal", principal.hash());
            }
            last = Optional.of(principal);
            weights.put(principal, number(reader, "weight"));
        }
        return weights;
    }

    private static long time(WireReader reader, String field) {
        return reader.varint(field, 1, WireReader.MAX_TIME_MILLIS);
    }

    private static int number(WireReader reader, String field) {
        return (int) reader.varint(field, 0, Integer.MAX_VALUE);
    }
}
