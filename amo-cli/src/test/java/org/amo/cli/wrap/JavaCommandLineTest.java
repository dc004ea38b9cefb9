package org.amo.cli.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JavaCommandLineTest {
    private static final String S = File.pathSeparator;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"-cp", "-classpath", "--class-path"})
    void theClassPathIsFoundAndWhatIsAddedStandsBehindIt(String option) {
        JavaCommandLine line = parse("java", "-Xmx1g", option, "app.jar", "-Da=b", "Main", "-cp", "x");
        assertEquals(
                List.of("java", "-Xmx1g", "-Da=b", "-Dp=q", "-cp", "app.jar" + S + "amo.jar", "Main", "-cp", "x"),
                line.with(List.of("amo.jar"), Map.of("p", "q")).words());
    }

    @Test
    void theClassPathMayBeJoinedToItsOption() {
        assertEquals("app.jar", parse("java", "--class-path=app.jar", "Main").classPath());
    }

    @Test
    void withoutAnOptionTheVariableCountsAndThenTheCurrentFolder() {
        assertEquals(
                "var.jar",
                JavaCommandLine.parse(List.of("java", "Main"), Optional.of("var.jar"))
                        .classPath());
        assertEquals(".", parse("/opt/jdk/bin/java", "Main").classPath());
    }

    @Test
    void argumentsOfTheProgramAreNotTouched() {
        JavaCommandLine line = parse("java", "Main", "-ORBInitRef", "x", "@file", "--", "-Dq=1");
        assertEquals(List.of("-ORBInitRef", "x", "@file", "--", "-Dq=1"), line.arguments());
        assertTrue(line.properties().isEmpty());
    }

    @Test
    void optionsWithAValueOfTheirOwnDoNotHideTheMainClass() {
        JavaCommandLine line =
                parse("java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-p", "mods", "Main", "a");
        assertEquals("Main", line.main());
        assertEquals(List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED", "-p", "mods"), line.options());
    }

    @Test
    void ofAPropertySetTwiceTheLastCounts() {
        assertEquals(
                Map.of("a", "2", "flag", ""),
                parse("java", "-Da=1", "-Da=2", "-Dflag", "Main").properties());
    }

    @Test
    void aJarBecomesAClassPathWithTheManifestsMainClass() throws IOException {
        Path jar =
                jar(Map.of("Main-Class", "com.example.Main", "Add-Opens", "java.base/java.lang java.base/java.util"));
        JavaCommandLine line = parse("java", "-Da=1", "-jar", jar.toString(), "arg");
        assertEquals("com.example.Main", line.main());
        assertEquals(jar.toString(), line.classPath());
        assertEquals(
                List.of(
                        "-Da=1",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED"),
                line.options());
        assertEquals(List.of("arg"), line.arguments());
    }

    @Test
    void aJarWithoutAMainClassIsTheUsersMistake() throws IOException {
        assertMistake("names no Main-Class", "java", "-jar", jar(Map.of()).toString());
    }

    @Test
    void anArgumentFileStandsForItsWords() throws IOException {
        Path file = folder.resolve("args");
        Files.writeString(file, "-cp \"my app.jar\" # the program\n-Da='b c'\n");
        JavaCommandLine line = parse("java", "@" + file, "Main");
        assertEquals("my app.jar", line.classPath());
        assertEquals(Map.of("a", "b c"), line.properties());
    }

    @Test
    void whatAmoCannotWrapIsSaidWithTheRemedy() {
        assertMistake("write the program after --");
        assertMistake("is not java", "python3", "x.py");
        assertMistake("names no main class", "java", "-cp", "app.jar");
        assertMistake("lacks its value", "java", "-cp");
        assertMistake("write -cp PATH MAINCLASS", "java", "-m", "mod/Main");
        assertMistake(
                "cannot read the jar",
                "java",
                "-jar",
                folder.resolve("none.jar").toString());
        assertMistake("cannot read java's argument file", "java", "@" + folder.resolve("none"), "Main");
    }

    private static void assertMistake(String words, String... command) {
        CliException e = assertThrows(CliException.class, () -> parse(command));
        assertEquals(ExitCodes.USER, e.exitCode());
        assertTrue(String.valueOf(e.getMessage()).contains(words), e.getMessage());
    }

    private Path jar(Map<String, String> attributes) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
        Path jar = folder.resolve("app.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream jarOut = new JarOutputStream(out, manifest)) {
            jarOut.finish();
        }
        return jar;
    }

    private static JavaCommandLine parse(String... words) {
        return JavaCommandLine.parse(List.of(words), Optional.empty());
    }
}
