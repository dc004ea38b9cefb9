package org.amo.determinism.agent;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The kinds of nondeterminism that the agent removes; each can be switched off. */
public enum Kind {
    /** Clocks, and the waiting that moves them on. */
    TIME,
    /** Random numbers and ids. */
    RANDOM,
    /** Identity hashes, and with them the order of hash tables. */
    IDENTITY,
    /** The process's default locale, charset and time zone: the members compare them. The agent replaces nothing for it. */
    DEFAULTS;

    /** The kind's name in options. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads {@code all}, {@code none}, or a list such as {@code time,random}.
     *
     * @throws IllegalArgumentException in one line
     */
    public static Set<Kind> parse(String text) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        if (text.equals("none")) {
            return kinds;
        }
        if (text.equals("all")) {
            return EnumSet.allOf(Kind.class);
        }
        for (String word : text.split(",", -1)) {
            kinds.add(Arrays.stream(values())
                    .filter(kind -> kind.word().equals(word.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("'" + text + "' must be all, none, or some of "
                            + Arrays.stream(values()).map(Kind::word).collect(Collectors.joining(",")))));
        }
        return kinds;
    }

    /** Writes kinds as {@link #parse} reads them, and equal ones alike. */
    public static String format(Set<Kind> kinds) {
        if (kinds.isEmpty()) {
            return "none";
        }
        return kinds.size() == values().length
                ? "all"
                : Arrays.stream(values())
                        .filter(kinds::contains)
                        .map(Kind::word)
                        .collect(Collectors.joining(","));
    }
}
