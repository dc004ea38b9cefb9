package org.amo.lab.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.amo.cli.CliException;

/**
 * Judges whether a member takes requests while it says that its disk is full. The status tells no single call, and a member with a
 * full disk may still answer a retry from its reply cache or run the last entries of its log. So the check is the position: it stands
 * still but for those entries. One thread owns it.
 */
final class FullDisk {
    /** Begins the trouble in the status of such a member. */
    static final String TROUBLE = "its disk is full";

    /** Stands in a line of the member's log each time that it begins to say so. */
    static final String BEGINS = "the disk is full (";

    /** More than the clients of a run have under way; a member that takes requests executes as many in a second. */
    static final long MOST_LATE_ENTRIES = 100;

    private final int life;

    /** Those since the member says so, without a time in which it had room. */
    private final List<Look> spell = new ArrayList<>();

    private boolean told;

    /** @param life of the member's process when its disk fills; a later one runs its log again */
    FullDisk(int life) {
        this.life = life;
    }

    /**
     * A status of the member.
     *
     * @param life of its process
     * @param spells how often this process has begun to say that its disk is full, counted after the status: between two looks
     *     with the same number it had no room
     */
    record Look(int life, String trouble, long executedPosition, long spells) {
        boolean isFull() {
            return trouble.startsWith(TROUBLE);
        }
    }

    /** Takes the next look, some tenths of a second after the last one. @return what is wrong, once */
    Optional<String> see(Look look) {
        if (look.life() != life || !look.isFull()) {
            spell.clear();
            return Optional.empty();
        }
        if (!spell.isEmpty() && spell.get(0).spells() != look.spells()) {
            spell.clear();
        }
        spell.add(look);
        if (told || spell.size() < 3) {
            return Optional.empty();
        }
        // The second look counts: until then a member that had just caught up runs the entries that it holds.
        long late = look.executedPosition() - spell.get(1).executedPosition();
        if (late <= MOST_LATE_ENTRIES) {
            return Optional.empty();
        }
        told = true;
        return Optional.of("executed " + late + " entries while it said that its disk was full");
    }

    /** How often the process that writes this log has begun to say so. */
    static long spells(Path log) {
        // Any byte is a character of this set: the process may write its own.
        try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains(BEGINS)).count();
        } catch (IOException e) {
            throw CliException.environment("cannot read " + log + " (" + e.getMessage() + ")");
        }
    }
}
