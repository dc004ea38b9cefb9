package org.amo.lab.blackbox;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.examples.bank.BankServer;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.lab.cluster.Watch;
import org.amo.replication.FreePorts;
import org.amo.wrap.WrappedProgram;
import org.awaitility.core.ConditionTimeoutException;
import org.omg.CORBA.SystemException;
import org.slf4j.Logger;

/**
 * An archive of classes for the wrapped members that these tests start (class data sharing): those of the JDK, and those that amo's own
 * class loader takes from its jars. The first test that starts a member makes it: one member tells which classes it loads.
 *
 * <p>The program's class path has no part in it. So the archive serves every program, and an agent may append to the boot class path,
 * which closes an archive to the classes of a class path. Without an archive, for whatever reason, a start takes longer and is
 * otherwise the same.
 */
final class SharedClasses {
    private static final Path FOLDER = Path.of("target", "shared-classes");
    private static final String JAVA = BankCluster.quickJava().get(0);
    private static final String GROUP = "training";
    private static final long LIMIT_SECONDS = 40;

    /** Begins the path of the jar or folder at the end of a line about a class of a loader of the program's own. */
    private static final String SOURCE = " source: ";

    private static final List<String> OPTIONS = made();

    private SharedClasses() {}

    /** For the virtual machine of a wrapped member. */
    static List<String> options() {
        return OPTIONS;
    }

    private static List<String> made() {
        try {
            Files.createDirectories(FOLDER);
            List<Member> alone = FreePorts.members(1);
            Path data = Files.createTempDirectory("amo-training-");
            try {
                ServerWrap wrap = new ServerWrap(
                        GROUP,
                        alone.get(0).id(),
                        alone,
                        data,
                        Order.RAFT,
                        Log.FILE,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(data.resolve("history")));
                return options(wrap, alone.get(0), data);
            } finally {
                delete(data);
            }
        } catch (IOException e) {
            return List.of();
        }
    }

    private static List<String> options(ServerWrap wrap, Member alone, Path data) throws IOException {
        Map<String, String> properties = wrap.apply(program(data, List.of())).properties();
        String key = key(properties.getOrDefault(WrappedProgram.LIBRARIES, ""));
        Path archive = FOLDER.resolve(key + ".jsa").toAbsolutePath();
        Path refused = FOLDER.resolve(key + ".refused");
        try (FileChannel turn =
                FileChannel.open(FOLDER.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            // Of the virtual machines that run these tests; it is free when the channel is closed.
            turn.lock();
            if (!Files.exists(archive) && !Files.exists(refused) && !make(wrap, alone, data, archive)) {
                Files.createFile(refused);
            }
        }
        // An archive that does not fit after all is no matter for the output that a test reads.
        return Files.exists(archive)
                ? List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + archive, "-Xlog:disable")
                : List.of();
    }

    /** Another jar or JDK, another archive. */
    private static String key(String libraries) throws IOException {
        StringBuilder text = new StringBuilder(JAVA + System.getProperty("java.vm.version"));
        for (String entry : libraries.split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            text.append(entry).append(Files.size(path)).append(Files.getLastModifiedTime(path));
        }
        return UUID.nameUUIDFromBytes(text.toString().getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    private static boolean make(ServerWrap wrap, Member alone, Path data, Path archive) throws IOException {
        Path loaded = data.resolve("loaded");
        Path classes = FOLDER.resolve("classes");
        Path draft = FOLDER.resolve("draft").toAbsolutePath();
        String file = "-XX:SharedArchiveFile=" + draft;
        // A dump wants a class path, and a folder on it would be refused.
        String some = BankCluster.location(Logger.class);
        if (!train(wrap, alone, data, loaded)) {
            return false;
        }
        Files.write(classes, kept(Files.readAllLines(loaded)));
        boolean made = run(some, "-Xshare:dump", "-XX:SharedClassListFile=" + classes, file)
                // Fails if the archive does not fit to a machine with another class path.
                && run(BankCluster.location(SharedClasses.class), "-Xshare:on", "-XX:+UseSerialGC", file, "-version");
        if (made) {
            Files.move(draft, archive, StandardCopyOption.ATOMIC_MOVE);
        }
        return made;
    }

    private static JavaCommandLine program(Path data, List<String> options) {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(options);
        words.addAll(List.of(
                "-cp",
                BankCluster.location(BankServer.class) + File.pathSeparator + BankCluster.location(Watch.PROGRAM),
                Watch.PROGRAM.getName(),
                BankServer.class.getName(),
                reference(data).toString()));
        return JavaCommandLine.parse(words, Optional.empty());
    }

    private static Path reference(Path data) {
        return data.resolve("ior");
    }

    /** A member serves a client, and writes the names of the classes that it loads. */
    private static boolean train(ServerWrap wrap, Member alone, Path data, Path loaded) throws IOException {
        List<String> words = wrap.applyWithAgent(program(data, List.of("-XX:DumpLoadedClassList=" + loaded)))
                .words();
        Process member = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(FOLDER.resolve("said").toFile())
                .start();
        try {
            await().atMost(Duration.ofSeconds(LIMIT_SECONDS)).until(() -> serves(alone, reference(data)));
            try (Orb orb = Orb.client()) {
                orb.bank(Files.readString(reference(data)).strip()).deposit("training", 1);
            }
            // The leash: at its end the member stops, and the list is whole.
            member.getOutputStream().close();
            return ended(member);
        } catch (ConditionTimeoutException | SystemException | BadAmount e) {
            return false;
        } finally {
            member.destroyForcibly();
        }
    }

    private static boolean serves(Member alone, Path reference) throws IOException {
        return Files.exists(reference)
                && Files.size(reference) > 0
                && Status.ask(alone)
                        .filter(status -> !status.text("leader").isEmpty())
                        .isPresent();
    }

    /**
     * The lines of a list without the classes of the program's class path and those that derive from them. A line is the name of a
     * class, its number, and for a class of a loader of the program's own the numbers of its super types and its place.
     */
    private static List<String> kept(List<String> lines) {
        Set<String> numbers = new HashSet<>();
        List<String> kept = new ArrayList<>();
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            if (line.startsWith("@lambda-form-invoker")) {
                kept.add(line);
            } else if (words.length > 2 && words[1].equals("id:") && isWanted(line, words, numbers)) {
                numbers.add(words[2]);
                kept.add(line);
            }
        }
        return kept;
    }

    private static boolean isWanted(String line, String[] words, Set<String> numbers) {
        int source = line.indexOf(SOURCE);
        if (source < 0) {
            return ClassLoader.getPlatformClassLoader().getResource(words[0] + ".class") != null;
        }
        String place = line.substring(source + SOURCE.length());
        return place.endsWith(".jar")
                && !place.contains(" ")
                && Stream.of(line.substring(0, source).split(" ", -1))
                        .skip(3)
                        .filter(word -> word.matches("[0-9]+"))
                        .allMatch(numbers::contains);
    }

    private static boolean run(String classPath, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of(JAVA, "-cp", classPath));
        words.addAll(List.of(options));
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(FOLDER.resolve("said").toFile()))
                .start();
        try {
            return ended(process) && process.exitValue() == 0;
        } finally {
            process.destroyForcibly();
        }
    }

    private static boolean ended(Process process) {
        try {
            return process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
