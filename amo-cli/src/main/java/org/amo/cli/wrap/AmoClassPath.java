package org.amo.cli.wrap;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;

/** The part of this command's own class path that a wrapped program gets. */
public final class AmoClassPath {
    /** Jars, or modules in a build folder, that a wrapped program needs: amo's CORBA side, a replica, and their libraries. */
    private static final Pattern WRAPPED = Pattern.compile(
            "(amo-(base|core|net|dpg|linearizable|replication|interceptors|corba-rmi)|jacorb|jacorb-omgapi|jgroups|jgroups-raft"
                    + "|netty-(common|buffer|resolver|codec-base|handler|transport|transport-classes-epoll"
                    + "|transport-native-epoll|transport-native-unix-common)|slf4j-api|slf4j-jdk14|jspecify)(-\\d.*)?");

    /** The jars of Chronicle Map and their libraries. */
    private static final Pattern CHRONICLE =
            Pattern.compile("(chronicle-|affinity-|posix-|jnr-|jffi-|jna-|javapoet|compiler-20|asm).*");

    private static final Pattern BUILD_FOLDER = Pattern.compile("classes|test-classes");

    private static final String RMI_JAR = "jboss-rmi-api";
    private static final String RMI_STUB = "javax/rmi/CORBA/Stub.class";

    private AmoClassPath() {}

    /** The entries to append to a wrapped program's class path. */
    public static List<String> entries() {
        return those(WRAPPED);
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

    /** The program with amo's classes and more properties. */
    static JavaCommandLine addTo(JavaCommandLine program, Map<String, String> properties) {
        JavaCommandLine result = program.with(entries(), properties);
        // A program that also runs without amo brings this jar; its classes fail for valuetypes in an Any. Ours
        // must be found first; the jar stays for the other classes that the program takes from it.
        return bringsRmiStubs(program.classPath())
                ? ownRmiStubs().map(result::preferring).orElse(result)
                : result;
    }

    private static boolean bringsRmiStubs(String classPath) {
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            boolean wildcard = entry.equals("*") || entry.endsWith(File.separator + "*");
            String[] names = wildcard
                    ? new File(entry.substring(0, entry.length() - 1))
                            .getAbsoluteFile()
                            .list()
                    : new String[] {new File(entry).getName()};
            if (names != null && Arrays.stream(names).anyMatch(name -> name.startsWith(RMI_JAR))) {
                return true;
            }
        }
        return false;
    }

    /** The entry with amo's own {@code javax.rmi.CORBA}, if it has any. */
    private static Optional<String> ownRmiStubs() {
        return entries().stream()
                .filter(entry -> !new File(entry).getName().startsWith(RMI_JAR) && contains(Path.of(entry), RMI_STUB))
                .findFirst();
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
