package org.amo.cli.wrap;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A program's class path as files: wildcards stand for the jars of their folder. */
final class ClassPathEntries {
    private ClassPathEntries() {}

    /** Absolute paths in the order of the class path, also of files that do not exist. */
    static List<Path> of(String classPath) {
        List<Path> entries = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            try {
                if (entry.equals("*") || entry.endsWith(File.separator + "*")) {
                    entries.addAll(jars(Path.of(entry.substring(0, entry.length() - 1))));
                } else if (!entry.isEmpty()) {
                    entries.add(Path.of(entry).toAbsolutePath());
                }
            } catch (InvalidPathException e) {
                // The virtual machine ignores an entry that is no path, and so do we.
            }
        }
        return entries;
    }

    private static List<Path> jars(Path folder) {
        String[] names =
                folder.toAbsolutePath().toFile().list((at, name) -> name.endsWith(".jar") || name.endsWith(".JAR"));
        return names == null
                ? List.of()
                : Arrays.stream(names)
                        .map(name -> folder.resolve(name).toAbsolutePath())
                        .toList();
    }

    /** Finds the resources that the program would find, and none of ours. */
    static URLClassLoader loader(List<Path> entries) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (Path entry : entries) {
            urls.add(entry.toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
