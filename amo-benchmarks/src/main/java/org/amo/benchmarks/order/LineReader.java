package org.amo.benchmarks.order;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;

/** Lines of a child process, read by a thread so that waiting for one can end. */
public final class LineReader {
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

    public LineReader(BufferedReader reader) {
        DaemonThreads.start("amo-bench-lines", () -> {
            try {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    lines.add(Optional.of(line));
                }
            } catch (IOException e) {
                // The process is gone, which the end of the lines says too.
            }
            lines.add(Optional.empty());
        });
    }

    /**
     * The next line.
     *
     * @throws IOException when the process ended, or said nothing for that long
     */
    public String next(long seconds, String who) throws IOException, InterruptedException {
        Optional<String> line = Optional.ofNullable(lines.poll(seconds, TimeUnit.SECONDS))
                .orElseThrow(() -> new IOException(who + " has said nothing for " + seconds + " s"));
        return line.orElseThrow(() -> new IOException(who + " ended"));
    }
}
