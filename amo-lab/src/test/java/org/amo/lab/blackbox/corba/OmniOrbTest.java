package org.amo.lab.blackbox.corba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.lab.blackbox.BankCluster;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client in C++ over omniORB: served, and failing over by the reference alone. Runs where omniORB is installed. */
class OmniOrbTest {
    private static final long MOST_SECONDS = 120;
    private static final int CALLS = 400;
    private static final String KEY = "/omni/bank/bank";

    @TempDir
    private static Path folder;

    private static Optional<BankCluster> running = Optional.empty();

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/omniidl"))
                        && Files.isExecutable(Path.of("/usr/bin/g++"))
                        && Files.exists(Path.of("/usr/include/omniORB4/CORBA.h")),
                "omniORB is not installed: apt-get install g++ omniidl libomniorb4-dev");
        // The bank has names that differ in case alone, which omniORB takes with -nc.
        Path idl = Path.of("../examples/bank/src/main/idl/bank.idl").toAbsolutePath();
        run(List.of("omniidl", "-bcxx", "-nc", idl.toString()));
        build("client");
        build("ft_client");
        running = Optional.of(BankCluster.start(BankCluster.Settings.bank("omni")));
    }

    @AfterAll
    static void stop() {
        running.ifPresent(BankCluster::close);
    }

    @Test
    void aClientOfOmniOrbIsServedAndFailsOverByTheReferenceAlone() throws Exception {
        BankCluster cluster = running.orElseThrow();
        Path said = folder.resolve("said");
        Process client = start(said, "client", cluster.reference(), "omni", Integer.toString(CALLS));
        try {
            Awaitility.await("the client calls")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> count(said, "balance ") >= 50);
            cluster.member(0).kill();
            requireSuccess(client, said);
        } finally {
            client.destroyForcibly();
        }
        long answered = count(said, "balance ");
        long maybe = count(said, "maybe");
        assertEquals(CALLS, answered + maybe);
        assertTrue(maybe <= 3, () -> "few calls meet the member's death, not " + maybe);

        Path again = folder.resolve("again");
        requireSuccess(start(again, "client", reference(cluster), "omni", "10"), again);
        assertEquals(10, count(again, "balance "), "the first address is dead from the start");
        long last = lastBalance(again);
        assertTrue(
                last >= answered + 10 && last <= answered + maybe + 10,
                () -> last + " deposits, " + answered + " answered, " + maybe + " perhaps");
        cluster.restart(cluster.member(0));
        cluster.awaitEqual();
    }

    @Test
    void withFtRequestWhatOmniOrbRepeatsByItselfRunsOnce() throws Exception {
        BankCluster cluster = running.orElseThrow();
        Path said = folder.resolve("ft");
        try (CuttingProxy proxy = new CuttingProxy(cluster.member(0).member().clientPort())) {
            String atA = address(cluster.member(0).member().clientPort());
            String atB = address(cluster.member(1).member().clientPort());
            requireSuccess(
                    start(
                            said,
                            "ft_client",
                            "corbaloc:" + atA + KEY,
                            "corbaloc:" + atB + KEY,
                            "corbaloc:" + address(proxy.port()) + "," + atB + KEY,
                            "ft",
                            // Otherwise it first asks where the object is, and loses only that answer.
                            "-ORBverifyObjectExistsAndType",
                            "0"),
                    said);
        }
        assertEquals(
                List.of(
                        "one after the other: 5 5",
                        "another body: BAD_PARAM",
                        "reply lost: 12 repeated",
                        "expired: TIMEOUT",
                        "ledger: 2 12"),
                read(said).lines().toList());
        cluster.awaitEqual();
        assertTrue(cluster.executedMoreThanOnce().isEmpty(), cluster.executedMoreThanOnce()::toString);
    }

    private static String address(int port) {
        return "iiop:1.2@127.0.0.1:" + port;
    }

    /** Published by the dead member, as a client may have it in a file. */
    private static String reference(BankCluster cluster) throws IOException {
        return Files.readString(cluster.member(0).reference()).strip();
    }

    private static void build(String program) throws Exception {
        Path source = Path.of("src/test/omniorb", program + ".cc").toAbsolutePath();
        run(List.of("g++", "-O0", "-I.", "-o", program, source.toString(), "bankSK.cc", "-lomniORB4", "-lomnithread"));
    }

    private static void run(List<String> words) throws Exception {
        Path said = folder.resolve(words.get(0) + ".log");
        requireSuccess(
                new ProcessBuilder(words)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start(),
                said);
    }

    private static Process start(Path said, String program, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(folder.resolve(program).toString()));
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
    }

    private static void requireSuccess(Process process, Path said) throws Exception {
        assertTrue(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS), () -> "it does not end: " + read(said));
        assertEquals(0, process.exitValue(), () -> read(said));
    }

    private static long count(Path said, String beginning) {
        return read(said).lines().filter(line -> line.startsWith(beginning)).count();
    }

    private static long lastBalance(Path said) {
        return read(said)
                .lines()
                .filter(line -> line.startsWith("balance "))
                .mapToLong(line -> Long.parseLong(line.substring("balance ".length())))
                .max()
                .orElse(0);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
