package org.amo.testkit.fault;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One fault: at the n-th passage of a point, do something. Written {@code POINT:N:ACTION}, or
 * {@code POINT:N:ACTION:MILLIS} where a time is needed; several are separated by commas.
 *
 * @param nth passage of this process, from 1
 * @param millis how long a delay or a partition lasts, or how much later the duplicate of a request arrives (0: at
 *     once); 0 for the others
 */
public record FaultRule(FaultPoint point, long nth, FaultAction action, long millis) {
    private static final Set<FaultAction> LASTING = Set.of(FaultAction.DELAY, FaultAction.PARTITION);
    private static final long LONGEST_MILLIS = 3_600_000;

    /** @throws IllegalArgumentException in one line that gives the remedy */
    public FaultRule {
        if (nth < 1) {
            throw new IllegalArgumentException("passages are counted from 1, not " + nth);
        }
        boolean late = action == FaultAction.DUPLICATE && point != FaultPoint.BEFORE_SACK;
        if (millis < 0 || millis > LONGEST_MILLIS || (!late && LASTING.contains(action) != (millis > 0))) {
            throw new IllegalArgumentException(
                    LASTING.contains(action)
                            ? action.word() + " needs its milliseconds, 1 to " + LONGEST_MILLIS + ", for example "
                                    + point.word() + ":" + nth + ":" + action.word() + ":500"
                            : action.word() + " takes no time; write " + point.word() + ":" + nth + ":"
                                    + action.word());
        }
        if (action == FaultAction.EXHAUST && point != FaultPoint.AFTER_ORDER && point != FaultPoint.AFTER_EXECUTE) {
            throw new IllegalArgumentException("exhaust is for after-order and after-execute, where the servant runs");
        }
        if (point == FaultPoint.AFTER_REPLY && action == FaultAction.DELAY) {
            throw new IllegalArgumentException("after-reply has nothing to delay; write before-reply");
        }
    }

    /** @throws IllegalArgumentException in one line that quotes the bad part */
    public static List<FaultRule> parseList(String text) {
        List<FaultRule> rules = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                rules.add(parse(part.strip()));
            }
        }
        return List.copyOf(rules);
    }

    /** As {@link #parseList} reads it. */
    @Override
    public String toString() {
        return point.word() + ":" + nth + ":" + action.word() + (millis > 0 ? ":" + millis : "");
    }

    private static FaultRule parse(String part) {
        String[] words = part.split(":", -1);
        if (words.length != 3 && words.length != 4) {
            throw new IllegalArgumentException(
                    "not a fault: '" + part + "'; write POINT:N:ACTION[:MILLIS], for example after-order:3:kill");
        }
        try {
            return new FaultRule(
                    find(FaultPoint.values(), words[0]),
                    Long.parseLong(words[1]),
                    find(FaultAction.values(), words[2]),
                    words.length == 4 ? Long.parseLong(words[3]) : 0);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "not a fault: '" + part + "'; a number is wrong, write for example after-order:3:kill", e);
        }
    }

    private static <E extends Enum<E>> E find(E[] all, String word) {
        return Arrays.stream(all)
                .filter(each -> word(each).equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + word + "' is none of "
                        + Arrays.stream(all).map(FaultRule::word).collect(Collectors.joining(", "))));
    }

    private static String word(Enum<?> each) {
        return each instanceof FaultPoint point ? point.word() : ((FaultAction) each).word();
    }
}
