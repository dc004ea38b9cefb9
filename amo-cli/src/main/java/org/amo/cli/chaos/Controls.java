package org.amo.cli.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.amo.cli.CliException;
import org.amo.cli.cluster.WorkFolder;

/** The files over which a run tells its replicas to make faults inside themselves. One thread owns it. */
final class Controls {
    private final WorkFolder folder;
    private final Map<String, Long> clocks = new HashMap<>();

    Controls(WorkFolder folder) {
        this.folder = folder;
    }

    Path file(String replica) {
        return folder.file("faults-" + replica);
    }

    /** For a new life: what the old one was told to do is forgotten, its clock stays as wrong as it was. */
    void renew(String replica) {
        write(replica, clockLine(replica), StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
    }

    void arm(String replica, String fault) {
        write(replica, "arm " + fault + "\n", StandardOpenOption.APPEND);
    }

    /** How far its wall clock is off from now on. */
    void clock(String replica, long millis) {
        clocks.put(replica, millis);
        write(replica, clockLine(replica), StandardOpenOption.APPEND);
    }

    long clock(String replica) {
        return clocks.getOrDefault(replica, 0L);
    }

    private String clockLine(String replica) {
        return "clock " + clock(replica) + "\n";
    }

    private void write(String replica, String text, StandardOpenOption... how) {
        try {
            Files.writeString(file(replica), text, how);
        } catch (IOException e) {
            throw CliException.environment("cannot write " + file(replica) + " (" + e.getMessage() + ")");
        }
    }
}
