package org.amo.base.observe;

import java.util.Optional;

/**
 * Whether a component serves.
 *
 * @param obstacle the reason why it does not, in one line; empty if it serves
 */
public record Readiness(Optional<String> obstacle) {
    /** It serves. */
    public static final Readiness READY = new Readiness(Optional.empty());

    public Readiness {
        obstacle = obstacle.map(line -> line.strip().replaceAll("\\s*\\R\\s*", " "));
    }

    /** It does not serve, for this reason. */
    public static Readiness not(String why) {
        return new Readiness(Optional.of(why));
    }

    /** Whether it serves. */
    public boolean isReady() {
        return obstacle.isEmpty();
    }
}
