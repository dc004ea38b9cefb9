package org.amo.replication;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.amo.core.order.Member;
import org.amo.net.CheckedFile;
import org.amo.replication.service.FragileMember;

/**
 * Starts of the virtual machines that tests of processes need. There are dozens in a build and each lives for seconds, so they have
 * the first compiler and the serial collector alone, and take the classes of libraries from an archive (class data sharing).
 *
 * <p>The first test of a module that asks makes the archive, for this class path and this JDK: one member tells which classes it loads.
 * An archive holds no class from a folder, and serves only class paths that begin with its jars; so the folders of this module come
 * last. Without an archive, for whatever reason, a start takes longer and is otherwise the same.
 */
public final class ChildJvm {
    private static final Path FOLDER = Path.of("target", "shared-classes");
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    private static final long LIMIT_SECONDS = 60;

    /** A member of a group of one has ordered something by then. */
    private static final long TRAINING_SECONDS = 10;

    private static final List<Path> ENTRIES = Stream.of(
                    System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .map(Path::of)
            .toList();
    private static final String JARS = joined(Files::isRegularFile);
    private static final String CLASS_PATH = JARS + File.pathSeparator + joined(entry -> !Files.isRegularFile(entry));

    private ChildJvm() {}

    private static String joined(Predicate<Path> kind) {
        return String.join(
                File.pathSeparator,
                ENTRIES.stream().filter(kind).map(Path::toString).toList());
    }

    /** The words of a start with this test's class path; the main class and its arguments follow. */
    public static List<String> words(List<String> options) {
        List<String> words = new ArrayList<>();
        words.add(JAVA);
        words.addAll(QUICK);
        words.addAll(Archive.OPTIONS);
        words.addAll(options);
        words.addAll(List.of("-cp", CLASS_PATH));
        return words;
    }

    /** Made or found when the first machine is to be started. */
    private static final class Archive {
        static final List<String> OPTIONS = options();

        private Archive() {}

        private static List<String> options() {
            try {
                Files.createDirectories(FOLDER);
                Path archive = FOLDER.resolve(key() + ".jsa").toAbsolutePath();
                Path refused = FOLDER.resolve(key() + ".refused");
                try (FileChannel turn =
                        FileChannel.open(FOLDER.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    // Of the virtual machines that run this module's tests; it is free when the channel is closed.
                    turn.lock();
                    if (!Files.exists(archive) && !Files.exists(refused) && !make(archive)) {
                        Files.createFile(refused);
                    }
                }
                // An archive that does not fit after all is no matter for the output that a test reads.
                return Files.exists(archive)
                        ? List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + archive, "-Xlog:disable")
                        : List.of();
            } catch (IOException e) {
                return List.of();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }

        /** Another jar or JDK, another archive. */
        private static String key() throws IOException {
            StringBuilder text = new StringBuilder(JAVA + System.getProperty("java.vm.version"));
            for (Path entry : ENTRIES) {
                if (Files.isRegularFile(entry)) {
                    text.append(entry).append(Files.size(entry)).append(Files.getLastModifiedTime(entry));
                }
            }
            return UUID.nameUUIDFromBytes(text.toString().getBytes(StandardCharsets.UTF_8))
                    .toString();
        }

        private static boolean make(Path archive) throws IOException, InterruptedException {
            try (Stream<Path> old = Files.list(FOLDER)) {
                for (Path file :
                        old.filter(each -> each.toString().endsWith(".jsa")).toList()) {
                    Files.delete(file);
                }
            }
            Path classes = FOLDER.resolve("classes");
            Path draft = FOLDER.resolve("draft").toAbsolutePath();
            String file = "-XX:SharedArchiveFile=" + draft;
            boolean made = train(classes)
                    && run(JARS, "-Xshare:dump", "-XX:SharedClassListFile=" + classes, file)
                    // Fails if the archive does not fit to a machine as tests start it.
                    && run(CLASS_PATH, "-Xshare:on", "-XX:+UseSerialGC", file, "-version");
            if (made) {
                Files.move(draft, archive, StandardCopyOption.ATOMIC_MOVE);
            }
            return made;
        }

        /** A member writes the names of the classes that it loads. */
        private static boolean train(Path classes) throws IOException, InterruptedException {
            Path data = Files.createTempDirectory("amo-training-");
            Path said = data.resolve("said");
            List<Member> alone = FreePorts.members(1);
            List<String> words = new ArrayList<>();
            words.add(JAVA);
            words.addAll(QUICK);
            words.addAll(List.of("-Xmx64m", "-XX:DumpLoadedClassList=" + classes, "-cp", CLASS_PATH));
            words.addAll(List.of(FragileMember.class.getName(), alone.get(0).id(), Member.format(alone)));
            words.add(data.toString());
            Process member = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            try {
                ask(member, said);
                return member.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) && member.exitValue() == 0;
            } finally {
                member.destroyForcibly();
                CheckedFile.deleteTree(data);
            }
        }

        /** Until it has ordered something; it ends with its input. */
        private static void ask(Process member, Path said) throws IOException, InterruptedException {
            try (OutputStream in = member.getOutputStream()) {
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TRAINING_SECONDS);
                boolean ended = false;
                while (!ended && System.nanoTime() < end && !hasOrdered(said)) {
                    in.write('\n');
                    in.flush();
                    ended = member.waitFor(100, TimeUnit.MILLISECONDS);
                }
            }
        }

        private static boolean hasOrdered(Path said) throws IOException {
            return Files.readString(said).lines().anyMatch(line -> line.matches("at [1-9].*"));
        }

        private static boolean run(String classPath, String... options) throws IOException, InterruptedException {
            List<String> words = new ArrayList<>(List.of(JAVA, "-cp", classPath));
            words.addAll(List.of(options));
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(FOLDER.resolve("said").toFile())
                    .start();
            try {
                return process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
