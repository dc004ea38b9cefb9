package org.amo.core.replica;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What one member has to say of requests that ended members, and when. Local: what this process and its earlier lives
 * know. The words are truthful, since the group's verdict rests on them: a request that is held or that ended this member
 * does not begin here until the verdict. One thread owns it.
 */
final class OwnWords {
    private static final long REPEAT_MILLIS = 1_000;

    private final TreeSet<Place> died = new TreeSet<>();
    private final TreeSet<Place> diedOfWhatRan = new TreeSet<>();
    private final TreeSet<Place> held = new TreeSet<>();
    private final Map<Place, Long> saidAtMillis = new HashMap<>();

    void died(Place place) {
        died.add(place);
    }

    void diedOfWhatRan(Place place) {
        diedOfWhatRan.add(place);
    }

    void held(Place place) {
        held.add(place);
    }

    /** It is decided, or it has run here. */
    void settled(Place place) {
        died.remove(place);
        diedOfWhatRan.remove(place);
        held.remove(place);
        saidAtMillis.remove(place);
    }

    /** Nothing behind the first of these runs here. */
    boolean isHolding() {
        return !died.isEmpty() || !diedOfWhatRan.isEmpty() || !held.isEmpty();
    }

    boolean isHolding(Place place) {
        return died.contains(place) || diedOfWhatRan.contains(place) || held.contains(place);
    }

    List<Place> places() {
        TreeSet<Place> all = new TreeSet<>(died);
        all.addAll(diedOfWhatRan);
        all.addAll(held);
        return List.copyOf(all);
    }

    /**
     * The report on a request that this process has not executed; empty while the request may still begin, or runs.
     *
     * @param ran whether an earlier process executed it, or may have
     */
    Optional<Word> of(Place place, boolean ran, boolean blocked) {
        if (diedOfWhatRan.contains(place)) {
            return Optional.of(Word.RAN);
        }
        if (died.contains(place)) {
            return Optional.of(Word.DIED);
        }
        if (held.contains(place)) {
            return Optional.of(blocked ? Word.BLOCKED : Word.HELD);
        }
        if (!ran) {
            return Optional.empty();
        }
        // Replay is about to execute it again, unless it stops at an earlier request.
        boolean holdsBefore = places().stream()
                .findFirst()
                .filter(first -> first.compareTo(place) < 0)
                .isPresent();
        return Optional.of(holdsBefore ? Word.RAN : Word.EXECUTED);
    }

    /** Whether it is time to say it, or to ask about it, again; then it counts as said. */
    boolean isDue(Place place, long nowMillis) {
        Long before = saidAtMillis.get(place);
        if (before != null && nowMillis - before < REPEAT_MILLIS) {
            return false;
        }
        saidAtMillis.put(place, nowMillis);
        return true;
    }
}
