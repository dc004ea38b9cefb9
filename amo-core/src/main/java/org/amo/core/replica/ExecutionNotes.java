package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The execution notes of a member, in memory that outlives its process (a mapped file, docs/wire/execution-notes.md): the
 * request that runs now, the last one that ended, and the requests that the member must not begin. A request that began and
 * did not end ended the process. One death proves nothing, because an operator may have killed the process. After the second
 * death, or after the first if the request's own error was seen ({@link #failed}) or the process ended for want of memory while
 * no other request ran, the member reports that it died of the request and does not begin it again. Deaths in other requests change
 * nothing about that.
 *
 * <p>The notes of executions survive the end of the process, not a loss of power. If the note of a begun request is lost, the
 * member needs one death more. If the executions of an earlier process are unknown ({@link #knowsHowFarItRan}), all requests
 * count as executed that were ordered before this process took part. Held and skipped requests, and those that the member died
 * of, are promises: they survive a loss of power, and damage to one of their two copies. A copy may also be whole and old, if
 * the disk lost a write that it had reported. So each copy has a generation, and the newer one holds. Another promise stands
 * there, too: a member that diverged answers no client until it is equal to the majority.
 *
 * <p>A snapshot makes the notes of the requests that it covers needless, and it may be lost later. So the promises say up to which
 * position they rest on a snapshot ({@link #coveredPosition}).
 *
 * <p>Not safe for several threads: the caller has a lock.
 */
public final class ExecutionNotes {
    /** Bytes of memory that it needs. */
    public static final int BYTES = NotesMemory.BYTES;

    /** So many executions may run at once: each has a note of its own. */
    public static final int MOST_AT_ONCE = 32;

    /** So many deaths in one request are no accident. */
    static final int DEATHS = 2;

    private static final int MOST_HELD = 32;
    private static final int MOST_DIED = 32;
    private static final int MOST_SKIPPED = 200;
    private static final int MOST_SKIPPED_HERE = 10_000;
    private static final int DEAD_RAN = 1 << 31;

    /** Numbers in the note of a request that runs: it overflowed the stack, or found no memory, and that ends the process. */
    private static final int OWN_ERROR = 1;

    private static final int NO_MEMORY = 2;

    private final NotesMemory memory;
    private final long boot;

    private final TreeSet<Place> held = new TreeSet<>();
    private final TreeSet<Place> skipped = new TreeSet<>();

    /** Those that the group skipped in the order that this process has seen: more than there is room to note. */
    private final TreeSet<Place> skippedHere = new TreeSet<>();

    /**
     * Requests that ended this member as often as is no accident; and whether a process before those deaths had executed it, or may
     * have.
     */
    private final TreeMap<Place, Boolean> died = new TreeMap<>();

    /** The request in which this member died last, and how often in succession, if that may be an accident. */
    private Optional<Place> dead;

    private int deaths;

    /** Whether a process before those deaths had executed it, or may have. */
    private boolean deadRan;

    /** The one of {@link #died} that ended only the process before this one, for want of memory. */
    private Optional<Place> deadOnce = Optional.empty();

    /** Whether this process or an earlier one dropped the note of a skipped request that no snapshot covers. */
    private boolean lostSkips;

    /** Whether this process may not have heard of each skipped request in its log. */
    private boolean lacksSkips;

    /** Position up to which a snapshot has the state of this process. */
    private long restoredPosition;

    /** Up to it, notes were dropped or never made since a snapshot covered their requests; 0 for none. */
    private long coveredPosition;

    /** The mark at which this member diverged last; 0 for none. */
    private long divergedAt;

    /** Whether it has not been equal to the majority since. */
    private boolean diverged;

    /** Last request that earlier processes executed, or that a snapshot covers. */
    private Optional<Place> ran = Optional.empty();

    private boolean knowsHowFarItRan = true;
    private boolean hasTakenPart;

    /** The latest request that began, or was admitted, in this process. */
    private Optional<Place> begun = Optional.empty();

    /** The latest request that may have ended a process: requests up to it run alone. */
    private Optional<Place> alone = Optional.empty();

    /** Another version of amo wrote the promises: they are whole, and this version cannot read them. */
    public static final class OtherVersionException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        private final int version;

        OtherVersionException(int version) {
            super("version " + version);
            this.version = version;
        }

        /** That of the promises. */
        public int version() {
            return version;
        }
    }

    /** Whether a request may run now. */
    public enum Turn {
        /** It has been noted: run it, then say that it ended. */
        RUN,
        /** It is never run. */
        SKIP,
        /** Ask again when something is said of it. */
        WAIT
    }

    /**
     * Reads the notes of an earlier process, if the memory holds any.
     *
     * @param bytes so many as {@link #BYTES}
     * @param force returns when the memory would survive a loss of power
     * @param boot another one after each loss of power
     * @param outOfMemory whether the virtual machine of the earlier process ended because it had no memory
     * @throws OtherVersionException when another version of amo wrote the promises
     * @throws IllegalStateException in one line when both copies of the promises are damaged
     */
    public ExecutionNotes(ByteBuffer bytes, Runnable force, long boot, boolean outOfMemory) {
        this.memory = new NotesMemory(bytes, force);
        this.boot = boot;
        boolean powerHeld = memory.isFresh() || readPromises() == boot;
        dead = memory.read(NotesMemory.DEAD_AT);
        int noted = dead.isPresent() ? memory.number(NotesMemory.DEAD_AT) : 0;
        deaths = noted & ~DEAD_RAN;
        deadRan = (noted & DEAD_RAN) != 0;
        boolean endKnown = memory.isWhole(NotesMemory.ENDED_AT);
        Optional<Place> ended = memory.read(NotesMemory.ENDED_AT);
        Optional<Place> running = memory.read(NotesMemory.RUNNING_AT);
        int error = memory.number(NotesMemory.RUNNING_AT);
        SortedMap<Place, Integer> atOnce = readAtOnce();
        if (!powerHeld) {
            // Unforced notes may be old.
            running = Optional.empty();
            atOnce.clear();
            if (deaths < DEATHS) {
                dead.ifPresent(this::forgetCount);
            }
        } else if (!endKnown) {
            // The process was killed when it noted the end of the request that ran.
            ended = running;
            endKnown = running.isPresent();
        }
        if (hasTakenPart) {
            ended.ifPresent(this::raiseRan);
            knowsHowFarItRan &= powerHeld && endKnown;
        }
        // Left by a version before the fifth, or by a process without room for it.
        boolean hasRoom = died.size() < MOST_DIED;
        Optional<Place> certain = dead.filter(place -> deaths >= DEATHS && hasRoom);
        certain.filter(place -> !skipped.contains(place)).ifPresent(place -> died.put(place, deadRan));
        // The copies may differ, after a crash between them.
        writePromises();
        certain.ifPresent(this::forgetCount);
        memory.clear(NotesMemory.RUNNING_AT);
        memory.clear(NotesMemory.ENDED_AT);
        Optional<Place> last = ended;
        atOnce.keySet().removeIf(place -> isBehind(last, place));
        if (!running.equals(ended)) {
            running.ifPresent(place -> atOnce.put(place, error));
        }
        diedIn(atOnce, outOfMemory);
    }

    /** Where an earlier process did not end for want of memory. */
    public ExecutionNotes(ByteBuffer bytes, Runnable force, long boot) {
        this(bytes, force, boot, false);
    }

    /** The requests that ran beside each other, and the error of each that was seen; 0 for none. */
    private SortedMap<Place, Integer> readAtOnce() {
        SortedMap<Place, Integer> atOnce = new TreeMap<>();
        for (int slot = 0; slot < MOST_AT_ONCE; slot++) {
            int at = NotesMemory.atOnceAt(slot);
            int error = memory.number(at);
            memory.read(at).ifPresent(place -> atOnce.put(place, error));
            memory.clear(at);
        }
        return atOnce;
    }

    /**
     * These requests ran when the process ended. If there are several and no error was seen, any of them may be the cause: none is
     * counted, and the next process runs all requests up to the last of them one by one.
     */
    private void diedIn(SortedMap<Place, Integer> suspects, boolean outOfMemory) {
        if (!suspects.isEmpty()) {
            alone = Optional.of(suspects.lastKey());
        }
        Optional<Map.Entry<Place, Integer>> seen = suspects.entrySet().stream()
                .filter(each -> each.getValue() != 0)
                .findFirst();
        if (seen.isPresent()) {
            diedIn(seen.get().getKey(), seen.get().getValue());
        } else if (suspects.size() == 1) {
            diedIn(suspects.firstKey(), outOfMemory ? NO_MEMORY : 0);
        }
        dead.filter(place -> !isBehind(alone, place)).ifPresent(place -> alone = Optional.of(place));
        if (!died.isEmpty() && !isBehind(alone, died.lastKey())) {
            alone = Optional.of(died.lastKey());
        }
    }

    /** @param error that proves it; 0 for none */
    private void diedIn(Place place, int error) {
        boolean again = dead.equals(Optional.of(place));
        int deathsNow = error == 0 ? 1 : DEATHS;
        deaths = again ? deaths + deathsNow : deathsNow;
        deadOnce = Optional.of(place).filter(each -> error == NO_MEMORY && !again);
        deadRan = (again && deadRan) || !knowsHowFarItRan || isBehind(ran, place);
        dead = Optional.of(place);
        if (deaths >= DEATHS && died.size() < MOST_DIED) {
            died.put(place, deadRan);
            writePromises();
            forgetCount(place);
        } else {
            writeCount(place);
            memory.force();
        }
    }

    private void writeCount(Place place) {
        memory.write(NotesMemory.DEAD_AT, place, deadRan ? deaths | DEAD_RAN : deaths);
    }

    private void raiseRan(Place place) {
        if (ran.isEmpty() || ran.get().compareTo(place) < 0) {
            ran = Optional.of(place);
        }
    }

    /** Whether an earlier process took part in the group: clients may have its replies. */
    public boolean hasTakenPart() {
        return hasTakenPart;
    }

    /** The last request that earlier processes executed, or may have; clients may have the replies up to there. */
    public Optional<Place> ran() {
        return ran;
    }

    /** If false, the member reports on no request before {@link #takesPart}. */
    public boolean knowsHowFarItRan() {
        return knowsHowFarItRan;
    }

    /**
     * An entry of this process stands at that position: earlier processes executed nothing behind it. On disk when this
     * returns; the member sends no reply before.
     */
    public void takesPart(long position) {
        lacksSkips = false;
        if (hasTakenPart && knowsHowFarItRan) {
            return;
        }
        if (!knowsHowFarItRan) {
            raiseRan(new Place(position, Integer.MAX_VALUE));
        }
        hasTakenPart = true;
        knowsHowFarItRan = true;
        writePromises();
    }

    /** The memory belongs to the notes of another process now, or of another life in this one: these write nothing to it any more. */
    public void detach() {
        memory.detach();
    }

    /** Whether no earlier life of this member left any notes. */
    public boolean isFresh() {
        return memory.isFresh();
    }

    /** Whether a part of the notes was damaged: they are whole again. */
    public boolean wasDamaged() {
        return memory.wasDamaged();
    }

    /** If false, a request that begins before {@link #takesPart} may be one that the group skipped. */
    public boolean knowsAllSkips() {
        return !lacksSkips;
    }

    /**
     * A process that begins before this position has lost a snapshot, and may begin requests that the group skipped or that an
     * earlier process promised to hold; 0 if there is none.
     */
    public long coveredPosition() {
        return coveredPosition;
    }

    /** The requests that ended this member twice, or once by an error of their own or for want of memory; rising. */
    public List<Place> died() {
        return List.copyOf(died.keySet());
    }

    /**
     * Whether one of {@link #died} ended only the process before this one, for want of memory: other work may have taken the memory. If
     * others executed it, this member may run it again before it takes their state.
     */
    public boolean diedOnce(Place place) {
        return died.containsKey(place) && deadOnce.equals(Optional.of(place));
    }

    /** Whether an earlier process had executed one of {@link #died}, or may have: then a client may have its reply. */
    public boolean diedOfWhatRan(Place place) {
        return died.getOrDefault(place, false);
    }

    /** Those that this member said it would not begin. */
    public List<Place> held() {
        return List.copyOf(held);
    }

    /** Before each execution of a member that runs one at a time. */
    public Turn begin(Place place) {
        Turn turn = admit(place);
        if (turn == Turn.RUN) {
            memory.write(NotesMemory.RUNNING_AT, place, 0);
        }
        return turn;
    }

    /**
     * The same where several run at once, in the order of the places: from here on the request counts as begun. It is noted by
     * {@link #begins} when it begins.
     */
    public Turn admit(Place place) {
        if (isSkipped(place)) {
            return Turn.SKIP;
        }
        if (mustWait(place)) {
            return Turn.WAIT;
        }
        begun = Optional.of(place);
        return Turn.RUN;
    }

    /** Whether it may not begin before something is said of it. */
    public boolean mustWait(Place place) {
        return !isSkipped(place) && (held.contains(place) || died.containsKey(place));
    }

    private boolean isSkipped(Place place) {
        return skipped.contains(place) || skippedHere.contains(place);
    }

    /** Whether it must not run beside others, because it may have ended an earlier process. */
    public boolean runsAlone(Place place) {
        return isBehind(alone, place);
    }

    /** @param slot of its thread, from 0 to below {@link #MOST_AT_ONCE} */
    public void begins(int slot, Place place) {
        memory.write(NotesMemory.atOnceAt(slot), place, 0);
    }

    /** The same as {@link #failed(Place)}. */
    public void failed(int slot, Place place) {
        memory.write(NotesMemory.atOnceAt(slot), place, OWN_ERROR);
    }

    /** It has run to its end. {@link #ended(Place)} follows once all before it have, and before its reply leaves. */
    public void ends(int slot, Place place) {
        memory.clear(NotesMemory.atOnceAt(slot));
        forgetDeaths(place);
    }

    /**
     * The request that began overflowed its stack, and ends the process. No operator did that, so it counts as if the request had ended
     * the process twice.
     */
    public void failed(Place place) {
        memory.write(NotesMemory.RUNNING_AT, place, OWN_ERROR);
    }

    /** The same of a request that ran alone and found no memory. */
    public void foundNoMemory(Place place) {
        memory.write(NotesMemory.RUNNING_AT, place, NO_MEMORY);
    }

    /** The request that began has run to its end; where several run at once, all before it have, too. */
    public void ended(Place place) {
        memory.write(NotesMemory.ENDED_AT, place, 0);
        forgetDeaths(place);
    }

    /** The request that began waits for other members: if the process ends now, the request is not the cause. */
    public void waits() {
        memory.clear(NotesMemory.RUNNING_AT);
    }

    /** The request that began waits no longer. */
    public void goesOn(Place place) {
        memory.write(NotesMemory.RUNNING_AT, place, 0);
    }

    /** The process ends as it was asked to, even while a request runs. */
    public void left() {
        memory.clear(NotesMemory.RUNNING_AT);
        for (int slot = 0; slot < MOST_AT_ONCE; slot++) {
            memory.clear(NotesMemory.atOnceAt(slot));
        }
    }

    /**
     * Does not begin it until it is skipped or let go. On disk when this returns.
     *
     * @return false if it has begun, or may have run in an earlier process, or there is no room to note it
     */
    public boolean hold(Place place) {
        if (!knowsHowFarItRan || isBehind(begun, place) || isBehind(ran, place)) {
            return false;
        }
        if (!held.contains(place) && held.size() >= MOST_HELD) {
            return false;
        }
        held.add(place);
        writePromises();
        return true;
    }

    /**
     * Never begins it; on disk when this returns.
     *
     * @return whether it has begun in this process; if so, the state of the process is worth nothing
     */
    public boolean skip(Place place) {
        boolean tooLate = isBehind(begun, place) && !isSkipped(place);
        skippedHere.add(place);
        if (skippedHere.size() > MOST_SKIPPED_HERE) {
            skippedHere.pollFirst();
        }
        skipped.add(place);
        if (skipped.size() > MOST_SKIPPED) {
            // Not this one: a replay may be about to come to it.
            Place oldest = skipped.first().equals(place) ? skipped.higher(place) : skipped.first();
            skipped.remove(oldest);
            if (oldest.position() > restoredPosition) {
                lostSkips = true;
            } else {
                cover(restoredPosition);
            }
        }
        held.remove(place);
        died.remove(place);
        writePromises();
        forgetCount(place);
        return tooLate;
    }

    /** It may begin again, and its deaths are counted anew; the one of {@link #diedOnce} stays counted. */
    public void letGo(Place place) {
        boolean once = diedOnce(place);
        boolean wasHeld = held.remove(place);
        boolean endedIt = died.remove(place) != null;
        if (wasHeld || endedIt) {
            writePromises();
        }
        if (once) {
            dead = deadOnce;
            deaths = 1;
            writeCount(place);
        } else {
            forgetCount(place);
        }
    }

    /**
     * The state is that of a snapshot: nothing up to its position will begin while there is one.
     *
     * @param maySkip whether it covers requests that the group skipped, or may: this member has not heard of all
     */
    public void restored(long position, boolean maySkip) {
        restoredPosition = position;
        boolean forgets = held.removeIf(place -> place.position() <= position);
        forgets |= died.keySet().removeIf(place -> place.position() <= position);
        if (forgets || maySkip) {
            cover(position);
        }
        Place last = new Place(position, Integer.MAX_VALUE);
        raiseRan(last);
        writePromises();
        dead.filter(place -> place.position() <= position).ifPresent(this::forgetCount);
        if (!isBehind(begun, last)) {
            begun = Optional.of(last);
        }
    }

    private void cover(long position) {
        coveredPosition = Math.max(coveredPosition, position);
    }

    /** This member differs from the majority at that mark. On disk when this returns. */
    public void diverged(long mark) {
        divergedAt = mark;
        diverged = true;
        writePromises();
    }

    /** It is equal to the majority again. */
    public void equalAgain() {
        diverged = false;
        writePromises();
    }

    /** The mark at which it diverged last, whether it was repaired since or not; 0 if it never did. */
    public long divergedAt() {
        return divergedAt;
    }

    /** Whether it has not been equal to the majority since. */
    public boolean isDiverged() {
        return diverged;
    }

    private static boolean isBehind(Optional<Place> latest, Place place) {
        return latest.isPresent() && latest.get().compareTo(place) >= 0;
    }

    /** It ran to its end: a loss of power must not bring back that it did not. */
    private void forgetDeaths(Place place) {
        if (died.remove(place) != null) {
            writePromises();
        }
        forgetCount(place);
    }

    private void forgetCount(Place place) {
        if (dead.equals(Optional.of(place))) {
            dead = Optional.empty();
            memory.clear(NotesMemory.DEAD_AT);
            if (deaths >= DEATHS) {
                memory.force();
            }
        }
    }

    /** @return the boot of the process that wrote them */
    private long readPromises() {
        NotesMemory.Promises promises = memory.readPromises();
        hasTakenPart = promises.hasTakenPart();
        knowsHowFarItRan = promises.knowsHowFarItRan();
        ran = promises.ran();
        lostSkips = promises.lostSkips();
        lacksSkips = lostSkips;
        held.addAll(promises.held());
        skipped.addAll(promises.skipped());
        died.putAll(promises.died());
        coveredPosition = promises.coveredPosition();
        divergedAt = promises.divergedAt();
        diverged = promises.diverged();
        return promises.boot();
    }

    private void writePromises() {
        memory.writePromises(new NotesMemory.Promises(
                boot,
                hasTakenPart,
                knowsHowFarItRan,
                lostSkips,
                ran,
                held,
                skipped,
                died,
                coveredPosition,
                divergedAt,
                diverged));
    }
}
