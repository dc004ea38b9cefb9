package org.amo.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.cli.wrap.AmoClassPath;

/** The command in a process of its own with a small heap, to be killed. */
public final class CommandProcess implements AutoCloseable {
    private final Process process;
    private final Path out;

    private CommandProcess(Process process, Path out) {
        this.process = process;
        this.out = out;
    }

    /** @param out takes standard output and standard error */
    public static CommandProcess start(Path out, String... words) throws IOException {
        return new CommandProcess(
                new ProcessBuilder(words(words))
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start(),
                out);
    }

    /** The words of the command line. */
    static List<String> words(String... words) {
        List<String> line = AmoClassPath.java("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Amo.class.getName()));
        line.addAll(List.of(words));
        return line;
    }

    public Process process() {
        return process;
    }

    public String out() throws IOException {
        return Files.readString(out);
    }

    public int awaitExit(long seconds) throws IOException, InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError("it does not end: " + out());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        kill();
    }

    /** By signal 9. */
    public void kill() {
        process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
