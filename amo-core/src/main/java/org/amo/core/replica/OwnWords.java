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
    private static final long LONG_MILLIS = 10_000;

    /** Requests that do not begin here: DIED, RAN or HELD. A death outweighs a promise. */
    private final TreeMap<Place, Word> stopped = new TreeMap<>();

    private final Map<Place, Long> saidAtMillis = new HashMap<>();
    private final Map<Place, Long> heldSinceMillis = new HashMap<>();

    /** How often members that executed it had no state to give. */
    private final Map<Place, Integer> withoutState = new HashMap<>();

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
        heldSinceMillis.remove(place);
        withoutState.remove(place);
    }

    /** A member that executed it has no state to give. @return how often that was so */
    int withoutState(Place place) {
        int times = timesWithoutState(place) + 1;
        withoutState.put(place, times);
        return times;
    }

    int timesWithoutState(Place place) {
        return withoutState.getOrDefault(place, 0);
    }

    boolean lacksState(Place place) {
        return timesWithoutState(place) > 0;
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

    /** Whether it has been held for long since this was first asked. */
    boolean isHeldForLong(Place place, long nowMillis) {
        return isHolding(place)
                && nowMillis - heldSinceMillis.computeIfAbsent(place, first -> nowMillis) >= LONG_MILLIS;
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
