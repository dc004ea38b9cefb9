package org.amo.determinism.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.amo.determinism.runtime.TimeSubstitutes;
import org.junit.jupiter.api.Test;

/** The classes that the agent leaves as they are, whichever class path they come from. */
final class ApplicationClassesTest {
    private static final ClassLoader PROGRAM = ApplicationClassesTest.class.getClassLoader();

    private final ApplicationClasses classes = ApplicationClasses.without(List.of());

    @Test
    void theJdksTheOrbsAmosAndThoseOfLoggingStayAsTheyAre() {
        for (String name : List.of(
                "java/util/UUID",
                "javax/sql/DataSource",
                "jdk/internal/misc/Unsafe",
                "sun/misc/Unsafe",
                "com/sun/net/httpserver/HttpServer",
                "org/omg/CORBA/ORB",
                "org/jacorb/orb/ORB",
                "org/amo/determinism/runtime/Draws",
                "org/amo/wrap/OperationsAgent",
                "org/slf4j/LoggerFactory",
                "org/apache/log4j/Logger",
                "org/apache/logging/log4j/Logger",
                "org/apache/commons/logging/Log",
                "org/jboss/logging/Logger",
                "org/jboss/logmanager/Logger",
                "ch/qos/logback/classic/Logger")) {
            assertFalse(classes.contain(PROGRAM, name), name);
            assertTrue(classes.isExcluded(name), name);
        }
    }

    /**
     * Operations may open its objects: an SCMP client with a clock and an id of the operation would send nothing again, and would be the
     * client of every member.
     */
    @Test
    void everyModuleOfAmoThatUsersTakeStaysAsItIs() throws IOException {
        List<String> packages = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of("").toAbsolutePath().getParent())) {
            for (Path root : modules.map(each -> each.resolve("src/main/java/org/amo"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> all = Files.list(root)) {
                    all.filter(Files::isDirectory)
                            .map(Path::getFileName)
                            .forEach(each -> packages.add(each.toString()));
                }
            }
        }
        packages.removeAll(List.of("benchmarks", "cli", "lab", "meetings", "sim", "testkit"));
        assertTrue(packages.containsAll(List.of("base", "core", "exon", "scmp", "replication")), packages::toString);
        for (String each : packages) {
            assertTrue(classes.isExcluded("org/amo/" + each + "/Type"), each);
        }
    }

    /** A class of each of the four. By another name the agent would rewrite its calls, too. */
    @Test
    void theAgentLeavesTheirCallsOfTheClock() {
        List<String> left = new ArrayList<>();
        ApplicationTransformer agent = new ApplicationTransformer(
                classes, EnumSet.of(Kind.TIME), false, (name, why) -> left.add(name + ": " + why));
        for (String name : List.of(
                "java.util.Timer",
                "org.jacorb.util.Time",
                "org.amo.base.HistoryWriter",
                "org.slf4j.event.EventRecordingLogger")) {
            byte[] bytes = RewrittenLoader.bytes(name);
            assertNull(agent.transform(PROGRAM, name.replace('.', '/'), null, null, bytes), name);
            byte[] ofTheApplication = agent.transform(PROGRAM, "com/example/Clock", null, null, bytes);
            assertNotNull(ofTheApplication, name);
            assertTrue(
                    new String(ofTheApplication, StandardCharsets.ISO_8859_1)
                            .contains(TimeSubstitutes.class.getName().replace('.', '/')),
                    name);
        }
        assertEquals(List.of(), left);
    }

    /** Also amo's examples, and packages with names that only begin alike. */
    @Test
    void allOtherClassesAreTheApplications() {
        for (String name : List.of(
                "com/example/Bank",
                "Bank",
                "javafx/Bank",
                "org/omgbank/Bank",
                "org/jacorbbank/Bank",
                "org/amo/examples/bank/BankServer",
                "org/amo/lab/blackbox/DrawingServer",
                "org/amo/corebank/Bank",
                "org/apache/commons/lang3/RandomUtils",
                "com/sunbank/Bank")) {
            assertTrue(classes.contain(PROGRAM, name), name);
        }
    }

    @Test
    void classesOfTheJdksLoadersStayAsTheyAreWhateverTheirNames() {
        assertFalse(classes.contain(null, "com/example/Bank"), "of the boot class path");
        assertFalse(classes.contain(ClassLoader.getPlatformClassLoader(), "com/example/Bank"));
    }

    @Test
    void theUserMayExcludeMorePackagesByTheNamesOfTheirClasses() {
        ApplicationClasses fewer = ApplicationClasses.without(List.of("com.example.metrics", "io.netty."));
        assertFalse(fewer.contain(PROGRAM, "com/example/metrics/Meter"));
        assertFalse(fewer.contain(PROGRAM, "io/netty/util/Recycler"));
        assertTrue(fewer.contain(PROGRAM, "com/example/Bank"));
        assertFalse(fewer.contain(PROGRAM, "java/util/UUID"), "beside those that are always excluded");
    }
}
