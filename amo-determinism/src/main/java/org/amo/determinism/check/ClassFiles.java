package org.amo.determinism.check;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/** The class files of a class path, and behind them those of the JDK. Of several with one name the first counts. */
final class ClassFiles implements AutoCloseable {
    private static final String SUFFIX = ".class";

    /** A class file's content. */
    private interface Content {
        byte[] read() throws IOException;
    }

    private final Map<String, Content> contents = new LinkedHashMap<>();
    private final Map<String, Set<String>> providers = new LinkedHashMap<>();
    private final List<JarFile> jars = new ArrayList<>();
    private final List<Path> missing = new ArrayList<>();
    private final List<String> unreadable = new ArrayList<>();
    private final ClassLoader libraries;

    private ClassFiles(ClassLoader libraries) {
        this.libraries = libraries;
    }

    /**
     * Opens a class path.
     *
     * @param entries folders and jars, also those that manifests of jars name
     * @param libraries finds classes that are on no entry, of the JDK for instance
     */
    static ClassFiles open(Collection<Path> entries, ClassLoader libraries) {
        ClassFiles files = new ClassFiles(libraries);
        Set<Path> all = new LinkedHashSet<>();
        entries.forEach(entry -> addWithManifest(entry, all));
        all.forEach(files::add);
        return files;
    }

    /** Internal names of the classes on the class path. */
    Set<String> names() {
        return Collections.unmodifiableSet(contents.keySet());
    }

    /** Entries that do not exist; the JVM ignores them, too. */
    List<Path> missing() {
        return Collections.unmodifiableList(missing);
    }

    /** Entries that are no jars, with the cause. */
    List<String> unreadable() {
        return Collections.unmodifiableList(unreadable);
    }

    /** Classes that the class path offers to {@link java.util.ServiceLoader} for a service; internal names. */
    Set<String> providers(String service) {
        return providers.getOrDefault(service, Set.of());
    }

    /** A class file of the class path, or else of the libraries. */
    Optional<byte[]> read(String name) throws IOException {
        Content content = contents.get(name);
        if (content != null) {
            return Optional.of(content.read());
        }
        try (InputStream in = libraries.getResourceAsStream(name + SUFFIX)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        }
    }

    private static void addWithManifest(Path entry, Set<Path> all) {
        Path path = entry.toAbsolutePath().normalize();
        if (all.add(path) && Files.isRegularFile(path)) {
            try (JarFile jar = new JarFile(path.toFile())) {
                String more = jar.getManifest() == null
                        ? null
                        : jar.getManifest().getMainAttributes().getValue("Class-Path");
                for (String part :
                        more == null ? List.<String>of() : List.of(more.strip().split("\\s+", -1))) {
                    // As for the JVM, a manifest may name jars that do not exist.
                    Path other = Path.of(path.toUri().resolve(part));
                    if (Files.exists(other)) {
                        addWithManifest(other, all);
                    }
                }
            } catch (IOException | IllegalArgumentException e) {
                // Opened again below, where the cause is kept.
                return;
            }
        }
    }

    private void add(Path entry) {
        try {
            if (Files.isDirectory(entry)) {
                addFolder(entry);
            } else if (Files.exists(entry)) {
                addJar(entry);
            } else {
                missing.add(entry);
            }
        } catch (IOException e) {
            unreadable.add(entry + " is no readable jar (" + e.getMessage() + ")");
        }
    }

    private void addFolder(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = folder.relativize(file).toString().replace(File.separatorChar, '/');
                add(name, () -> Files.readAllBytes(file));
            }
        }
    }

    private void addJar(Path file) throws IOException {
        JarFile jar = new JarFile(file.toFile(), false, ZipFile.OPEN_READ, Runtime.version());
        jars.add(jar);
        for (JarEntry entry : jar.versionedStream().toList()) {
            add(entry.getName(), () -> {
                try (InputStream in = jar.getInputStream(entry)) {
                    return in.readAllBytes();
                }
            });
        }
    }

    private void add(String name, Content content) throws IOException {
        if (name.endsWith(SUFFIX) && !name.startsWith("META-INF/") && !name.endsWith("module-info.class")) {
            contents.putIfAbsent(name.substring(0, name.length() - SUFFIX.length()), content);
        } else if (name.startsWith("META-INF/services/")) {
            Set<String> classes = providers.computeIfAbsent(
                    name.substring("META-INF/services/".length()).replace('.', '/'), key -> new LinkedHashSet<>());
            new String(content.read(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.replaceAll("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .forEach(line -> classes.add(line.replace('.', '/')));
        }
    }

    @Override
    public void close() throws IOException {
        for (JarFile jar : jars) {
            jar.close();
        }
    }
}
