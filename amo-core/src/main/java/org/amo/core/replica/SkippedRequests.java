package org.amo.core.replica;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * Holds the requests that ended members while they ran them: the report of each member, and the requests that the group
 * skips (docs/decisions/0041-requests-that-end-members.md). Timers of operations count as requests here. Replicated state:
 * only a delivered entry changes it, and from the entry alone, so all members come to a verdict at the same position, with no
 * proposer.
 *
 * <p>Invariant: no member with a surviving state has run a skipped request to its end, and no client has its reply. The
 * {@link SkipRule} asks every member. The reports name the members, all alike. A member that none of them names counts by
 * its own entries: once it has submitted one behind the position that a reporter knew, that report is void.
 *
 * <p>One thread owns it.
 */
final class SkippedRequests {
    private static final int VERSION = 1;

    /** Of these, so many are remembered; a late word on an older one opens a case that all members answer by EXECUTED. */
    private static final int MOST_SKIPPED = 1_000;

    private static final int MAX_ID_BYTES = 64;

    private final SkipRule rule;

    /** Open cases: by request, by member, its latest report. Some outlast later ones of that member ({@link #after}). */
    private final TreeMap<Place, TreeMap<String, ExecutionReport>> cases = new TreeMap<>();

    private final TreeSet<Place> skipped = new TreeSet<>();

    /** By member: the position of its latest entry. */
    private final TreeMap<String, Long> latestEntries = new TreeMap<>();

    SkippedRequests(SkipRule rule) {
        this.rule = rule;
    }

    SkippedRequests copy() {
        SkippedRequests copy = new SkippedRequests(rule);
        cases.forEach((place, reports) -> copy.cases.put(place, new TreeMap<>(reports)));
        copy.skipped.addAll(skipped);
        copy.latestEntries.putAll(latestEntries);
        return copy;
    }

    /** An entry was delivered. */
    void entry(String origin, long position) {
        latestEntries.put(origin, position);
    }

    /** A report was delivered. @return whether its request is skipped from here on */
    boolean report(String member, ExecutionReport report) {
        if (skipped.contains(report.place())) {
            return false;
        }
        TreeMap<String, ExecutionReport> reports = cases.computeIfAbsent(report.place(), place -> new TreeMap<>());
        ExecutionReport before = reports.get(member);
        Word word = before == null ? report.word() : after(before.word(), report.word());
        reports.put(member, new ExecutionReport(report.place(), word, report.known(), report.members(), report.gone()));
        Map<String, Word> words = words(reports);
        if (agree(reports, report.members()) && rule.skips(report.members(), words)) {
            cases.remove(report.place());
            skipped.add(report.place());
            if (skipped.size() > MOST_SKIPPED) {
                skipped.pollFirst();
            }
            return true;
        }
        if (words.keySet().containsAll(report.members())
                && EnumSet.copyOf(words.values()).equals(EnumSet.of(Word.EXECUTED))) {
            cases.remove(report.place());
        }
        return false;
    }

    /**
     * A report of an execution stays in force, even if the member has lost its memory of it. DIED outlasts BLOCKED and HELD, and
     * BLOCKED outlasts HELD: the member still holds the request, even if it has run an earlier one since, or cannot reach this one
     * now. Otherwise no majority might count.
     */
    private static Word after(Word before, Word said) {
        boolean holds = said == Word.HELD || said == Word.BLOCKED;
        if ((before == Word.DIED && holds) || (before == Word.BLOCKED && said == Word.HELD)) {
            return before;
        }
        return before.forbidsSkipping() && !said.forbidsSkipping() ? Word.RAN : said;
    }

    /** Whether the reports of current members name the same members, and no unnamed member has submitted an entry since. */
    private boolean agree(Map<String, ExecutionReport> reports, List<String> members) {
        Set<String> gone = new TreeSet<>();
        reports.values().forEach(report -> gone.addAll(report.gone()));
        long known = Long.MAX_VALUE;
        for (Map.Entry<String, ExecutionReport> each : reports.entrySet()) {
            if (members.contains(each.getKey()) && !gone.contains(each.getKey())) {
                if (!each.getValue().members().equals(members)) {
                    return false;
                }
                known = Math.min(known, each.getValue().known());
            }
        }
        for (Map.Entry<String, Long> latest : latestEntries.entrySet()) {
            if (!members.contains(latest.getKey()) && latest.getValue() > known) {
                return false;
            }
        }
        return true;
    }

    Set<Place> open() {
        return cases.keySet();
    }

    boolean isSkipped(Place place) {
        return skipped.contains(place);
    }

    boolean hasSkipped() {
        return !skipped.isEmpty();
    }

    /** The reports on an open case. */
    Map<String, Word> words(Place place) {
        TreeMap<String, ExecutionReport> reports = cases.get(place);
        return reports == null ? Map.of() : words(reports);
    }

    /** Whether a report forbids to skip it. */
    boolean mustRun(Place place) {
        return words(place).values().stream().anyMatch(Word::forbidsSkipping);
    }

    /** Whether an equivalent report of that member has been ordered and is still valid. */
    boolean isSaid(String member, ExecutionReport report) {
        ExecutionReport said =
                cases.getOrDefault(report.place(), new TreeMap<>()).get(member);
        return said != null
                && said.word() == after(said.word(), report.word())
                && said.members().equals(report.members())
                && said.gone().equals(report.gone())
                && agree(Map.of(member, said), report.members());
    }

    private static Map<String, Word> words(Map<String, ExecutionReport> reports) {
        Map<String, Word> words = new TreeMap<>();
        reports.forEach((member, report) -> words.put(member, report.word()));
        return words;
    }

    void write(WireWriter writer) {
        writer.u8(VERSION);
        writer.varint(latestEntries.size());
        latestEntries.forEach((member, position) -> {
            writer.text("member", member, MAX_ID_BYTES);
            writer.varint(position);
        });
        writer.varint(cases.size());
        cases.forEach((place, reports) -> {
            writer.varint(reports.size());
            reports.forEach((member, report) -> {
                writer.text("member", member, MAX_ID_BYTES);
                report.write(writer);
            });
        });
        writer.varint(skipped.size());
        skipped.forEach(place -> ExecutionReport.writePlace(writer, place));
    }

    static SkippedRequests read(SkipRule rule, WireReader reader) {
        reader.version("version of skipped requests", VERSION);
        SkippedRequests read = new SkippedRequests(rule);
        for (long left = reader.varint("members heard", 0, reader.remaining()); left > 0; left--) {
            String member = nextMember(reader, read.latestEntries);
            read.latestEntries.put(member, reader.varint("latest entry", 0, Long.MAX_VALUE));
        }
        for (long left = reader.varint("open cases", 0, reader.remaining()); left > 0; left--) {
            TreeMap<String, ExecutionReport> reports = new TreeMap<>();
            for (long more = reader.varint("reports", 1, reader.remaining()); more > 0; more--) {
                String member = nextMember(reader, reports);
                ExecutionReport report = ExecutionReport.read(reader);
                Place before = reports.isEmpty()
                        ? report.place()
                        : reports.firstEntry().getValue().place();
                if (!report.place().equals(before)) {
                    throw reader.malformed(
                            "position of a report in another case",
                            report.place().position());
                }
                reports.put(member, report);
            }
            Place place = reports.firstEntry().getValue().place();
            requireRising(
                    reader,
                    read.cases.keySet().isEmpty() ? Optional.empty() : Optional.of(read.cases.lastKey()),
                    place);
            read.cases.put(place, reports);
        }
        for (long left = reader.varint("skipped requests", 0, reader.remaining()); left > 0; left--) {
            Place place = ExecutionReport.anyPlace(reader);
            requireRising(reader, read.skipped.isEmpty() ? Optional.empty() : Optional.of(read.skipped.last()), place);
            read.skipped.add(place);
        }
        return read;
    }

    private static String nextMember(WireReader reader, NavigableMap<String, ?> before) {
        String member = reader.text("member", MAX_ID_BYTES);
        if (!before.isEmpty() && before.lastKey().compareTo(member) >= 0) {
            throw reader.malformed("number of a member that does not rise", before.size());
        }
        return member;
    }

    private static void requireRising(WireReader reader, Optional<Place> before, Place place) {
        if (before.isPresent() && before.get().compareTo(place) >= 0) {
            throw reader.malformed("position of a request that does not rise", place.position());
        }
    }

    /** The members without a report. */
    List<String> silent(Place place, List<String> members) {
        Map<String, Word> words = words(place);
        return members.stream().filter(member -> !words.containsKey(member)).toList();
    }
}
