package org.amo.core.replica;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The feature levels that a build of amo speaks (docs/decisions/0149-feature-level.md). A group has one level, which is a part of its
 * state and is never lowered. A level names the forms of entries and snapshots that members may write, so that members of two
 * builds can run beside each other.
 *
 * @param lowest level of a group that this build can be a member of
 * @param highest the same
 * @param most the level up to which this member lets its group come; at most {@code highest}
 */
public record FeatureLevels(int lowest, int highest, int most) {
    /** The level of a group that nothing has raised. */
    public static final int FIRST = 1;

    /** A level in words. */
    static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

    /** Those of this build. A release that writes a form which the one before cannot read raises {@code highest}. */
    public static final FeatureLevels OF_BUILD = new FeatureLevels(FIRST, FIRST);

    /** @throws IllegalArgumentException naming the level that cannot be */
    public FeatureLevels {
        if (lowest < FIRST || highest < lowest) {
            throw new IllegalArgumentException(
                    "a build speaks levels from " + FIRST + " on: " + lowest + ".." + highest);
        }
        if (most < lowest || most > highest) {
            throw new IllegalArgumentException("this version of amo speaks feature levels " + words(lowest, highest)
                    + ", and --feature-level (amo.featureLevel) is " + most + "; write auto, or a number from "
                    + lowest + " on");
        }
    }

    /** A build that lets its group come as far as it can. */
    public FeatureLevels(int lowest, int highest) {
        this(lowest, highest, highest);
    }

    /**
     * The same build with a bound that an operator has set.
     *
     * @param bound empty for none. One above the highest level changes nothing
     * @throws IllegalArgumentException in one line if it is below the lowest level
     */
    public FeatureLevels upTo(OptionalInt bound) {
        return new FeatureLevels(lowest, highest, Math.min(highest, bound.orElse(highest)));
    }

    /**
     * The bound in the words of {@code --feature-level}; empty for {@code auto}.
     *
     * @throws IllegalArgumentException in one line if it is neither {@code auto} nor a number
     */
    public static OptionalInt boundOf(String text) {
        if (text.equals("auto")) {
            return OptionalInt.empty();
        }
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException("'" + text + "' is no feature level; write auto, or a number from "
                    + FIRST + " on as the highest level that this member lets its group come to");
        }
        return OptionalInt.of(Integer.parseInt(text));
    }

    /** Whether this build can be a member of a group of that level. */
    boolean speaks(int level) {
        return level >= lowest && level <= highest;
    }

    /** The cause and the remedy, behind the name of a member, if this build does not speak the level of its group; else empty. */
    Optional<String> obstacle(int level) {
        if (speaks(level)) {
            return Optional.empty();
        }
        return Optional.of(
                "runs a version of amo for feature levels " + words(lowest, highest) + ", and its group is at level "
                        + level + "; start it with "
                        + (level > highest
                                ? "the version that the other members run"
                                : "a version for level " + level + ", and upgrade without leaving a version out")
                        + " (docs/how-to/upgrade.md)");
    }

    private static String words(int lowest, int highest) {
        return lowest == highest ? Integer.toString(lowest) : lowest + " to " + highest;
    }
}
