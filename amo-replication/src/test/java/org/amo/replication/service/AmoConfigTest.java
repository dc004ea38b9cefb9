package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Alone, since it looks at the threads and the properties of its process. */
@Isolated
final class AmoConfigTest {
    private static final String MEMBERS = "a=127.0.0.1:7801/9801,b=127.0.0.1:7802/9802";

    @TempDir
    private Path folder = Path.of("unset");

    private final Map<String, String> properties = new HashMap<>();
    private final Map<String, String> environment = new HashMap<>();

    @Test
    void aSystemPropertyComesBeforeTheEnvironmentAndThatBeforeTheFile() throws IOException {
        Path file = write("amo.group=of-the-file", "amo.http=1", "amo.id=a");
        environment.put("AMO_GROUP", "of-the-environment");
        environment.put("AMO_HTTP", "2");
        properties.put("amo.group", "of-the-properties");
        AmoConfig config = read(file);
        assertEquals(Optional.of("of-the-properties"), config.get("amo.group"));
        assertEquals(Optional.of("2"), config.get("amo.http"));
        assertEquals(Optional.of("a"), config.get("amo.id"));
        assertEquals(
                List.of("system property", "file " + file, "environment AMO_HTTP"),
                config.values().stream().map(AmoConfig.Value::origin).toList());
    }

    @Test
    void anEmptyVariableIsNone() throws IOException {
        environment.put("AMO_GROUP", " ");
        assertEquals(Optional.of("bank"), read(write("amo.group = bank")).get("amo.group"));
    }

    @Test
    void thePropertyNamesTheFileBeforeTheVariable() throws IOException {
        Path first = Files.writeString(folder.resolve("first"), "amo.group=first");
        Path second = Files.writeString(folder.resolve("second"), "amo.group=second");
        environment.put("AMO_CONFIG", second.toString());
        assertEquals(Optional.of("second"), read(Optional.empty()).get("amo.group"));
        properties.put("amo.config", first.toString());
        assertEquals(Optional.of("first"), read(Optional.empty()).get("amo.group"));
        assertEquals(Optional.of("second"), read(second).get("amo.group"));
    }

    @Test
    void anUnknownSettingIsToldWithTheNearestOne() throws IOException {
        Path file = write("amo.retentionMilis=1", "group=bank");
        assertEquals(
                List.of(
                        "unknown setting amo.retentionMilis in " + file + "; the nearest is amo.retentionMillis",
                        "unknown setting group in " + file + "; the nearest is amo.group"),
                read(file).mistakes());
        assertEquals(
                "unknown setting amo.retentionMilis in " + file
                        + "; the nearest is amo.retentionMillis; 1 more: see ./amo config check",
                message(() -> AmoConfig.load(file)));
    }

    @Test
    void oneThatStandsTwiceIsAMistake() throws IOException {
        Path file = write("amo.id=a", "amo.id=b");
        assertEquals(
                List.of("amo.id stands twice in " + file + "; remove one of the two"),
                read(file).mistakes());
    }

    @Test
    void valuesOfAWrongFormAreToldWithTheRightOne() throws IOException {
        Path file = write("amo.order=fifo", "amo.budget=much");
        environment.put("AMO_MEMBERS", "a=1");
        List<String> mistakes = read(file).mistakes();
        assertEquals(
                List.of(
                        "amo.members (environment AMO_MEMBERS): not a member: 'a=1'; write ID=HOST:ORDERPORT/CLIENTPORT, for"
                                + " example a=127.0.0.1:7801/9801",
                        "amo.order (file " + file + "): 'fifo' is not one of its values; write raft|sequencer",
                        "amo.budget (file " + file + "): 'much' is not a number (bytes); write digits alone"),
                mistakes);
    }

    @Test
    void aSecretDoesNotStandInTheFile() throws IOException {
        String mistake = read(write("amo.secret=9f3a9f3a9f3a9f3a")).mistakes().get(0);
        assertTrue(mistake.contains("amo.secretFile") && !mistake.contains("9f3a"), mistake);
    }

    @Test
    void relativePathsBelongToTheFolderOfTheFile() throws IOException {
        Path file = write("amo.secretFile=keys/secret", "amo.data=/srv/bank", "amo.history=../history");
        environment.put("AMO_HTTP_TOKEN_FILE", "token");
        AmoConfig config = read(file);
        assertEquals(Optional.of(folder.resolve("keys/secret").toString()), config.get("amo.secretFile"));
        assertEquals(Optional.of("/srv/bank"), config.get("amo.data"));
        assertEquals(Optional.of(folder.resolveSibling("history").toString()), config.get("amo.history"));
        assertEquals(Optional.of("token"), config.get("amo.httpTokenFile"));
        assertEquals(Optional.of("fd:3"), read(write("amo.secretFile=fd:3")).get("amo.secretFile"));
    }

    @Test
    void aFileThatCannotBeReadIsNamed() {
        Path file = folder.resolve("none");
        assertTrue(message(() -> AmoConfig.load(file)).startsWith("cannot read the settings in " + file));
    }

    @Test
    void theCheckComparesSettingsAndReadsFiles() throws IOException {
        Path file = write(
                "amo.group=bank",
                "amo.id=x",
                "amo.members=" + MEMBERS,
                "amo.insecure=true",
                "amo.secretFile=none",
                "amo.tls.keyStore=none",
                "amo.httpTokenFile=none",
                "amo.http=port");
        List<String> mistakes = read(file).check();
        assertEquals(7, mistakes.size(), mistakes.toString());
        assertEquals("amo.id x is not in amo.members; write one of a, b, or add it to amo.members", mistakes.get(0));
        assertTrue(mistakes.contains("amo.insecure=true excludes amo.secretFile; remove one of the two"));
        assertEquals(
                List.of("no security chosen; set amo.secretFile, equal at all members, or amo.tls.keyStore, or"
                        + " amo.insecure=true if only trusted machines reach the ports"),
                read(write("amo.group=bank", "amo.id=a", "amo.members=" + MEMBERS))
                        .check());
        Files.writeString(folder.resolve("secret"), "short");
        assertTrue(read(write("amo.secretFile=secret")).check().get(0).contains("openssl rand -hex 32"));
        assertEquals(
                List.of(),
                read(write("amo.group=bank", "amo.id=a", "amo.insecure=true", "amo.members=" + MEMBERS))
                        .check());
    }

    @Test
    void aMemberAndAClientTakeTheirSettingsFromIt() throws IOException {
        Files.writeString(folder.resolve("secret"), "9f3a9f3a9f3a9f3a");
        AmoConfig config = read(write(
                "amo.group=bank",
                "amo.id=a",
                "amo.members=" + Member.format(FreePorts.members(1)),
                "amo.data=data",
                "amo.log=file",
                "amo.secretFile=secret",
                "amo.budget=134217728",
                "amo.deadlineMillis=20000"));
        try (AmoReplica member = start(config);
                AmoClient client = AmoClient.builder(config).build()) {
            assertEquals("a", member.id());
            byte[] request = {1, 2, 3};
            assertArrayEquals(request, client.call(request, Duration.ofSeconds(20)));
            assertTrue(Files.isDirectory(folder.resolve("data/bank/a")));
        }
        // The group has the budget of the file, and says so to a member that was given another one.
        properties.put("amo.budget", "268435456");
        String why = message(
                () -> start(read(Optional.of(folder.resolve("amo.properties")))).close());
        assertTrue(why.contains("amo.budget=134217728, not 268435456"), why);
        // It was refused during its election, whose thread would keep the process alive.
        await().atMost(Duration.ofSeconds(20)).until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("voting-thread")));
    }

    /** With the store in the heap nothing reads this one. */
    @Test
    void aSettingOfTheProcessBecomesASystemPropertyUnlessItIsOne() throws IOException {
        String name = "amo.heapReplyBytes";
        AmoConfig config = read(write("amo.group=bank", "amo.id=a", "amo.members=" + MEMBERS, name + "=1000000000"));
        try {
            AmoReplica.Builder unused = AmoReplica.builder(config);
            assertEquals("1000000000", System.getProperty(name));
            System.setProperty(name, "2000000000");
            unused = AmoReplica.builder(config);
            assertEquals("2000000000", System.getProperty(name));
        } finally {
            System.clearProperty(name);
        }
    }

    @Test
    void aMissingSettingIsToldByItsNames() throws IOException {
        Path file = write("amo.group=bank", "amo.members=" + MEMBERS);
        assertEquals(
                "AmoReplica.builder(AmoConfig) needs amo.id; add it to " + file + ", or set AMO_ID",
                message(() -> AmoReplica.builder(read(file))));
        assertEquals(
                "AmoClient.builder(AmoConfig) needs amo.group; add it to a file amo.properties, or set AMO_GROUP",
                message(() -> AmoClient.builder(read(Optional.empty()))));
    }

    private static AmoReplica start(AmoConfig config) {
        return AmoReplica.builder(config)
                .handler((request, context) -> request)
                .withoutSnapshots()
                .start();
    }

    private Path write(String... lines) throws IOException {
        return Files.write(folder.resolve("amo.properties"), List.of(lines));
    }

    private AmoConfig read(Path file) {
        return read(Optional.of(file));
    }

    private AmoConfig read(Optional<Path> file) {
        return AmoConfig.read(file, properties::get, environment);
    }

    private static String message(Runnable attempt) {
        return String.valueOf(assertThrows(RuntimeException.class, attempt::run).getMessage());
    }
}
