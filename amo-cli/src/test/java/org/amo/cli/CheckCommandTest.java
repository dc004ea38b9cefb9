package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code amo check}: its exit codes, its words and its JSON. */
final class CheckCommandTest {
    private static final String SERVANT =
            """
            public class Till extends org.omg.PortableServer.DynamicImplementation {
                public static void main(String[] args) {
                    System.out.println(System.nanoTime());
                }
                public void invoke(org.omg.CORBA.ServerRequest request) {
                    Ledger.note(request.operation());
                }
                public String[] _all_interfaces(org.omg.PortableServer.POA poa, byte[] id) {
                    return new String[0];
                }
            }
            """;

    private static final String CLOCK =
            "class Ledger { static void note(String text) {\nSystem.currentTimeMillis(); } }";
    private static final String THREAD =
            "class Ledger { static void note(String text) { System.currentTimeMillis();\nnew Thread().start(); } }";
    private static final String CLEAN = "class Ledger { static void note(String text) { } }";

    @TempDir
    private Path folder;

    private Path classes = Path.of("");

    @BeforeEach
    void compile() throws IOException {
        classes = Files.createDirectories(folder.resolve("classes"));
        compile(CLOCK);
    }

    private void compile(String ledger) throws IOException {
        Path till = Files.writeString(folder.resolve("Till.java"), SERVANT);
        Path other = Files.writeString(folder.resolve("Ledger.java"), ledger);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            assertTrue(compiler.getTask(
                            null,
                            files,
                            null,
                            List.of("-d", classes.toString(), "-g", "-proc:none"),
                            null,
                            files.getJavaFileObjects(till, other))
                    .call());
        }
    }

    private Run check(String... options) {
        return Run.of(Stream.of(
                        Stream.of("check"),
                        Arrays.stream(options),
                        Stream.of("--", "java", "-cp", classes.toString(), "Till"))
                .flatMap(words -> words)
                .toArray(String[]::new));
    }

    @Test
    void findingsAreExitCode1() {
        Run run = check();
        assertEquals(ExitCodes.CHECK_FAILED, run.exitCode(), run.err());
        assertTrue(
                run.out().contains("Ledger.note:2  Till.invoke > Ledger.note > System.currentTimeMillis"), run.out());
        assertTrue(run.out().contains("instead: take the time of the request"), run.out());
    }

    @Test
    void noneIsExitCode0() throws IOException {
        compile(CLEAN);
        Run run = check();
        assertEquals(ExitCodes.OK, run.exitCode(), run.out());
        assertTrue(
                run.out()
                        .startsWith(
                                "findings 0 (0 deterministic under the agent), accepted 0; operations 1, methods reached 2"),
                run.out());
    }

    @Test
    void underTheAgentTheFindingsThatItCoversDoNotCount() throws IOException {
        assertEquals(ExitCodes.OK, check("--agent", "on").exitCode());
        compile(THREAD);
        assertEquals(ExitCodes.CHECK_FAILED, check("--agent", "on").exitCode());
    }

    @Test
    void acceptedFindingsDoNotCount() {
        assertEquals(ExitCodes.OK, check("--accept", "clock:Ledger.note").exitCode());
        assertEquals(ExitCodes.OK, check("--exclude", "Ledger").exitCode());
        assertEquals(ExitCodes.CHECK_FAILED, check("--accept", "clock:Till").exitCode());
    }

    @Test
    void theObjectHasTheFieldsOfTheContract() throws IOException {
        Run run = check("--json", "-");
        JsonNode object = new ObjectMapper().readTree(run.out());
        JsonNode finding = object.path("findings").path(0);
        assertEquals("clock", finding.path("kind").asText());
        assertEquals("Ledger", finding.path("class").asText());
        assertEquals("note", finding.path("method").asText());
        assertEquals(2, finding.path("line").asInt());
        assertTrue(finding.path("deterministic").asBoolean());
        assertTrue(finding.path("advice").asText().startsWith("take the time"));
        assertEquals(1, object.path("sources").path("clock").asInt());
        Path file = folder.resolve("result.json");
        assertEquals(ExitCodes.CHECK_FAILED, check("--json", file.toString()).exitCode());
        assertEquals(object, new ObjectMapper().readTree(file.toFile()));
    }

    @Test
    void aJarIsReadWithTheJarsThatItsManifestNames() throws IOException {
        Path ledger = Files.createDirectories(folder.resolve("library"));
        Files.move(classes.resolve("Ledger.class"), ledger.resolve("Ledger.class"));
        jar(ledger, folder.resolve("ledger.jar"), new Manifest());
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Till");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "ledger.jar missing.jar");
        Path jar = jar(classes, folder.resolve("till.jar"), manifest);
        Run run = Run.of("check", "--", "java", "-Dsome=thing", "-jar", jar.toString(), "argument");
        assertEquals(ExitCodes.CHECK_FAILED, run.exitCode(), run.err());
        assertTrue(run.out().contains("Ledger.note:2"), run.out());
    }

    @Test
    void aProgramOnTheModulePathIsRead() {
        Run run = Run.of("check", "--", "java", "-p", classes.toString(), "-m", "till/Till");
        assertEquals(ExitCodes.CHECK_FAILED, run.exitCode(), run.err());
    }

    @Test
    void aBrokenClassIsOneLineAndExitCode3() throws IOException {
        Files.write(classes.resolve("Ledger.class"), new byte[] {1, 2, 3});
        Run run = check();
        assertEquals(ExitCodes.ENVIRONMENT, run.exitCode(), run.err());
        assertTrue(run.err().lines().count() == 1 && run.err().contains("Ledger cannot be read"), run.err());
    }

    @Test
    void aMissingClassIsALimit() throws IOException {
        Files.delete(classes.resolve("Ledger.class"));
        Run run = check();
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        assertEquals(
                1,
                run.out()
                        .lines()
                        .filter(line -> line.contains("Ledger is not on the class path"))
                        .count());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "check",
                "check --agent maybe -- java -cp . Till",
                "check -- ./start.sh",
                "check -- java",
                "check -- java -jar no-such.jar",
                "check -- java -cp no-such.jar Till",
                "check -- java -cp CLASSES NoSuchMain",
                "check -- java -cp CLASSES Till.java",
                "check --entry no.such.Type -- java -cp CLASSES Till",
                "check --accept frob:Till -- java -cp CLASSES Till",
                "check --json /no/such/folder/file.json -- java -cp CLASSES Till"
            })
    void aMistakeIsOneLineAndExitCode2(String line) {
        Run run = Run.of(line.replace("CLASSES", classes.toString()).split(" "));
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.out() + run.err());
    }

    @Test
    void aClassPathWithoutServantsNamesTheOption() throws IOException {
        Files.delete(classes.resolve("Till.class"));
        Run run = Run.of("check", "--", "java", "-cp", classes + File.pathSeparator + "no-such.jar", "Ledger");
        assertEquals(ExitCodes.USER, run.exitCode());
        assertTrue(
                run.isOneLineOfError()
                        && run.err().contains("--entry CLASS")
                        && run.err().contains("no-such.jar"),
                run.err());
    }

    @Test
    void helpTellsEveryOptionWithItsDefault() {
        Run.assertHelpTellsDefaults(List.of("check"));
    }

    private static Path jar(Path classes, Path jar, Manifest manifest) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
            }
        }
        return jar;
    }
}
