package org.amo.replication.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.amo.replication.ChildJvm;

/** A member in a process of its own, started again whenever it ends, as a supervisor would. */
final class SupervisedMember {
    private static final long ANSWER_SECONDS = 2;
    private static final long LEAVE_SECONDS = 30;

    private final List<String> words;
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final List<Integer> exits = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private volatile boolean over;
    private volatile Process process;

    SupervisedMember(Class<?> main, String... arguments) {
        this(List.of(), main, arguments);
    }

    /** @param options of its JVM */
    SupervisedMember(List<String> options, Class<?> main, String... arguments) {
        List<String> all = new ArrayList<>(List.of("-Xmx64m"));
        all.addAll(options);
        words = ChildJvm.words(all);
        words.add(main.getName());
        words.addAll(List.of(arguments));
        process = start();
    }

    private Process start() {
        try {
            Process started =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            Thread reader = new Thread(() -> read(started), "supervisor");
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
                said.add(line);
                if (line.startsWith("at ")) {
                    answers.add(line);
                }
            }
            exits.add(from.waitFor());
        } catch (IOException e) {
            exits.add(-1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!over) {
            process = start();
        }
    }

    /** Its answer to a line on standard input: the next line that begins with "at ". */
    Optional<String> ask() {
        answers.clear();
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            return Optional.ofNullable(answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS));
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** Ends this process of the member; it is started again. */
    void kill() {
        process.destroyForcibly();
    }

    boolean hasSaid(String part) {
        return said.stream().anyMatch(line -> line.contains(part));
    }

    List<String> said() {
        return said;
    }

    List<Integer> exits() {
        return exits;
    }

    /** What it has said and how its processes have ended so far. */
    void forget() {
        said.clear();
        exits.clear();
    }

    /** Ends its input, at which it leaves, and is not started again. @return its exit code */
    int leave() throws IOException, InterruptedException {
        over = true;
        process.getOutputStream().close();
        if (!process.waitFor(LEAVE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("the member does not leave; it said " + said);
        }
        return process.exitValue();
    }

    void end() {
        over = true;
        process.destroyForcibly();
    }
}
