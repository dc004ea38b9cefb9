package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a user of one module gets with it, from the class path that the build resolved for that module alone. */
final class ModulesAloneTest {
    private static final Set<String> NETTY = Set.of(
            "netty-transport",
            "netty-transport-classes-epoll",
            "netty-transport-native-epoll",
            "netty-transport-native-unix-common",
            "netty-common",
            "netty-buffer",
            "netty-resolver");

    private static final Pattern OURS = Pattern.compile(".*/([^/]+)/target/[^/]*");
    private static final Pattern JAR = Pattern.compile("(.*?)-\\d[^/]*\\.jar");

    @Test
    void eachProtocolComesWithoutTheOthersAndWithoutJGroups() throws Exception {
        Set<String> shell = union(NETTY, Set.of("amo-base", "amo-net", "jspecify", "slf4j-api"));
        assertEquals(shell, jarsOf("amo-scmp"));
        assertEquals(shell, jarsOf("amo-exon"));
        assertEquals(shell, jarsOf("amo-dpg"));
        assertEquals(Set.of("amo-base", "jspecify"), jarsOf("amo-linearizable"));
        assertEquals(Set.of("amo-base", "jspecify"), jarsOf("amo-core"));
        assertEquals(Set.of("amo-base", "jspecify"), jarsOf("amo-once"));
        assertEquals(Set.of("amo-base", "amo-once", "jspecify"), jarsOf("amo-jdbc"));
        assertEquals(Set.of("jspecify"), jarsOf("amo-base"));
        assertEquals(
                Set.of("amo-base", "amo-linearizable", "amo-once", "jspecify", "rocksdbjni"),
                jarsOf("amo-linearizable-rocksdb"));
    }

    /** Beside it stand the optional Micrometer and its libraries, which no user of it gets. */
    @Test
    void observationComesWithoutAnyProtocol() throws Exception {
        Set<String> jars = jarsOf("amo-observe");
        jars.removeIf(jar -> jar.matches("micrometer-.*|HdrHistogram|LatencyUtils"));
        assertEquals(Set.of("amo-base", "jspecify", "slf4j-api"), jars);
        assertTrue(jarsOf("amo-replication").stream().noneMatch(jar -> jar.startsWith("micrometer")));
    }

    @Test
    void replicationComesWithoutCorbaAndCorbaWithoutReplication() throws Exception {
        Set<String> replication = jarsOf("amo-replication");
        assertTrue(replication.containsAll(List.of("amo-core", "jgroups", "jgroups-raft")), replication::toString);
        assertTrue(replication.stream().noneMatch(jar -> jar.contains("jacorb")), replication::toString);
        Set<String> service = jarsOf("amo-kv");
        assertTrue(service.containsAll(List.of("rocksdbjni", "netty-handler")), service::toString);
        assertTrue(
                service.stream().noneMatch(jar -> jar.matches(".*jacorb.*|amo-(lab|testkit|cli)")), service::toString);
        Set<String> corba = jarsOf("amo-interceptors");
        assertTrue(corba.containsAll(List.of("amo-core", "jacorb")), corba::toString);
        assertTrue(corba.stream().noneMatch(jar -> jar.contains("jgroups")), corba::toString);
    }

    @Test
    void theSimulatorComesWithNoneOfThem() throws Exception {
        Map<String, Set<String>> with = new TreeMap<>();
        try (Stream<Path> modules = Files.list(MainSources.HOME)) {
            for (Path module : modules.filter(each -> Files.exists(each.resolve("pom.xml")))
                    .toList()) {
                String name = module.getFileName().toString();
                // The distribution holds everything; where it was built before, its class path is there.
                if (!Set.of("amo-lab", "amo-dist").contains(name)
                        && Files.exists(classPath(name))
                        && jarsOf(name).contains("amo-sim")) {
                    with.put(name, jarsOf(name));
                }
            }
        }
        assertEquals(Map.of(), with, "only the laboratory runs it");
        assertTrue(jarsOf("amo-lab").contains("amo-sim"));
    }

    @Test
    void theUsersCommandComesWithoutTheLaboratory() throws Exception {
        Set<String> jars = jarsOf("amo-cli");
        // Without these two, members have no TLS between them and keep no replies outside the heap.
        assertTrue(jars.containsAll(List.of("netty-handler", "chronicle-map")), jars::toString);
        assertEquals(
                List.of(
                        "amo-base",
                        "amo-corba-rmi",
                        "amo-core",
                        "amo-determinism",
                        "amo-dpg",
                        "amo-exon",
                        "amo-interceptors",
                        "amo-linearizable",
                        "amo-net",
                        "amo-observe",
                        "amo-replication",
                        "amo-scmp",
                        "amo-wrap"),
                jars.stream().filter(jar -> jar.startsWith("amo-")).toList());
        assertTrue(
                jars.stream().noneMatch(jar -> jar.matches("(rocksdb|aeron|ratis|jmh|xchart|netty-codec-native).*")),
                jars::toString);
    }

    private static Set<String> union(Set<String> some, Set<String> more) {
        return Stream.concat(some.stream(), more.stream()).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Path classPath(String module) {
        return MainSources.HOME.resolve(module).resolve("target/runtime.classpath");
    }

    /** Names of modules and jars without versions. */
    private static Set<String> jarsOf(String module) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String entry : Files.readString(classPath(module)).strip().split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                names.add(nameOf(entry));
            }
        }
        return names;
    }

    private static String nameOf(String entry) {
        Matcher ours = OURS.matcher(entry);
        if (ours.matches()) {
            return ours.group(1);
        }
        Matcher jar = JAR.matcher(Path.of(entry).getFileName().toString());
        assertTrue(jar.matches(), entry);
        return jar.group(1);
    }
}
