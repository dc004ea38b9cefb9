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
    private final TreeSet<Place> held = new TreeSet<>();
    private final Map<Place, Long> saidAtMillis = new HashMap<>();

    void died(Place place) {
        died.add(place);
    }

    void held(Place place) {
        held.add(place);
    }

    /** It is decided, or it has run here. */
    void settled(Place place) {
        died.remove(place);
        held.remove(place);
        saidAtMillis.remove(place);
    }

    /** Nothing behind the first of these runs here. */
    boolean isHolding() {
        return !died.isEmpty() || !held.isEmpty();
    }

    List<Place> places() {
        TreeSet<Place> all = new TreeSet<>(died);
        all.addAll(held);
        return List.copyOf(all);
    }

    /** Empty while it may still begin, or runs. */
    Optional<Word> of(Place place, boolean executed) {
        if (executed) {
            return Optional.of(Word.EXECUTED);
        }
        if (died.contains(place)) {
            return Optional.of(Word.DIED);
        }
        return held.contains(place) ? Optional.of(Word.HELD) : Optional.empty();
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
