package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of amo-service-archetype, without generating a project of them; {@code .ci/examples} does that. */
final class ArchetypeTest {
    private static final Path ARCHETYPE = MainSources.HOME.resolve("amo-service-archetype/src/main/resources");
    private static final Path FILES = ARCHETYPE.resolve("archetype-resources");

    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void theJavaFilesCompileAgainstAmoOfToday() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path template : MainSources.filesOf(FILES, ".java")) {
            String text = Files.readString(template);
            assertTrue(text.startsWith("package ${package};"), template::toString);
            String source = text.replace("${package}", "com.example");
            // A reference or directive of Velocity would be replaced.
            assertTrue(source.indexOf('$') < 0 && source.indexOf('#') < 0, template::toString);
            sources.add(Files.writeString(folder.resolve(template.getFileName()), source));
        }
        assertEquals(4, sources.size(), sources::toString);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            StringWriter messages = new StringWriter();
            List<String> options = List.of("-d", folder.toString(), "-proc:none", "-nowarn");
            boolean compiled = compiler.getTask(
                            messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertTrue(compiled, messages::toString);
        }
    }

    @Test
    void theDescriptorNamesEachFileAndTheVersionOfTheBuild() throws IOException {
        String descriptor = Files.readString(ARCHETYPE.resolve("META-INF/maven/archetype-metadata.xml"));
        assertTrue(descriptor.contains("<defaultValue>${project.version}</defaultValue>"), descriptor);
        for (Path file : MainSources.filesOf(FILES, "")) {
            String name = FILES.relativize(file).toString();
            if (Files.isRegularFile(file) && !name.equals("pom.xml")) {
                assertTrue(
                        isIn(name, "src/main/java", descriptor)
                                || isIn(name, "src/test/java", descriptor)
                                || descriptor.contains("<include>" + name + "</include>"),
                        name);
            }
        }
    }

    private static boolean isIn(String name, String folder, String descriptor) {
        return name.startsWith(folder + "/") && descriptor.contains("<directory>" + folder + "</directory>");
    }
}
