package org.amo.testkit.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.amo.base.Stable;

/**
 * The results of a check. Immutable.
 *
 * @param summary the size of the checked history, in one line
 */
@Stable
public record CheckReport(String summary, List<Result> results) {
    private static final int SHOWN = 5;

    /**
     * One rule.
     *
     * @param rule its name
     * @param promise the promise that it checks
     * @param checked false where the history has nothing that it could be checked on
     * @param violations one line for each
     */
    @Stable
    public record Result(String rule, String promise, boolean checked, List<String> violations) {
        public Result {
            violations = List.copyOf(violations);
        }
    }

    public CheckReport {
        results = List.copyOf(results);
    }

    /** Whether every rule holds that could be checked. */
    public boolean passed() {
        return violations() == 0;
    }

    public long violations() {
        return results.stream().mapToLong(result -> result.violations().size()).sum();
    }

    /** How often one rule was broken. */
    public long violations(String rule) {
        return results.stream()
                .filter(result -> result.rule().equals(rule))
                .mapToLong(result -> result.violations().size())
                .sum();
    }

    /** For a person; a line a rule, with the first violations below. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(summary));
        for (Result result : results) {
            String word = !result.violations().isEmpty() ? "FAIL" : result.checked() ? "ok" : "none";
            lines.add(String.format(Locale.ROOT, "%-4s  %-12s  %s", word, result.rule(), result.promise()));
            result.violations().stream().limit(SHOWN).forEach(text -> lines.add("      " + text));
            if (result.violations().size() > SHOWN) {
                lines.add("      and " + (result.violations().size() - SHOWN) + " more");
            }
        }
        return lines;
    }
}
