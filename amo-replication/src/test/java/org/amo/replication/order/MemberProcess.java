package org.amo.replication.order;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.replication.ChildJvm;

/** A {@link MemberMain} in a process of its own. */
final class MemberProcess implements AutoCloseable {
    private final List<String> command;
    private final List<String> lines = new ArrayList<>();
    private Process process;

    MemberProcess(String id, List<Member> members, String order, String log, Path data, String secret) {
        command = ChildJvm.words(List.of("-Xmx128m"));
        command.addAll(
                List.of(MemberMain.class.getName(), id, Member.format(members), order, log, data.toString(), secret));
        process = start();
    }

    /** kill -9. */
    void kill() {
        process.destroyForcibly();
        join();
    }

    void restart() {
        synchronized (lines) {
            lines.clear();
        }
        process = start();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int exitValue() {
        join();
        return process.exitValue();
    }

    void say(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("a member process is gone; it said " + lines(), e);
        }
    }

    List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /** The rest of the last line that begins so; empty if there is none. */
    String last(String beginning) {
        String found = "";
        for (String line : lines()) {
            if (line.startsWith(beginning)) {
                found = line.substring(beginning.length());
            }
        }
        return found.strip();
    }

    String leader() {
        return last("leader");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void join() {
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a member process does not end; it said " + lines());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Process start() {
        try {
            Process started = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(new File("target/member-processes.log")))
                    .start();
            Thread reader = new Thread(() -> read(started));
            reader.setDaemon(true);
            reader.start();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Process from) {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                }
            }
        } catch (IOException e) {
            // The process was killed.
            return;
        }
    }
}
