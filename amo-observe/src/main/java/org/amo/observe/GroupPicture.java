package org.amo.observe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A group at one moment, as a page shows it: computed from the statuses of its members and the picture before. Immutable.
 *
 * @param takenNanos when the statuses were asked for
 * @param rows in the order of the group
 * @param agreed the last position at which two members had the same digest
 */
record GroupPicture(long takenNanos, List<MemberRow> rows, OptionalLong agreed) {
    private static final double NANOS = 1e9;

    GroupPicture {
        rows = List.copyOf(rows);
    }

    /** @param before the picture before, empty for the first one or after a pause */
    static GroupPicture of(Map<String, Optional<String>> statuses, Optional<GroupPicture> before, long nowNanos) {
        Map<String, Optional<StatusFields>> read = new LinkedHashMap<>();
        statuses.forEach((id, json) -> read.put(id, json.flatMap(StatusFields::read)));
        long newest = read.values().stream()
                .flatMap(Optional::stream)
                .mapToLong(status -> status.number("position"))
                .max()
                .orElse(0);
        List<MemberRow> rows = new ArrayList<>();
        read.forEach((id, status) -> rows.add(new MemberRow(
                id,
                status,
                status.map(now -> newest - now.number("position")).orElse(0L),
                status.isEmpty() ? OptionalDouble.empty() : rate(id, status.get(), before, nowNanos))));
        OptionalLong agreed = agreed(rows);
        return new GroupPicture(
                nowNanos,
                rows,
                agreed.isPresent() ? agreed : before.map(GroupPicture::agreed).orElseGet(OptionalLong::empty));
    }

    /** A smaller number than before is that of a new process. */
    private static OptionalDouble rate(String id, StatusFields now, Optional<GroupPicture> before, long nowNanos) {
        Optional<MemberRow> last = before.flatMap(picture -> picture.row(id))
                .filter(row -> row.status().isPresent());
        if (last.isEmpty()) {
            return OptionalDouble.empty();
        }
        long executed = now.number("executed") - last.get().number("executed");
        double seconds = (nowNanos - before.get().takenNanos) / NANOS;
        return executed < 0 || seconds <= 0 ? OptionalDouble.empty() : OptionalDouble.of(executed / seconds);
    }

    private static OptionalLong agreed(List<MemberRow> rows) {
        Map<String, Integer> times = new HashMap<>();
        OptionalLong position = OptionalLong.empty();
        for (MemberRow row : rows) {
            long executed = row.number("executedPosition");
            String digest = row.status().map(status -> status.text("digest")).orElse("");
            if (!digest.isEmpty() && executed > 0 && times.merge(executed + "@" + digest, 1, Integer::sum) > 1) {
                position = OptionalLong.of(Math.max(executed, position.orElse(0)));
            }
        }
        return position;
    }

    private Optional<MemberRow> row(String id) {
        return rows.stream().filter(row -> row.id().equals(id)).findFirst();
    }

    /** The member that leads as it says itself; the more advanced one if an earlier leader does not know yet. */
    Optional<MemberRow> leader() {
        return rows.stream().filter(MemberRow::leads).max(Comparator.comparingLong(MemberRow::position));
    }

    /** The member whose numbers stand for the group: replicated ones are equal at all members that are up to date. */
    Optional<MemberRow> reference() {
        return leader().or(() -> rows.stream()
                .filter(row -> row.status().isPresent())
                .max(Comparator.comparingLong(MemberRow::position)));
    }

    /** Requests executed in a second; empty if no member up to date was asked twice. A member that replays executes faster. */
    OptionalDouble callsPerSecond() {
        return rows.stream()
                .filter(row -> row.callsPerSecond().isPresent()
                        && (row.kind() == MemberRow.Kind.LEADER || row.kind() == MemberRow.Kind.FOLLOWER))
                .max(Comparator.comparing(MemberRow::leads).thenComparing(MemberRow::position))
                .map(MemberRow::callsPerSecond)
                .orElseGet(OptionalDouble::empty);
    }

    /** The slowest member's: clients are connected to any of them. */
    long replyMicrosP99() {
        return rows.stream()
                .mapToLong(row -> row.number("replyMicrosP99"))
                .max()
                .orElse(0);
    }

    /** The state of the group in some short sentences, the gravest first. */
    String summary() {
        List<String> sentences = new ArrayList<>();
        for (MemberRow row : rows) {
            if (row.kind() == MemberRow.Kind.TROUBLED) {
                sentences.add("Trouble at " + row.id() + ".");
            }
        }
        sentences.add(leader().map(row -> row.id() + " leads.").orElse("No leader is known."));
        long answer = rows.stream().filter(row -> row.status().isPresent()).count();
        sentences.add(answer + " of " + rows.size() + (rows.size() == 1 ? " member answers." : " members answer."));
        for (MemberRow row : rows) {
            switch (row.kind()) {
                case ABSENT -> sentences.add(row.id() + " does not answer.");
                case JOINING -> sentences.add(row.id() + " joins.");
                case BEHIND -> sentences.add(row.id() + " catches up.");
                default -> {}
            }
        }
        boolean sound = rows.stream()
                .allMatch(row -> row.kind() == MemberRow.Kind.LEADER || row.kind() == MemberRow.Kind.FOLLOWER);
        if (sound && rows.size() > 1 && leader().isPresent()) {
            sentences.add("None lags.");
        }
        return String.join(" ", sentences);
    }
}
