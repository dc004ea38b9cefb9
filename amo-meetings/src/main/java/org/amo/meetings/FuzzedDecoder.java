package org.amo.meetings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Target of Jazzer for any {@link Decoder}: Jazzer searches, guided by code coverage, for a frame that is neither accepted
 * nor refused as declared.
 */
public final class FuzzedDecoder {
    private static final String JAZZER = "com.code_intelligence.jazzer.Jazzer";

    private static Optional<Decoder> target = Optional.empty();

    private FuzzedDecoder() {}

    /** Called by Jazzer with the class of the test and the words of the decoder's name. */
    public static void fuzzerInitialize(String[] arguments) {
        String name = String.join(" ", List.of(arguments).subList(1, arguments.length));
        target = Optional.of(of(arguments[0]).decoders().stream()
                .filter(decoder -> decoder.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(arguments[0] + " has no decoder " + name)));
    }

    /** Called by Jazzer. */
    public static void fuzzerTestOneInput(byte[] frame) {
        target.orElseThrow().accepts(frame);
    }

    private static HostileBytes of(String test) {
        try {
            Constructor<?> constructor = Class.forName(test).getDeclaredConstructor();
            constructor.setAccessible(true);
            return (HostileBytes) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(test + " cannot be made", e);
        }
    }

    /**
     * Runs Jazzer in a process of its own. It begins with the valid frames and with what earlier runs found, which is kept.
     *
     * @throws AssertionError with Jazzer's output when it found something
     */
    static void run(Class<?> test, Decoder decoder, Duration time) {
        try {
            Path folder = Files.createTempDirectory("amo-fuzz-");
            try {
                run(folder, test, decoder, time);
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private static void run(Path folder, Class<?> test, Decoder decoder, Duration time)
            throws IOException, InterruptedException {
        Path corpus = corpus(test, decoder);
        int number = 0;
        for (byte[] frame : decoder.valid()) {
            Files.write(corpus.resolve("valid-" + number++), frame);
        }
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        JAZZER,
                        "--target_class=" + FuzzedDecoder.class.getName(),
                        "--target_args=" + test.getName() + " " + decoder.name(),
                        "--instrumentation_includes=org.amo.**",
                        "--custom_hook_includes=org.amo.**",
                        "--reproducer_path=" + folder,
                        "-artifact_prefix=" + folder + "/",
                        "-max_total_time=" + time.toSeconds(),
                        "-max_len=16384",
                        "-rss_limit_mb=0",
                        corpus.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(time.toSeconds() + 120, TimeUnit.SECONDS)) {
                throw new AssertionError(decoder + ": Jazzer does not end:\n" + Files.readString(output));
            }
        } finally {
            process.destroyForcibly();
        }
        String told = Files.readString(output);
        if (process.exitValue() != 0) {
            throw new AssertionError(decoder + ": Jazzer ended with " + process.exitValue() + ":\n" + told);
        }
        told.lines()
                .filter(line -> line.startsWith("Done ") || line.contains("DONE"))
                .forEach(line -> System.out.println(decoder + ": " + line));
    }

    /** Below the module's folder, not in its target: the next run goes on from what this one finds. */
    private static Path corpus(Class<?> test, Decoder decoder) throws IOException {
        return Files.createDirectories(Path.of(
                System.getProperty("basedir", ""),
                ".amo",
                "corpora",
                test.getSimpleName(),
                decoder.name().replaceAll("\\W+", "-")));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
