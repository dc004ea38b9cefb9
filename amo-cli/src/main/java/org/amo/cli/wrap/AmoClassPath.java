package org.amo.cli.wrap;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;

/** What of our own class path a wrapped program needs: everything but the command line itself. */
public final class AmoClassPath {
    /** File names, or modules in a build folder, that only the command line uses. */
    private static final Pattern COMMAND_LINE_ONLY =
            Pattern.compile("(amo-cli|amo-example|amo-benchmarks|picocli|jackson-|HdrHistogram|xchart|jmh-).*");

    private static final Pattern BUILD_FOLDER = Pattern.compile("classes|test-classes");

    private AmoClassPath() {}

    /** The entries to append to a wrapped program's class path. */
    public static List<String> entries() {
        List<String> entries = new ArrayList<>();
        for (String entry : all()) {
            if (!COMMAND_LINE_ONLY.matcher(artifact(Path.of(entry))).matches()) {
                entries.add(entry);
            }
        }
        return List.copyOf(entries);
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
                            for (String part : text.strip().split("\\s+")) {
                                Path other = part.startsWith("file:") ? Path.of(java.net.URI.create(part)) : Path.of(part);
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
