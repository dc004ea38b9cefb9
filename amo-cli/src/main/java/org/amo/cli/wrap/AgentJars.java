package org.amo.cli.wrap;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.amo.cli.CliException;
import org.amo.wrap.ServiceAgent;

/** Packs the Java agents. The jars stay when a later build replaces the originals. */
final class AgentJars {
    private static final String REPLACEMENTS = "org/amo/determinism/runtime/";
    private static final String BOOT = "runtime.jar";

    private AgentJars() {}

    /**
     * Writes an agent, with the replacements of deterministic execution for the boot class path beside it.
     *
     * @param agent class with the method {@code premain}, in the jar that every wrapped program gets
     * @throws CliException exit 2 if no virtual machine would find it
     */
    static Path write(Path folder, Class<?> agent) throws IOException {
        if (folder.toString().indexOf('=') >= 0) {
            throw CliException.user("java ends the path of an agent at '=', so none can be in " + folder
                    + "; give a folder without that letter");
        }
        pack(folder.resolve(BOOT), manifest(), Path.of(AmoClassPath.determinism()), REPLACEMENTS);
        Manifest manifest = manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.putValue("Premain-Class", agent.getName());
        attributes.putValue("Boot-Class-Path", BOOT);
        attributes.putValue("Can-Retransform-Classes", "true");
        attributes.putValue("Can-Redefine-Classes", "true");
        Path jar = folder.resolve("agent.jar");
        pack(jar, manifest, Path.of(AmoClassPath.jar()), "");
        return jar;
    }

    /** Writes the agent of a Java service, with the jars that it loads apart from the program's. */
    static Path writeForService(Path folder) throws IOException {
        Path libraries = Files.createDirectories(folder.resolve(ServiceAgent.LIBRARIES));
        for (Map.Entry<String, String> library : AmoClassPath.agent().entrySet()) {
            pack(libraries.resolve(library.getKey() + ".jar"), manifest(), Path.of(library.getValue()), "");
        }
        return write(folder, ServiceAgent.class);
    }

    private static Manifest manifest() {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        return manifest;
    }

    /** Replaces the jar as a whole, since a process of an earlier start may have the old one open. */
    private static void pack(Path jar, Manifest manifest, Path original, String prefix) throws IOException {
        Path draft = jar.resolveSibling(jar.getFileName() + ".new");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(draft), manifest)) {
            if (Files.isDirectory(original)) {
                packFolder(original, prefix, out);
            } else {
                packJar(original, prefix, out);
            }
        }
        Files.move(draft, jar, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void packFolder(Path root, String prefix, JarOutputStream out) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String separator = root.getFileSystem().getSeparator();
                String name = root.relativize(file).toString().replace(separator, "/");
                if (isWanted(name, prefix)) {
                    out.putNextEntry(new ZipEntry(name));
                    Files.copy(file, out);
                }
            }
        }
    }

    /** Not by a file system of the jar: a small Java runtime has none. */
    private static void packJar(Path original, String prefix, JarOutputStream out) throws IOException {
        try (JarFile content = new JarFile(original.toFile())) {
            for (JarEntry entry : Collections.list(content.entries())) {
                if (!entry.isDirectory() && isWanted(entry.getName(), prefix)) {
                    out.putNextEntry(new ZipEntry(entry.getName()));
                    try (InputStream bytes = content.getInputStream(entry)) {
                        bytes.transferTo(out);
                    }
                }
            }
        }
    }

    private static boolean isWanted(String name, String prefix) {
        return name.startsWith(prefix) && !name.equals(JarFile.MANIFEST_NAME);
    }
}
