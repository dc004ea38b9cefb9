package org.amo.cli.wrap;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.cli.CliException;
import org.amo.wrap.WrappedProgram;

/**
 * What this command gives to a wrapped program: one jar for its class path, and the libraries that this jar loads apart
 * from the program's own.
 */
public final class AmoClassPath {
    private static final Pattern JAR = artifact("amo-wrap");

    /**
     * Jars, or modules in a build folder, of amo's CORBA side and of a replica, and their libraries. Only clients of Java services need Netty's
     * handlers.
     */
    private static final Pattern LIBRARIES = artifact(
            "amo-(base|core|net|observe|dpg|exon|linearizable|replication|interceptors|determinism)|jgroups|jgroups-raft"
                    + "|netty-(common|buffer|resolver|transport|transport-classes-epoll"
                    + "|transport-native-epoll|transport-native-unix-common)|slf4j-api|slf4j-jdk14|jspecify|asm|asm-commons");

    private static final Pattern DETERMINISM = artifact("amo-determinism");

    /** The ORB, and the SLF4J that it logs to: the program's own if it has them. */
    private static final Pattern LENT = artifact("jacorb|jacorb-omgapi|slf4j-api|slf4j-jdk14");

    /** The jars of Chronicle Map and their libraries. */
    private static final Pattern CHRONICLE =
            Pattern.compile("(chronicle-|affinity-|posix-|jnr-|jffi-|jna-|javapoet|compiler-20|asm).*");

    private static final Pattern BUILD_FOLDER = Pattern.compile("classes|test-classes");

    private static final String RMI_JAR = "jboss-rmi-api";

    /** Faults of tests: such a jar on the program's class path changes amo, so amo's loader must have it, too. */
    private static final String FAULTS = "META-INF/services/org.amo.core.replica.FaultHooks";

    /** From this JDK on, the virtual machine warns on standard error of Netty's native code, unless it is allowed. */
    private static final int WARNS_OF_NATIVE_CODE = 24;

    private AmoClassPath() {}

    /** The first words of another start of amo's command: this JDK, the options, and the leave for native code that the launcher gives. */
    public static List<String> java(String... options) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of(options));
        if (Runtime.version().feature() >= WARNS_OF_NATIVE_CODE) {
            words.add("--enable-native-access=ALL-UNNAMED");
        }
        return words;
    }

    private static Pattern artifact(String names) {
        return Pattern.compile("(" + names + ")(-\\d.*)?");
    }

    /** The one entry that every wrapped program's class path gets. */
    static String jar() {
        return first(JAR, "amo-wrap");
    }

    /** The jar or folder with the agent of deterministic execution. */
    static String determinism() {
        return first(DETERMINISM, "amo-determinism");
    }

    /** The jars or folders that the agent needs in a program that has amo for itself, by artifact. */
    static Map<String, String> agent() {
        Map<String, String> all = new TreeMap<>();
        for (String name : List.of("amo-determinism", "asm", "asm-commons")) {
            all.put(name, first(artifact(name), name));
        }
        return all;
    }

    private static String first(Pattern artifact, String name) {
        return those(artifact).stream()
                .findFirst()
                .orElseThrow(() -> CliException.environment(
                        name + " is not on the class path of amo itself; start amo by its launcher"));
    }

    /** The entries that a member needs besides, to keep its replies in a Chronicle Map. */
    static List<String> chronicleEntries() {
        return those(CHRONICLE);
    }

    private static List<String> those(Pattern artifacts) {
        return all().stream()
                .filter(entry -> artifacts.matcher(artifact(Path.of(entry))).matches())
                .toList();
    }

    /** The program with amo's jar and more properties. */
    static JavaCommandLine addTo(JavaCommandLine program, Map<String, String> properties) {
        List<Path> own = ClassPathEntries.of(program.classPath());
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.put(
                WrappedProgram.LIBRARIES,
                Stream.concat(
                                those(LIBRARIES).stream(),
                                own.stream()
                                        .filter(entry -> contains(entry, FAULTS))
                                        .map(Path::toString))
                        .distinct()
                        .collect(Collectors.joining(File.pathSeparator)));
        JavaCommandLine result = program.with(lent(own), all);
        // A program that also runs without amo brings this jar; its classes fail for valuetypes in an Any. Ours
        // must be found first; the jar stays for the other classes that the program takes from it.
        boolean bringsRmiStubs = own.stream()
                .anyMatch(entry -> String.valueOf(entry.getFileName()).startsWith(RMI_JAR));
        return bringsRmiStubs ? result.preferring(jar()) : result.with(List.of(jar()), Map.of());
    }

    /** What the program lacks for its ORB. */
    private static List<String> lent(List<Path> own) {
        try (URLClassLoader program = ClassPathEntries.loader(own)) {
            return WrappedProgram.lacking(those(LENT), program);
        } catch (IOException e) {
            throw CliException.environment("cannot read the libraries of amo itself (" + e + "); build amo anew");
        }
    }

    private static boolean contains(Path entry, String resource) {
        if (Files.isDirectory(entry)) {
            return Files.exists(entry.resolve(resource));
        }
        if (!Files.isRegularFile(entry)) {
            return false;
        }
        try (JarFile jar = new JarFile(entry.toFile())) {
            return jar.getEntry(resource) != null;
        } catch (IOException e) {
            return false;
        }
    }

    /** All entries that this process runs with, absolute. */
    public static List<String> all() {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                Path path = Path.of(entry).toAbsolutePath().normalize();
                entries.add(path.toString());
                entries.addAll(manifestEntries(path));
            }
        }
        return entries.stream().distinct().toList();
    }

    /** The jar's name, or for {@code module/target/classes} the module's, with the prefix that its jar would have. */
    private static String artifact(Path entry) {
        String name = String.valueOf(entry.getFileName());
        if (!BUILD_FOLDER.matcher(name).matches() || entry.getNameCount() < 4) {
            return name;
        }
        Path module = entry.getName(entry.getNameCount() - 3);
        boolean example = entry.getName(entry.getNameCount() - 4).toString().equals("examples");
        return example ? "amo-example-" + module : module.toString();
    }

    /** A jar that only lists others in its manifest stands for them. */
    private static List<String> manifestEntries(Path path) {
        List<String> entries = new ArrayList<>();
        if (path.toString().endsWith(".jar") && path.toFile().isFile()) {
            try (JarFile jar = new JarFile(path.toFile())) {
                Optional.ofNullable(jar.getManifest())
                        .map(Manifest::getMainAttributes)
                        .map(attributes -> attributes.getValue(Attributes.Name.CLASS_PATH))
                        .ifPresent(text -> {
                            for (String part : text.strip().split("\\s+", -1)) {
                                Path other = part.startsWith("file:") ? Path.of(URI.create(part)) : Path.of(part);
                                Path resolved = path.resolveSibling(other).normalize();
                                if (resolved.toFile().exists()) {
                                    entries.add(resolved.toString());
                                }
                            }
                        });
            } catch (IOException e) {
                // The virtual machine ignores a class path entry that it cannot read, and so do we.
                return List.of();
            }
        }
        return entries;
    }
}
