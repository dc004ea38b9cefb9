package org.amo.core.replica;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Holds the reports of one member on requests that ended members, and when they are due. Local: the knowledge of this
 * process and its earlier lives. The words are truthful, since the group's verdict rests on them: a request that is held or
 * that ended this member does not begin here until the verdict. One thread owns it.
 */
final class OwnWords {
    private static final long REPEAT_MILLIS = 1_000;

    /** Requests that do not begin here: DIED, RAN or HELD. A death outweighs a promise. */
    private final TreeMap<Place, Word> stopped = new TreeMap<>();

    private final Map<Place, Long> saidAtMillis = new HashMap<>();

    void died(Place place) {
        stopped.put(place, Word.DIED);
    }

    void diedOfWhatRan(Place place) {
        stopped.put(place, Word.RAN);
    }

    void held(Place place) {
        stopped.putIfAbsent(place, Word.HELD);
    }

    /** It is decided, or it has run here. */
    void settled(Place place) {
        stopped.remove(place);
        saidAtMillis.remove(place);
    }

    /** Nothing behind the first of these runs here. */
    boolean isHolding() {
        return !stopped.isEmpty();
    }

    boolean isHolding(Place place) {
        return stopped.containsKey(place);
    }

    List<Place> places() {
        return List.copyOf(stopped.keySet());
    }

    /**
     * The report on a request that this process has not executed; empty while the request may still begin, or runs.
     *
     * @param ran whether an earlier process executed it, or may have
     */
    Optional<Word> of(Place place, boolean ran, boolean blocked) {
        Word word = stopped.get(place);
        if (word != null) {
            return Optional.of(word == Word.HELD && blocked ? Word.BLOCKED : word);
        }
        if (!ran) {
            return Optional.empty();
        }
        // Replay is about to execute it again, unless it stops at an earlier request.
        return Optional.of(stopped.lowerKey(place) == null ? Word.EXECUTED : Word.RAN);
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
