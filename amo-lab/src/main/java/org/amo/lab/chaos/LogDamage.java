package org.amo.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.amo.cli.CliException;

/**
 * Damages the files of a replica as a disk can: bytes change or vanish behind its back. Files are those of
 * docs/wire/raft-log.md, snapshot.md and execution-notes.md.
 */
final class LogDamage {
    private static final String ENTRIES = "entries.amo";
    private static final String STATE = "state.amo";
    private static final String SNAPSHOT = "snapshot.amo";
    private static final String NOTES = "executions";

    /** Records before this share of the log are whole and acknowledged, even if a crash damages the last ones. */
    private static final double SURELY_ACKNOWLEDGED = 0.8;

    private static final int SECTOR = 512;
    private static final int SLOT_DISTANCE = 4096;
    private static final int PROMISES_AT = 4096;

    private final Path data;
    private final String id;

    LogDamage(Path data, String id) {
        this.data = data;
        this.id = id;
    }

    /** Flips a bit where it must be noticed at a start. @return the bit and the file */
    String flip(FaultSchedule.Slot slot) {
        // Two draws of one number: which file, and where in it.
        double of = slot.side();
        double where = slot.strength();
        if (of < 0.5 || (of < 0.7 && !Files.exists(file(SNAPSHOT)))) {
            return flipEntry(slot);
        }
        if (of < 0.7) {
            return flip(SNAPSHOT, (int) (where * size(SNAPSHOT)), slot);
        }
        int half = slot.target() < 0.5 ? 0 : 1;
        return of < 0.85
                ? flip(STATE, half * SLOT_DISTANCE + (int) (where * SECTOR), slot)
                : flip(NOTES, PROMISES_AT * (1 + half) + (int) (where * PROMISES_AT), slot);
    }

    /** Flips a bit of an entry of the log that was acknowledged. */
    String flipEntry(FaultSchedule.Slot slot) {
        return flip(ENTRIES, (int) (slot.strength() * SURELY_ACKNOWLEDGED * used()), slot);
    }

    /** Clears a part of the last written bytes. */
    String tear(FaultSchedule.Slot slot) {
        int end = used();
        int length = Math.min(end, 1 + (int) (slot.strength() * SECTOR));
        int behind = (int) (slot.side() * Math.min(end - length, SECTOR));
        return clear(end - length - behind, end - behind);
    }

    /** Clears the last written bytes, back to a sector's beginning. */
    String lose(FaultSchedule.Slot slot) {
        int end = used();
        int sectors = 1 + (int) (slot.strength() * 8);
        return clear(Math.max(0, end / SECTOR - sectors + 1) * SECTOR, end);
    }

    private String flip(String name, int at, FaultSchedule.Slot slot) {
        byte[] bytes = read(name);
        int place = Math.min(at, bytes.length - 1);
        int bit = (int) (slot.target() * 8);
        bytes[place] ^= (byte) (1 << bit);
        write(name, bytes);
        return "bit " + bit + " of byte " + place + " of " + name;
    }

    private String clear(int from, int to) {
        byte[] bytes = read(ENTRIES);
        Arrays.fill(bytes, from, to, (byte) 0);
        write(ENTRIES, bytes);
        return "bytes " + from + " to " + to + " of " + ENTRIES;
    }

    /** Where the entries end: behind them there are zeros. */
    private int used() {
        byte[] bytes = read(ENTRIES);
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private byte[] read(String name) {
        try {
            return Files.readAllBytes(file(name));
        } catch (IOException e) {
            throw CliException.environment("cannot read " + file(name) + " (" + e + ")");
        }
    }

    private long size(String name) {
        return read(name).length;
    }

    private void write(String name, byte[] bytes) {
        try {
            Files.write(file(name), bytes);
        } catch (IOException e) {
            throw CliException.environment("cannot write " + file(name) + " (" + e + ")");
        }
    }

    private Path file(String name) {
        Path member = member();
        return name.equals(NOTES)
                ? member.resolve(name)
                : member.resolve(id + ".log").resolve(name);
    }

    private Path member() {
        try (Stream<Path> groups = Files.list(data)) {
            List<Path> found = groups.map(group -> group.resolve(id))
                    .filter(Files::isDirectory)
                    .toList();
            if (found.size() == 1) {
                return found.get(0);
            }
        } catch (IOException e) {
            throw CliException.environment("cannot read " + data + " (" + e + ")");
        }
        throw CliException.environment("no data of replica " + id + " in " + data);
    }
}
