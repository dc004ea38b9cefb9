package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The memory of {@link ExecutionNotes} (docs/wire/execution-notes.md): notes of a place and a number, each with a checksum, and two
 * copies of the promises. Not safe for several threads.
 */
final class NotesMemory {
    static final int BYTES = 3 * 4_096;

    static final int RUNNING_AT = 0;
    static final int DEAD_AT = 512;
    static final int ENDED_AT = 1_024;
    private static final int AT_ONCE_AT = 1_536;
    private static final int AT_ONCE_BYTES = 64;
    private static final int PLACE_BYTES = Long.BYTES + Integer.BYTES;
    private static final int NOTE_BYTES = PLACE_BYTES + Integer.BYTES;
    private static final int MAGIC = 0x616D_6F4E; // amoN
    private static final int VERSION = 5;
    private static final int WITHOUT_DEATHS = 4;
    private static final int WITHOUT_GENERATION = 3;
    private static final int PROMISES_AT = 4_096;
    private static final int PROMISES_BYTES = 4_096;
    private static final int HAS_TAKEN_PART = 1;
    private static final int LOST_HOW_FAR = 2;
    private static final int LOST_SKIPS = 4;
    private static final int DIVERGED = 8;
    private static final long NOTHING = -1;

    private ByteBuffer memory;
    private Runnable force;
    private final boolean fresh;
    private final ByteBuffer note = ByteBuffer.allocate(NOTE_BYTES);
    private final CRC32C crc = new CRC32C();
    private boolean damaged;

    /** How often the promises were written. */
    private long generation;

    /**
     * Survives a loss of power.
     *
     * @param boot of the process that wrote it
     * @param ran last request that earlier processes executed, or that a snapshot covers
     * @param held requests that are not begun until they are skipped or let go
     * @param lostSkips whether the note of a skipped request was dropped that no snapshot covers
     * @param skipped requests that are never begun
     * @param died requests of which the member died, and whether an earlier process had executed each, or may have
     * @param coveredPosition up to it a snapshot covers requests that the group skipped or that this member held; 0 for none
     * @param divergedAt mark at which this member diverged last; 0 for none
     * @param diverged whether it has not been equal to the majority since
     */
    record Promises(
            long boot,
            boolean hasTakenPart,
            boolean knowsHowFarItRan,
            boolean lostSkips,
            Optional<Place> ran,
            Collection<Place> held,
            Collection<Place> skipped,
            SortedMap<Place, Boolean> died,
            long coveredPosition,
            long divergedAt,
            boolean diverged) {}

    /**
     * A whole copy of the promises.
     *
     * @param content behind the generation
     */
    private record PromisesCopy(long generation, ByteBuffer content) {}

    /** @param force returns when the memory would survive a loss of power */
    NotesMemory(ByteBuffer memory, Runnable force) {
        this.memory = memory;
        this.force = force;
        this.fresh = memory.duplicate().clear().equals(ByteBuffer.allocate(BYTES));
    }

    /** Whether it held nothing at the start. */
    boolean isFresh() {
        return fresh;
    }

    /** Whether a part was damaged when it was read. */
    boolean wasDamaged() {
        return damaged;
    }

    void force() {
        force.run();
    }

    /** From now on writes go to a copy. */
    void detach() {
        memory = ByteBuffer.allocate(BYTES).put(0, memory, 0, BYTES);
        force = () -> {};
    }

    // ------------------------------------------------- notes

    static int atOnceAt(int slot) {
        return AT_ONCE_AT + slot * AT_ONCE_BYTES;
    }

    /** The place of a note; a damaged one counts as none. */
    Optional<Place> read(int at) {
        if (!isWhole(at)) {
            damaged = true;
            clear(at);
        }
        return memory.getInt(at + NOTE_BYTES) == 0
                ? Optional.empty()
                : Optional.of(new Place(memory.getLong(at), memory.getInt(at + Long.BYTES)));
    }

    /** The number in a note. */
    int number(int at) {
        return memory.getInt(at + PLACE_BYTES);
    }

    /** Whether there is a note with its checksum, or none. */
    boolean isWhole(int at) {
        int checksum = memory.getInt(at + NOTE_BYTES);
        return checksum == 0 || checksum == checksum(memory.slice(at, NOTE_BYTES));
    }

    /** The checksum last: until then there is no note. */
    void write(int at, Place place, int number) {
        note.clear().putLong(place.position()).putInt(place.index()).putInt(number);
        memory.put(at, note.array());
        memory.putInt(at + NOTE_BYTES, checksum(note.clear()));
    }

    void clear(int at) {
        memory.putInt(at + NOTE_BYTES, 0);
    }

    // ------------------------------------------------- promises

    /**
     * @throws ExecutionNotes.OtherVersionException when another version of amo wrote a copy
     * @throws IllegalStateException in one line when both copies are damaged
     */
    Promises readPromises() {
        Optional<PromisesCopy> first = promises(PROMISES_AT);
        Optional<PromisesCopy> second = promises(PROMISES_AT + PROMISES_BYTES);
        PromisesCopy newer = first.filter(copy ->
                        second.isEmpty() || copy.generation() >= second.get().generation())
                .or(() -> second)
                .orElseThrow(() ->
                        new IllegalStateException("both copies of what this member promised not to run are damaged"));
        damaged = first.isEmpty()
                || second.isEmpty()
                || lostAWrite(first.get().generation(), second.get().generation());
        generation = newer.generation();
        ByteBuffer whole = newer.content();
        long boot = whole.getLong();
        int flags = whole.getInt();
        long position = whole.getLong();
        int index = whole.getInt();
        return new Promises(
                boot,
                (flags & HAS_TAKEN_PART) != 0,
                (flags & LOST_HOW_FAR) == 0,
                (flags & LOST_SKIPS) != 0,
                position == NOTHING ? Optional.empty() : Optional.of(new Place(position, index)),
                places(whole),
                places(whole),
                deaths(whole),
                whole.getLong(),
                whole.getLong(),
                (flags & DIVERGED) != 0);
    }

    /** The first copy is on disk before the second is written. So a crash leaves it at most one generation ahead, never behind. */
    private static boolean lostAWrite(long first, long second) {
        return first < second || first > second + 1;
    }

    /** Empty if the copy is not whole. */
    private Optional<PromisesCopy> promises(int at) {
        ByteBuffer copy = memory.slice(at, PROMISES_BYTES);
        int checked = PROMISES_BYTES - Integer.BYTES;
        if (copy.getInt(checked) != checksum(copy.slice(0, checked)) || copy.getInt() != MAGIC) {
            return Optional.empty();
        }
        int version = copy.getInt();
        return switch (version) {
            case VERSION, WITHOUT_DEATHS -> Optional.of(new PromisesCopy(copy.getLong(), copy));
            case WITHOUT_GENERATION -> Optional.of(new PromisesCopy(0, copy));
            // Also if the other copy can be read: it may lack promises.
            default -> throw new ExecutionNotes.OtherVersionException(version);
        };
    }

    private static List<Place> places(ByteBuffer copy) {
        List<Place> places = new ArrayList<>();
        for (int left = copy.getInt(); left > 0; left--) {
            places.add(place(copy));
        }
        return places;
    }

    /** None in versions before the fifth, which have zeros there. */
    private static SortedMap<Place, Boolean> deaths(ByteBuffer copy) {
        SortedMap<Place, Boolean> deaths = new TreeMap<>();
        for (int left = copy.getInt(); left > 0; left--) {
            deaths.put(place(copy), copy.getInt() != 0);
        }
        return deaths;
    }

    private static Place place(ByteBuffer copy) {
        return new Place(copy.getLong(), copy.getInt());
    }

    /** One copy after the other, so that one is whole at any time. */
    void writePromises(Promises promises) {
        generation++;
        ByteBuffer copy = ByteBuffer.allocate(PROMISES_BYTES);
        copy.putInt(MAGIC).putInt(VERSION).putLong(generation).putLong(promises.boot());
        copy.putInt((promises.hasTakenPart() ? HAS_TAKEN_PART : 0)
                | (promises.knowsHowFarItRan() ? 0 : LOST_HOW_FAR)
                | (promises.lostSkips() ? LOST_SKIPS : 0)
                | (promises.diverged() ? DIVERGED : 0));
        copy.putLong(promises.ran().map(Place::position).orElse(NOTHING));
        copy.putInt(promises.ran().map(Place::index).orElse(0));
        for (Collection<Place> places : List.of(promises.held(), promises.skipped())) {
            copy.putInt(places.size());
            places.forEach(place -> copy.putLong(place.position()).putInt(place.index()));
        }
        copy.putInt(promises.died().size());
        promises.died()
                .forEach((place, ran) ->
                        copy.putLong(place.position()).putInt(place.index()).putInt(ran ? 1 : 0));
        copy.putLong(promises.coveredPosition()).putLong(promises.divergedAt());
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
