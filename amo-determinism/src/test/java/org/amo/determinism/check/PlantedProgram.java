package org.amo.determinism.check;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The program of the test resources: its jar, and the sources that comments of its lines name. */
final class PlantedProgram {
    private static final Pattern MARK = Pattern.compile(".*// ((?:[a-z-]+[+-] )+)([\\w$]+\\.[\\w<>]+)");

    private PlantedProgram() {}

    /** Compiles a folder of the test resources into a jar. */
    static Path compile(String resources, Path folder, String... options) throws IOException {
        List<Path> sources = sources(resources);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> words =
                    new ArrayList<>(List.of("-d", classes.toString(), "-g", "-proc:none", "-nowarn", "-Xlint:none"));
            words.addAll(List.of(options));
            assertTrue(compiler.getTask(null, files, null, words, null, files.getJavaFileObjectsFromPaths(sources))
                    .call());
        }
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(services.resolve("planted.Handler"), "planted.ProvidedHandler # a comment\n");
        return jar(classes, folder.resolve("program.jar"));
    }

    static Path jar(Path classes, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace('\\', '/')));
                Files.copy(file, out);
            }
        }
        return jar;
    }

    /** The marked lines: kind, whether the agent makes it deterministic, class.method:line. */
    static Set<String> marks(String resources) throws IOException {
        Set<String> marks = new TreeSet<>();
        for (Path source : sources(resources)) {
            List<String> lines = Files.readAllLines(source);
            for (int at = 0; at < lines.size(); at++) {
                Matcher mark = MARK.matcher(lines.get(at));
                if (mark.matches()) {
                    for (String kind : mark.group(1).strip().split(" ", -1)) {
                        marks.add(kind + " planted." + mark.group(2) + ":" + (at + 1));
                    }
                }
            }
        }
        return marks;
    }

    /** A finding as a mark. */
    static String mark(Finding finding) {
        return finding.kind().word() + (finding.deterministic() ? "+" : "-") + " " + finding.type() + "."
                + finding.method() + ":" + finding.line();
    }

    private static List<Path> sources(String resources) throws IOException {
        try (Stream<Path> files = Files.walk(
                Path.of(PlantedProgram.class.getResource("/" + resources).toURI()))) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
