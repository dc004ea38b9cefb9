package org.amo.cli.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.Replica;
import org.amo.interceptors.MinorCodes;
import org.amo.observe.Observation;
import org.amo.replication.service.AmoReplica;
import org.amo.wrap.WrappedProgram;
import org.jacorb.orb.ORB;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.jul.JULServiceProvider;

/** What a wrapped program gets. */
class AmoClassPathTest {
    private static final long MOST_BYTES = 12_000_000;

    @TempDir
    private Path folder;

    @Test
    void aProgramWithAnOrbGetsOneJar() throws Exception {
        String own = path(ORB.class, org.omg.CORBA.ORB.class, Logger.class, JULServiceProvider.class);
        assertEquals(own + File.pathSeparator + AmoClassPath.jar(), wrapped(own).classPath());
    }

    @Test
    void aProgramWithoutAnOrbGetsAmosBesides() throws Exception {
        String own = path(AmoClassPathTest.class);
        assertEquals(
                Stream.of(ORB.class, org.omg.CORBA.ORB.class, Logger.class, JULServiceProvider.class)
                        .map(AmoClassPathTest::path)
                        .collect(Collectors.toCollection(TreeSet::new)),
                lent(wrapped(own)));
    }

    @Test
    void aProgramWithAnOldSlf4jGetsNothingOfAnother() throws Exception {
        for (String entry : List.of("org/slf4j/LoggerFactory.class", "org/slf4j/impl/StaticLoggerBinder.class")) {
            Files.createDirectories(folder.resolve(entry).getParent());
            Files.createFile(folder.resolve(entry));
        }
        Path jars = Files.createDirectories(folder.resolve("lib"));
        for (Class<?> type : List.of(ORB.class, org.omg.CORBA.ORB.class)) {
            Path jar = Path.of(path(type));
            Files.copy(jar, jars.resolve(jar.getFileName()));
        }
        JavaCommandLine line = wrapped(folder + File.pathSeparator + jars + File.separator + "*");
        assertEquals(List.of(), List.copyOf(lent(line)));
    }

    @Test
    void aProgramWithTheJbossRmiJarGetsAmosJarBeforeIt() throws Exception {
        String own = folder.resolve("jboss-rmi-api_1.0_spec-1.0.6.Final.jar").toString();
        assertTrue(wrapped(own).classPath().startsWith(AmoClassPath.jar() + File.pathSeparator + own));
    }

    /** Faults of tests change amo, so they must be where amo is. */
    @Test
    void faultsOnTheProgramsClassPathAreAmosLibraries() throws Exception {
        Path services = folder.resolve("faults/META-INF/services");
        Files.createDirectories(services);
        Files.writeString(services.resolve(FaultHooks.class.getName()), "com.example.Faults");
        String faults = folder.resolve("faults").toString();
        assertTrue(libraries(wrapped(faults)).contains(faults));
        assertFalse(libraries(wrapped("app.jar")).contains(faults));
        assertFalse(libraries(wrapped("app.jar")).contains("app.jar"));
    }

    @Test
    void theLibrariesAreAReplicaForCorbaAndLittleElse() throws Exception {
        List<String> entries = libraries(wrapped("app.jar"));
        for (Class<?> needed : List.of(Replica.class, AmoReplica.class, MinorCodes.class, Observation.class)) {
            assertTrue(entries.contains(path(needed)), needed + " is in none of " + entries);
        }
        for (String other : List.of(
                "rocksdb",
                "aeron",
                "quic",
                "jackson",
                "picocli",
                "amo-sim",
                "amo-cli",
                "amo-wrap",
                "chronicle",
                "jacorb")) {
            assertEquals(
                    List.of(),
                    entries.stream()
                            .filter(entry -> entry.contains("/" + other))
                            .toList(),
                    other);
        }
    }

    @Test
    void allOfItTogetherIsSmall() throws Exception {
        JavaCommandLine line = wrapped("app.jar");
        // In a build of all phases each entry is a jar; classes in folders are not packed, so they do not count.
        long bytes = Stream.concat(libraries(line).stream(), entries(line.classPath()))
                .distinct()
                .map(File::new)
                .filter(File::isFile)
                .mapToLong(File::length)
                .sum();
        assertTrue(bytes < MOST_BYTES, bytes + " bytes of jars: " + line.words());
    }

    private static JavaCommandLine wrapped(String classPath) {
        return AmoClassPath.addTo(
                JavaCommandLine.parse(List.of("java", "-cp", classPath, "Main"), Optional.empty()), Map.of());
    }

    private static List<String> libraries(JavaCommandLine line) {
        return entries(line.properties().get(WrappedProgram.LIBRARIES)).toList();
    }

    /** What stands behind the program's own entry. */
    private Set<String> lent(JavaCommandLine line) {
        return entries(line.classPath())
                .filter(entry -> !entry.equals(path(AmoClassPathTest.class))
                        && !entry.equals(AmoClassPath.jar())
                        && !entry.startsWith(folder.toString()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> entries(String classPath) {
        return Arrays.stream(classPath.split(File.pathSeparator, -1));
    }

    private static String path(Class<?>... types) {
        return Arrays.stream(types).map(AmoClassPathTest::path).collect(Collectors.joining(File.pathSeparator));
    }

    private static String path(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
