package org.amo.base;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the operating system lets this process have at a time. Linux tells it; elsewhere no limit is known. A port whose connections take all
 * of it leaves nothing for the log, for snapshots and for other members.
 */
public final class ProcessLimits {
    private static final ProcessLimits OWN = new ProcessLimits(Path.of("/"));
    private static final String DESCRIPTORS = "Max open files";
    private static final String LIMIT = "pids.max";

    /** Of {@code NUMBER:CONTROLLERS:/PATH}: the empty controllers of version 2, or those with pids, and the path. */
    private static final Pattern GROUP = Pattern.compile("\\d+:(|(?:[^:]*,)?pids(?:,[^:]*)?):/(.*)");

    /** A port with fewer connections is of no use. */
    private static final long LEAST = 16;

    private final Path root;

    /** @param root of the file system, as the kernel shows it */
    ProcessLimits(Path root) {
        this.root = root;
    }

    /**
     * How many connections a port may have that has one descriptor for each.
     *
     * @param wanted where there are enough
     * @param part of all descriptors: 2 for half of them
     */
    public static int connections(int wanted, int part) {
        return share(wanted, part, OWN.descriptors());
    }

    /** The same for a port that has a thread for each connection, too. */
    public static int connectionsWithThreads(int wanted, int part) {
        return share(connections(wanted, part), part, OWN.threads());
    }

    static int share(int wanted, int part, long most) {
        return (int) Math.min(wanted, Math.max(LEAST, most / part));
    }

    /** Files and connections, {@code ulimit -n}; Long.MAX_VALUE if there is no limit. */
    long descriptors() {
        return lines(root.resolve("proc/self/limits"))
                .filter(line -> line.startsWith(DESCRIPTORS))
                .mapToLong(line ->
                        number(line.substring(DESCRIPTORS.length()).strip().replaceFirst("\\s.*", "")))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Threads of its control group and of those above it, other processes of theirs included; Long.MAX_VALUE if there is no limit. */
    long threads() {
        return lines(root.resolve("proc/self/cgroup"))
                .flatMap(this::limitsOfThreads)
                .mapToLong(ProcessLimits::number)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Of a group and all above it. In version 2 of control groups one tree has all controllers, before each has one. */
    private Stream<String> limitsOfThreads(String line) {
        Matcher group = GROUP.matcher(line);
        if (!group.matches()) {
            return Stream.empty();
        }
        Path trees = root.resolve("sys/fs/cgroup");
        Path tree = group.group(1).isEmpty() ? trees : trees.resolve("pids");
        Path own = tree.resolve(group.group(2)).normalize();
        // In a container the path may lead out of what it sees.
        int depth = own.startsWith(tree) ? own.getNameCount() - tree.getNameCount() : 0;
        Stream<String> limits = lines(tree.resolve(LIMIT));
        for (int i = 1; i <= depth; i++) {
            Path each = tree.resolve(own.subpath(tree.getNameCount(), tree.getNameCount() + i));
            limits = Stream.concat(limits, lines(each.resolve(LIMIT)));
        }
        return limits;
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1).stream();
        } catch (IOException e) {
            return List.<String>of().stream();
        }
    }

    /** No limit is written as a word. */
    private static long number(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : Long.MAX_VALUE;
    }
}
