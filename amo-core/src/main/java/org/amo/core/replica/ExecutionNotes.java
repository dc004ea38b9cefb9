package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What a member notes of its executions, in memory that outlives its process (a mapped file, docs/wire/execution-notes.md):
 * which request it runs now, and which it must not begin. A note of a running request that is found at a start means
 * that the process died in it. One death proves nothing, since an operator may have killed the process; of a request that
 * ended it more often, the member says that it died of it, and does not begin it again.
 *
 * <p>What is noted of a running request survives the end of the process. What is held and skipped must survive the loss of
 * power, too: where a method says so, the caller forces the memory before it tells anyone.
 *
 * <p>Not safe for several threads: the caller has a lock.
 */
public final class ExecutionNotes {
    /** Bytes of memory that it needs. */
    public static final int BYTES = 4_096;

    /** So many deaths in one request are no accident. */
    static final int DEATHS = 2;

    private static final int MAGIC = 0x616D_6F4E; // amoN
    private static final int VERSION = 1;
    private static final int MAGIC_AT = 0;
    private static final int VERSION_AT = 4;
    private static final int RUNNING_AT = 8;
    private static final int DEAD_AT = 24;
    private static final int DEATHS_AT = 40;
    private static final int HELD_AT = 48;
    private static final int MOST_HELD = 32;
    private static final int PLACE_BYTES = 16;
    private static final int SKIPPED_AT = HELD_AT + PLACE_BYTES * (MOST_HELD + 1);
    private static final int MOST_SKIPPED = 200;

    private final ByteBuffer memory;
    private final boolean fresh;
    private final TreeSet<Place> held = new TreeSet<>();
    private final TreeSet<Place> skipped = new TreeSet<>();

    /** The request that began last, in this process. */
    private Optional<Place> begun = Optional.empty();

    /** What may be done with a request now. */
    public enum Turn {
        /** It has been noted: run it, then say that it ended. */
        RUN,
        /** It is never run. */
        SKIP,
        /** Ask again when something is said of it. */
        WAIT
    }

    /**
     * Reads what an earlier life left, if the memory holds anything.
     *
     * @throws IllegalStateException in one line when it holds something else
     */
    public ExecutionNotes(ByteBuffer memory) {
        this.memory = memory;
        this.fresh = memory.getInt(MAGIC_AT) == 0;
        if (fresh) {
            memory.putInt(VERSION_AT, VERSION);
            memory.putInt(MAGIC_AT, MAGIC);
            return;
        }
        if (memory.getInt(MAGIC_AT) != MAGIC || memory.getInt(VERSION_AT) != VERSION) {
            throw new IllegalStateException("these are no notes of executions that this version wrote");
        }
        read(HELD_AT, MOST_HELD, held);
        read(SKIPPED_AT, MOST_SKIPPED, skipped);
        place(RUNNING_AT).ifPresent(running -> {
            memory.putInt(DEATHS_AT, place(DEAD_AT).equals(Optional.of(running)) ? memory.getInt(DEATHS_AT) + 1 : 1);
            write(DEAD_AT, running);
            clear(RUNNING_AT);
        });
    }

    /** Whether no earlier life of this member left any notes. */
    public boolean isFresh() {
        return fresh;
    }

    /** The request that ended this member more than once. */
    public Optional<Place> died() {
        return place(DEAD_AT).filter(dead -> memory.getInt(DEATHS_AT) >= DEATHS && !skipped.contains(dead));
    }

    /** Those that this member said it would not begin. */
    public List<Place> held() {
        return List.copyOf(held);
    }

    /** Before each execution. */
    public Turn begin(Place place) {
        if (skipped.contains(place)) {
            return Turn.SKIP;
        }
        if (held.contains(place) || died().equals(Optional.of(place))) {
            return Turn.WAIT;
        }
        write(RUNNING_AT, place);
        begun = Optional.of(place);
        return Turn.RUN;
    }

    /** What began has run to its end. */
    public void ended(Place place) {
        clear(RUNNING_AT);
        if (place(DEAD_AT).equals(Optional.of(place))) {
            clear(DEAD_AT);
        }
    }

    /** The process ends as it was asked to, whatever runs. */
    public void left() {
        clear(RUNNING_AT);
    }

    /**
     * Does not begin it until it is skipped or let go. Force the memory afterwards.
     *
     * @return false if it has begun, or there is no room to note it
     */
    public boolean hold(Place place) {
        if (begun.isPresent() && begun.get().compareTo(place) >= 0) {
            return false;
        }
        if (!held.contains(place) && held.size() >= MOST_HELD) {
            return false;
        }
        held.add(place);
        writeAll(HELD_AT, held);
        return true;
    }

    /**
     * Never begins it. Force the memory afterwards.
     *
     * @return whether it has begun in this process, whose state is worth nothing then
     */
    public boolean skip(Place place) {
        boolean tooLate = begun.isPresent() && begun.get().compareTo(place) >= 0 && !skipped.contains(place);
        skipped.add(place);
        if (skipped.size() > MOST_SKIPPED) {
            skipped.pollFirst();
        }
        writeAll(SKIPPED_AT, skipped);
        letGo(place);
        return tooLate;
    }

    /** It may begin again, and its deaths are counted anew. */
    public void letGo(Place place) {
        if (held.remove(place)) {
            writeAll(HELD_AT, held);
        }
        if (place(DEAD_AT).equals(Optional.of(place))) {
            clear(DEAD_AT);
        }
    }

    /** The state is that of a snapshot: nothing up to its position will begin. */
    public void restored(long position) {
        if (held.removeIf(place -> place.position() <= position)) {
            writeAll(HELD_AT, held);
        }
        if (place(DEAD_AT).filter(dead -> dead.position() <= position).isPresent()) {
            clear(DEAD_AT);
        }
        if (begun.isEmpty() || begun.get().position() <= position) {
            begun = Optional.of(new Place(position, Integer.MAX_VALUE));
        }
    }

    private Optional<Place> place(int at) {
        long position = memory.getLong(at);
        return position == 0 ? Optional.empty() : Optional.of(new Place(position, memory.getInt(at + Long.BYTES)));
    }

    /** The position last: until then there is no note. */
    private void write(int at, Place place) {
        memory.putInt(at + Long.BYTES, place.index());
        memory.putLong(at, place.position());
    }

    private void clear(int at) {
        memory.putLong(at, 0);
    }

    /** A list ends with a position of 0. */
    private void read(int at, int most, NavigableSet<Place> into) {
        for (int i = 0; i < most; i++) {
            Optional<Place> next = place(at + i * PLACE_BYTES);
            if (next.isEmpty()) {
                return;
            }
            into.add(next.get());
        }
    }

    private void writeAll(int at, NavigableSet<Place> places) {
        int next = at;
        for (Place place : places) {
            write(next, place);
            next += PLACE_BYTES;
        }
        clear(next);
    }
}
