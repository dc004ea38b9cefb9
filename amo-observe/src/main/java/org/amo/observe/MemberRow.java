package org.amo.observe;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One member on the page.
 *
 * @param status empty if it did not answer
 * @param lag entries that the most advanced member is ahead; 0 without an answer
 * @param callsPerSecond empty while the member has not been asked twice in the same life
 */
record MemberRow(String id, Optional<StatusFields> status, long lag, OptionalDouble callsPerSecond) {
    /** Statuses are not taken at one moment: a smaller distance is none. The bound of readiness, too. */
    static final long MOST_BEHIND = 1_000;

    private static final int DIGITS_OF_DIGEST = 8;
    private static final String NONE = "–";

    /** The kinds of row, which the style sheet tells apart. */
    enum Kind {
        LEADER("leads"),
        FOLLOWER("serves"),
        BEHIND("catches up"),
        JOINING("joins"),
        TROUBLED(""),
        ABSENT("no answer");

        private final String state;

        Kind(String state) {
            this.state = state;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Kind kind() {
        if (status.isEmpty()) {
            return Kind.ABSENT;
        }
        StatusFields now = status.get();
        if (!complaint().isEmpty()) {
            return Kind.TROUBLED;
        }
        if (!now.has("leader")) {
            return Kind.JOINING;
        }
        if (lag > MOST_BEHIND || now.number("position") - now.number("executedPosition") > MOST_BEHIND) {
            return Kind.BEHIND;
        }
        return leads() ? Kind.LEADER : Kind.FOLLOWER;
    }

    /** As it says itself. */
    boolean leads() {
        return status.filter(now -> now.text("leader").equals(id)).isPresent();
    }

    /** The fault of its disk, or its difference from the others. */
    String complaint() {
        return status.map(now -> now.text("trouble").isEmpty() ? now.text("divergence") : now.text("trouble"))
                .orElse("");
    }

    long position() {
        return number("position");
    }

    long number(String field) {
        return status.map(now -> now.number(field)).orElse(0L);
    }

    /** In the order of the table's head. */
    List<String> cells() {
        if (status.isEmpty()) {
            return List.of(id, NONE, NONE, NONE, NONE, NONE, NONE, Kind.ABSENT.state);
        }
        String digest = status.get().text("digest");
        return List.of(
                id,
                role(),
                PageFormat.count(number("position")),
                PageFormat.count(lag),
                digest.substring(0, Math.min(DIGITS_OF_DIGEST, digest.length())),
                callsPerSecond.isPresent() ? PageFormat.rate(callsPerSecond.getAsDouble()) : NONE,
                number("replyMicrosP99") == 0 ? NONE : PageFormat.time(number("replyMicrosP99")),
                state());
    }

    private String role() {
        String role = leads() ? "leader" : "follower";
        return status.get().text("primary").equals(id) ? role + ", primary" : role;
    }

    private String state() {
        Kind kind = kind();
        if (kind == Kind.TROUBLED) {
            return complaint();
        }
        boolean alone = kind == Kind.FOLLOWER && status.get().text("leader").isEmpty();
        return alone ? "knows no leader" : kind.state;
    }
}
