package org.amo.lab.attack;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.cli.CliException;
import org.jspecify.annotations.Nullable;

/**
 * The part of an earlier report that the next report takes over.
 *
 * @param kept results of attacks that do not run again: those that passed, and those in which a call ran twice or got lost or states
 *     differed, which no second run excuses
 * @param failed names of the attacks that failed in this report, or in one that it took over itself
 */
record EarlierAttacks(List<AttackResult> kept, List<String> failed) {
    /** A field that is missing would be read as nothing. */
    private static final ObjectReader REPORTS = new ObjectMapper()
            .readerFor(AttackReport.class)
            .with(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES);

    EarlierAttacks {
        kept = List.copyOf(kept);
        failed = List.copyOf(failed);
    }

    static EarlierAttacks none() {
        return new EarlierAttacks(List.of(), List.of());
    }

    /** Takes from the report in the file the results of these attacks. A file of other conditions is the user's mistake. */
    static EarlierAttacks read(Path file, AttackConditions now, List<Attack> chosen) {
        if (now.commit().equals(AttackConditions.UNKNOWN)) {
            throw CliException.user("this program does not know its commit, so --resume cannot tell whether " + file
                    + " is of the same one; run all attacks without --resume");
        }
        AttackReport report;
        try {
            report = Optional.ofNullable(REPORTS.<@Nullable AttackReport>readValue(Files.readString(file)))
                    .orElseThrow(() -> new IOException("it holds no report"));
        } catch (IOException e) {
            throw CliException.user("--resume cannot read " + file + " as a result of ./amo attack (" + firstLine(e)
                    + "); give it a file that --json of this version has written");
        }
        List<String> differences = now.differences(report.conditions());
        if (!differences.isEmpty()) {
            throw CliException.user("the results of " + file + " are of other conditions ("
                    + String.join("; ", differences) + "); repeat them, or run all attacks without --resume");
        }
        return of(report, chosen);
    }

    private static EarlierAttacks of(AttackReport report, List<Attack> chosen) {
        List<AttackResult> kept = new ArrayList<>();
        Set<String> again = new LinkedHashSet<>();
        for (String name : new LinkedHashSet<>(chosen.stream().map(Attack::name).toList())) {
            List<AttackResult> earlier = report.attacks().stream()
                    .filter(each -> each.name().equals(name))
                    .toList();
            List<AttackResult> counted =
                    earlier.stream().filter(each -> !each.isExcused()).toList();
            boolean hasPassed = !counted.isEmpty() && counted.stream().allMatch(AttackResult::passed);
            if (hasPassed || counted.stream().anyMatch(AttackResult::isWrong)) {
                kept.addAll(earlier);
            }
            // An earlier failure stays told, so that a report does not hide how often a run was repeated.
            if (report.failedEarlier().contains(name) || (!hasPassed && !earlier.isEmpty())) {
                again.add(name);
            }
        }
        return new EarlierAttacks(kept, List.copyOf(again));
    }

    /** Whether the attack needs no run. */
    boolean has(Attack attack) {
        return kept.stream().anyMatch(each -> each.name().equals(attack.name()));
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
