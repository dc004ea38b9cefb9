package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * What a member notes of its executions, in memory that outlives its process (a mapped file, docs/wire/execution-notes.md):
 * which request it runs now, and which it must not begin. A note of a running request that is found at a start means
 * that the process died in it. One death proves nothing, since an operator may have killed the process; of a request that
 * ended it more often, the member says that it died of it, and does not begin it again.
 *
 * <p>What is noted of a running request survives the end of the process; if it is damaged, it is as if there were none, and
 * one death more is needed. What is held and skipped are promises: they survive the loss of power, and damage to one of
 * their two copies.
 *
 * <p>Not safe for several threads: the caller has a lock.
 */
public final class ExecutionNotes {
    /** Bytes of memory that it needs. */
    public static final int BYTES = 3 * 4_096;

    /** So many deaths in one request are no accident. */
    static final int DEATHS = 2;

    private static final int RUNNING_AT = 0;
    private static final int DEAD_AT = 512;
    private static final int PLACE_BYTES = Long.BYTES + Integer.BYTES;
    private static final int NOTE_BYTES = PLACE_BYTES + Integer.BYTES;
    private static final int MAGIC = 0x616D_6F4E; // amoN
    private static final int VERSION = 2;
    private static final int PROMISES_AT = 4_096;
    private static final int PROMISES_BYTES = 4_096;
    private static final int MOST_HELD = 32;
    private static final int MOST_SKIPPED = 200;

    private final ByteBuffer memory;
    private final Runnable force;
    private final boolean fresh;
    private boolean damaged;
    private final TreeSet<Place> held = new TreeSet<>();
    private final TreeSet<Place> skipped = new TreeSet<>();
    private final ByteBuffer note = ByteBuffer.allocate(NOTE_BYTES);
    private final CRC32C crc = new CRC32C();

    /** The request in which this member died last, and how often in succession. */
    private Optional<Place> dead;

    private int deaths;

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
     * @param force returns when the memory would survive a loss of power
     * @throws IllegalStateException in one line when both copies of the promises are damaged
     */
    public ExecutionNotes(ByteBuffer memory, Runnable force) {
        this.memory = memory;
        this.force = force;
        this.fresh = memory.duplicate().clear().equals(ByteBuffer.allocate(BYTES));
        if (!fresh) {
            readPromises();
        }
        dead = read(DEAD_AT);
        deaths = dead.isPresent() ? note.getInt(PLACE_BYTES) : 0;
        read(RUNNING_AT).ifPresent(running -> {
            deaths = dead.equals(Optional.of(running)) ? deaths + 1 : 1;
            dead = Optional.of(running);
            write(DEAD_AT, running, deaths);
            clear(RUNNING_AT);
        });
        // The copies may differ, after a crash between them.
        writePromises();
    }

    /** Whether no earlier life of this member left any notes. */
    public boolean isFresh() {
        return fresh;
    }

    /** Whether a part of the notes was damaged: they are whole again. */
    public boolean wasDamaged() {
        return damaged;
    }

    /** The request that ended this member more than once. */
    public Optional<Place> died() {
        return dead.filter(place -> deaths >= DEATHS && !skipped.contains(place));
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
        write(RUNNING_AT, place, 0);
        begun = Optional.of(place);
        return Turn.RUN;
    }

    /** What began has run to its end. */
    public void ended(Place place) {
        clear(RUNNING_AT);
        forgetDeaths(place);
    }

    /** The process ends as it was asked to, whatever runs. */
    public void left() {
        clear(RUNNING_AT);
    }

    /**
     * Does not begin it until it is skipped or let go. On disk when this returns.
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
        writePromises();
        return true;
    }

    /**
     * Never begins it; on disk when this returns.
     *
     * @return whether it has begun in this process, whose state is worth nothing then
     */
    public boolean skip(Place place) {
        boolean tooLate = begun.isPresent() && begun.get().compareTo(place) >= 0 && !skipped.contains(place);
        skipped.add(place);
        if (skipped.size() > MOST_SKIPPED) {
            skipped.pollFirst();
        }
        held.remove(place);
        forgetDeaths(place);
        writePromises();
        return tooLate;
    }

    /** It may begin again, and its deaths are counted anew. */
    public void letGo(Place place) {
        if (held.remove(place)) {
            writePromises();
        }
        forgetDeaths(place);
    }

    /** The state is that of a snapshot: nothing up to its position will begin. */
    public void restored(long position) {
        if (held.removeIf(place -> place.position() <= position)) {
            writePromises();
        }
        dead.filter(place -> place.position() <= position).ifPresent(this::forgetDeaths);
        if (begun.isEmpty() || begun.get().position() <= position) {
            begun = Optional.of(new Place(position, Integer.MAX_VALUE));
        }
    }

    private void forgetDeaths(Place place) {
        if (dead.equals(Optional.of(place))) {
            dead = Optional.empty();
            clear(DEAD_AT);
        }
    }

    private Optional<Place> read(int at) {
        memory.get(at, note.array());
        int checksum = memory.getInt(at + NOTE_BYTES);
        if (checksum == 0) {
            return Optional.empty();
        }
        if (checksum != checksum(note.clear())) {
            damaged = true;
            clear(at);
            return Optional.empty();
        }
        return Optional.of(new Place(note.getLong(0), note.getInt(Long.BYTES)));
    }

    /** The checksum last: until then there is no note. */
    private void write(int at, Place place, int number) {
        note.clear().putLong(place.position()).putInt(place.index()).putInt(number);
        memory.put(at, note.array());
        memory.putInt(at + NOTE_BYTES, checksum(note.clear()));
    }

    private void clear(int at) {
        memory.putInt(at + NOTE_BYTES, 0);
    }

    private void readPromises() {
        Optional<ByteBuffer> first = promises(PROMISES_AT);
        Optional<ByteBuffer> second = promises(PROMISES_AT + PROMISES_BYTES);
        damaged = first.isEmpty() || second.isEmpty();
        ByteBuffer whole = first.or(() -> second)
                .orElseThrow(() -> new IllegalStateException(
                        "both copies of what this member promised not to run are damaged, or of another version"));
        read(whole, held);
        read(whole, skipped);
    }

    /** A copy, behind its head; empty if it is not whole. */
    private Optional<ByteBuffer> promises(int at) {
        ByteBuffer copy = memory.slice(at, PROMISES_BYTES);
        int checked = PROMISES_BYTES - Integer.BYTES;
        boolean whole = copy.getInt(checked) == checksum(copy.slice(0, checked))
                && copy.getInt() == MAGIC
                && copy.getInt() == VERSION;
        return whole ? Optional.of(copy) : Optional.empty();
    }

    private static void read(ByteBuffer copy, Collection<Place> into) {
        for (int left = copy.getInt(); left > 0; left--) {
            into.add(new Place(copy.getLong(), copy.getInt()));
        }
    }

    /** One copy after the other, so that one is whole at any time. */
    private void writePromises() {
        ByteBuffer copy = ByteBuffer.allocate(PROMISES_BYTES);
        copy.putInt(MAGIC).putInt(VERSION);
        for (Collection<Place> places : List.of(held, skipped)) {
            copy.putInt(places.size());
            places.forEach(place -> copy.putLong(place.position()).putInt(place.index()));
        }
        int checked = PROMISES_BYTES - Integer.BYTES;
        copy.putInt(checked, checksum(copy.slice(0, checked)));
        for (int i = 0; i < 2; i++) {
            memory.put(PROMISES_AT + i * PROMISES_BYTES, copy.array());
            force.run();
        }
    }

    private int checksum(ByteBuffer bytes) {
        crc.reset();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
