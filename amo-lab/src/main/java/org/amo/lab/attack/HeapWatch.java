package org.amo.lab.attack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.ReplicaProcess;

/**
 * Measures the heap that members need, from their collectors' logs: the heap in use after a full collection, whether the
 * member or this command asked for it. One thread owns it.
 */
final class HeapWatch {
    private static final Pattern FULL = Pattern.compile("Pause Full .*?(\\d+)M->(\\d+)M\\(");
    private static final String PREFIX = "gc-";
    private static final long LIMIT_MILLIS = 20_000;

    /** The serial collector keeps one survivor space empty: a third of the heap is young, a tenth of that is such a space. */
    private static final double USABLE = 29 / 30.0;

    private static final long MEGABYTE = 1 << 20;

    private final Path folder;
    private final double mostBytes;
    private final Map<Path, Long> begun = new HashMap<>();
    private final Set<String> leftOut = new HashSet<>();

    /** @param folder of the run */
    HeapWatch(Path folder, long heapBytes) {
        this.folder = folder;
        this.mostBytes = heapBytes * USABLE;
    }

    /** The options that make a member write such a log; a file for each process. */
    List<String> options(long heapBytes) {
        return List.of(
                "-Xmx" + heapBytes / 1024 + "k",
                "-Xlog:gc:file=" + folder.resolve(PREFIX + "%p.log") + ":uptime:filecount=0");
    }

    /** Collections so far do not count. */
    void begin() throws IOException {
        for (Path log : logs()) {
            begun.put(log, Files.size(log));
        }
    }

    /** A process that an attack has ended as it may: that its heap was full is why it ended. */
    void leaveOut(long pid) {
        leftOut.add(PREFIX + pid + ".log");
    }

    /** Lets members collect everything now. @return ids of those that did not in a few seconds */
    List<String> collect(List<ReplicaProcess> replicas) throws InterruptedException {
        Map<String, Process> asked = new HashMap<>();
        for (ReplicaProcess replica : replicas) {
            replica.process().filter(Child::isAlive).ifPresent(child -> start(child.pid())
                    .ifPresent(process -> asked.put(replica.id(), process)));
        }
        List<String> silent = new ArrayList<>();
        long end = System.nanoTime() + LIMIT_MILLIS * 1_000_000;
        for (Map.Entry<String, Process> each : asked.entrySet()) {
            Process process = each.getValue();
            if (!process.waitFor(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
                silent.add(each.getKey());
            } else if (process.exitValue() != 0) {
                silent.add(each.getKey());
            }
        }
        return silent;
    }

    /** The largest part of the heap that a full collection left since the beginning; empty if there was none. */
    OptionalLong mostLeftBytes() throws IOException {
        long most = -1;
        for (Path log : logs()) {
            byte[] bytes = Files.readAllBytes(log);
            int from = (int) Math.min(bytes.length, begun.getOrDefault(log, 0L));
            Matcher full = FULL.matcher(new String(bytes, from, bytes.length - from, StandardCharsets.US_ASCII));
            while (full.find()) {
                most = Math.max(most, Long.parseLong(full.group(2)) * MEGABYTE);
            }
        }
        return most < 0 ? OptionalLong.empty() : OptionalLong.of(most);
    }

    double percent(long bytes) {
        return 100 * bytes / mostBytes;
    }

    private List<Path> logs() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(PREFIX))
                    .filter(file -> !leftOut.contains(file.getFileName().toString()))
                    .toList();
        }
    }

    private static java.util.Optional<Process> start(long pid) {
        String tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        try {
            return java.util.Optional.of(
                    new ProcessBuilder(tool, "-J-Xmx32m", "-J-XX:+UseSerialGC", Long.toString(pid), "GC.run")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start());
        } catch (IOException e) {
            // A runtime without tools: the member's own full collections count alone.
            return java.util.Optional.empty();
        }
    }
}
