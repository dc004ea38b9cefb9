package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures the live heap of another virtual machine. */
final class LiveHeap {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");

    private LiveHeap() {}

    /**
     * Live bytes, as the virtual machine counts them in the pause of a full collection. The used bytes that it reports a
     * moment later include the garbage of the calls since then, more than all that lives.
     */
    static long kilobytes(long pid) throws IOException, InterruptedException {
        Matcher total = TOTAL.matcher(jcmd(pid, "GC.class_histogram"));
        if (!total.find()) {
            throw new IOException("no total in the class histogram of " + pid);
        }
        return Long.parseLong(total.group(1)) / 1024;
    }

    private static String jcmd(long pid, String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home", ""), "bin", "jcmd")
                                .toString(),
                        Long.toString(pid),
                        command)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("replica " + pid + " is gone: " + output);
        }
        return output;
    }
}
