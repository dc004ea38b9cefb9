package org.amo.base;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files and connections that this process may have open at a time. Linux tells it; elsewhere there is no limit that is known. A port
 * whose connections take all of them leaves none for the log, for snapshots and for other members.
 */
public final class FileDescriptors {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String ROW = "Max open files";

    /** Fewer connections than that serve nobody. */
    private static final long LEAST = 16;

    private FileDescriptors() {}

    /** The limit of the operating system, {@code ulimit -n}; Long.MAX_VALUE if there is none, or it is not known. */
    public static long most() {
        return most(LIMITS);
    }

    static long most(Path limits) {
        try {
            return Files.readAllLines(limits, StandardCharsets.ISO_8859_1).stream()
                    .filter(line -> line.startsWith(ROW))
                    .mapToLong(line -> soft(line.substring(ROW.length()).strip()))
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    private static long soft(String values) {
        String first = values.replaceFirst("\\s.*", "");
        return first.matches("\\d{1,18}") ? Long.parseLong(first) : Long.MAX_VALUE;
    }

    /**
     * How many connections a port may have.
     *
     * @param wanted where there are enough descriptors
     * @param part of all descriptors: 2 for half of them
     */
    public static int connections(int wanted, int part) {
        return connections(wanted, part, most());
    }

    static int connections(int wanted, int part, long most) {
        return (int) Math.min(wanted, Math.max(LEAST, most / part));
    }
}
