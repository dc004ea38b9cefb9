package org.amo.cli.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.amo.cli.CommandProcess;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.amo.exon.udp.LossyRelay;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Both commands as processes with 64 MB of heap, and between them a link that loses, doubles and reorders. */
@Timeout(900)
class ExonProcessesTest {
    private static final Pattern GOES_ON = Pattern.compile("goes on with file at (\\d+) of");
    private static final double FAULTS = 0.1;

    @TempDir
    private Path folder = Path.of("unset");

    private Path into = Path.of("unset");
    private Path file = Path.of("unset");
    private Path secret = Path.of("unset");
    private int port;

    @BeforeEach
    void prepare() throws IOException {
        into = Files.createDirectory(folder.resolve("into"));
        file = folder.resolve("file");
        secret = Files.writeString(folder.resolve("secret"), "5e".repeat(32));
        try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
    }

    private CommandProcess receiver(String... more) throws IOException {
        return receiver(Stream.concat(Stream.of("--into", into.toString()), Stream.of(more)));
    }

    private CommandProcess receiver(Stream<String> more) throws IOException {
        return CommandProcess.start(
                newFile("recv"),
                Stream.concat(Stream.of("exon", "recv", "--port", "" + port, "--secret-file", secret.toString()), more)
                        .toArray(String[]::new));
    }

    private CommandProcess sender(LossyRelay relay, String... more) throws IOException {
        return CommandProcess.start(
                newFile("send"),
                Stream.concat(
                                Stream.of(
                                        "exon",
                                        "send",
                                        "127.0.0.1:" + relay.address().getPort(),
                                        "--secret-file",
                                        secret.toString()),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    private Path newFile(String name) {
        return folder.resolve(
                name + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    }

    private LossyRelay relay() throws IOException {
        return new LossyRelay(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 7)
                .faults(FAULTS, FAULTS, FAULTS);
    }

    private void writeFile(int megabytes) throws IOException {
        byte[] part = Contents.random(5, 1_000_000);
        try (OutputStream to = Files.newOutputStream(file)) {
            for (int i = 0; i < megabytes; i++) {
                part[i % 1_000]++;
                to.write(part);
            }
        }
    }

    private static void await(int seconds, Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(seconds))
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }

    /** Bytes that a killed receiver would find again. */
    private long noted() throws IOException {
        try (Stream<Path> entries = Files.list(into)) {
            return entries.anyMatch(each -> each.toString().endsWith(".note")) ? 1 : 0;
        }
    }

    private static long positionOf(CommandProcess receiver) throws IOException {
        Matcher matcher = GOES_ON.matcher(receiver.out());
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    /** Kills the receiver and then the sender, each in the middle. */
    private void arrivesThoughBothAreKilled(int megabytes, int seconds) throws Exception {
        writeFile(megabytes);
        try (LossyRelay relay = relay();
                CommandProcess firstReceiver = receiver();
                CommandProcess firstSender = sender(relay, file.toString())) {
            await(seconds, () -> noted() > 0);
            firstReceiver.kill();
            assertTrue(firstSender.process().isAlive(), firstSender::toString);
            try (CommandProcess secondReceiver = receiver("--count", "1")) {
                await(seconds, () -> positionOf(secondReceiver) > 0);
                firstSender.kill();
                try (CommandProcess secondSender = sender(relay, file.toString())) {
                    assertEquals(ExitCodes.OK, secondSender.awaitExit(seconds), secondSender.out());
                    assertEquals(ExitCodes.OK, secondReceiver.awaitExit(seconds), secondReceiver.out());
                    System.out.println(
                            firstReceiver.out() + firstSender.out() + secondReceiver.out() + secondSender.out());
                }
            }
            assertEquals("", firstSender.out(), "no progress where it is piped");
        }
        assertEquals(-1, Files.mismatch(file, into.resolve("file")));
        try (Stream<Path> left = Files.list(into)) {
            assertEquals(
                    0,
                    left.filter(each -> each.toString().endsWith(".part")
                                    || each.toString().endsWith(".note"))
                            .count());
        }
    }

    @Test
    void aFileArrivesThroughABadLinkThoughBothEndsAreKilled() throws Exception {
        arrivesThoughBothAreKilled(12, 120);
    }

    @Test
    @Tag("slow")
    void aGigabyteArrivesThroughABadLinkThoughBothEndsAreKilled() throws Exception {
        arrivesThoughBothAreKilled(1_000, 800);
    }

    /** At whichever moments: each side is killed some time after its partner has made progress. */
    private void arrivesThroughKills(int kills, long seed) throws Exception {
        writeFile(10);
        Random random = new Random(seed);
        try (LossyRelay relay = relay()) {
            CommandProcess receiver = receiver();
            CommandProcess sender = sender(relay, file.toString());
            try {
                for (int i = 0; i < kills && sender.process().isAlive(); i++) {
                    CommandProcess current = receiver;
                    await(120, () -> current.out().contains("listens"));
                    sender.process().waitFor(random.nextInt(3_000), TimeUnit.MILLISECONDS);
                    if (i % 2 == 0) {
                        receiver.kill();
                        receiver = receiver();
                    } else {
                        sender.kill();
                        sender = sender(relay, file.toString());
                    }
                }
                assertEquals(ExitCodes.OK, sender.awaitExit(300), sender.out());
            } finally {
                receiver.kill();
                sender.kill();
            }
        }
        assertEquals(-1, Files.mismatch(file, into.resolve("file")));
    }

    @Test
    @Tag("slow")
    void aFileArrivesThroughManyKills() throws Exception {
        for (int run = 0; run < 10; run++) {
            arrivesThroughKills(4, run);
            Files.delete(into.resolve("file"));
        }
    }

    @Test
    void linesArriveInTheirOrderThroughABadLink() throws Exception {
        String lines = IntStream.range(0, 3_000)
                .mapToObj(i -> "line " + i + " of them\n")
                .reduce("", String::concat);
        try (LossyRelay relay = relay();
                CommandProcess receiver = receiver(Stream.of("--lines"));
                CommandProcess sender = sender(relay, "--lines")) {
            try (OutputStream input = sender.process().getOutputStream()) {
                input.write(lines.getBytes(StandardCharsets.UTF_8));
            }
            assertEquals(ExitCodes.OK, sender.awaitExit(120), sender.out());
            assertEquals("sent 3000 lines\n", sender.out());
            assertEquals(
                    lines,
                    receiver.out()
                            .lines()
                            .filter(line -> line.startsWith("line "))
                            .map(line -> line + "\n")
                            .reduce("", String::concat));
        }
    }

    /** A pause longer than the time after which a silent receiver is given up, between two lines and before the end. */
    @Test
    void aPauseOfTheInputIsNoSilenceOfTheReceiver() throws Exception {
        try (LossyRelay relay = relay().faults(0, 0, 0);
                CommandProcess receiver = receiver(Stream.of("--lines"))) {
            await(60, () -> receiver.out().contains("listens"));
            try (CommandProcess sender = sender(relay, "--lines", "--give-up", "2s")) {
                OutputStream input = sender.process().getOutputStream();
                for (String line : List.of("one\n", "two\n")) {
                    input.write(line.getBytes(StandardCharsets.UTF_8));
                    input.flush();
                    await(60, () -> receiver.out().contains(line));
                    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2_500);
                    await(60, () -> System.nanoTime() > end);
                }
                input.close();
                assertEquals(ExitCodes.OK, sender.awaitExit(60), sender.out());
            }
        }
    }

    /** A receiver that was started again cannot know which lines the first one printed. */
    @Test
    void linesThatAKilledReceiverMayHavePrintedAreTold() throws Exception {
        try (LossyRelay relay = relay();
                CommandProcess first = receiver(Stream.of("--lines"));
                CommandProcess sender = sender(relay, "--lines")) {
            OutputStream input = sender.process().getOutputStream();
            input.write("one\n".getBytes(StandardCharsets.UTF_8));
            input.flush();
            await(60, () -> first.out().contains("one\n"));
            first.kill();
            try (CommandProcess second = receiver(Stream.of("--lines"))) {
                await(60, () -> second.out().contains("listens"));
                input.write("two\n".getBytes(StandardCharsets.UTF_8));
                input.close();
                assertEquals(ExitCodes.CHECK_FAILED, sender.awaitExit(120), sender.out());
                assertEquals(1, sender.out().lines().count(), sender.out());
            }
        }
    }

    /** The receiver goes on; the sender hears what to do, and does not send the rest in vain. */
    @Test
    void aFullDiskOfTheReceiverEndsTheSender() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")));
        writeFile(2);
        byte[] content = Files.readAllBytes(file);
        Path part = into.resolve(".amo-" + Contents.offer("file", content).key() + ".part");
        Files.createSymbolicLink(part, Path.of("/dev/full"));
        try (LossyRelay relay = relay();
                CommandProcess receiver = receiver("--count", "1")) {
            try (CommandProcess sender = sender(relay, file.toString())) {
                assertEquals(ExitCodes.ENVIRONMENT, sender.awaitExit(60), sender.out());
                assertEquals(1, sender.out().lines().count(), sender.out());
                assertTrue(sender.out().contains("No space left on device); make room"), sender.out());
            }
            Files.delete(part);
            try (CommandProcess sender = sender(relay, file.toString())) {
                assertEquals(ExitCodes.OK, sender.awaitExit(60), sender.out());
            }
            assertEquals(ExitCodes.OK, receiver.awaitExit(60), receiver.out());
        }
        assertEquals(-1, Files.mismatch(file, into.resolve("file")));
    }

    @Test
    void aSilentReceiverIsToldWithinTheTime() throws IOException {
        writeFile(1);
        Run run = Run.of("exon", "send", "127.0.0.1:" + port, file.toString(), "--insecure", "--give-up", "500ms");
        assertEquals(ExitCodes.ENVIRONMENT, run.exitCode());
        assertTrue(run.isOneLineOfError(), run.out() + run.err());
        assertTrue(run.err().contains("no answer of 127.0.0.1:" + port + " for 500ms"), run.err());
    }

    @Test
    void aTakenPortAndASecondReceiverOfAFolderAreTold() throws Exception {
        try (DatagramSocket taken = new DatagramSocket(port, InetAddress.getLoopbackAddress())) {
            Run run = Run.of("exon", "recv", "--port", "" + taken.getLocalPort(), "--lines", "--insecure");
            assertEquals(ExitCodes.ENVIRONMENT, run.exitCode());
            assertTrue(run.isOneLineOfError(), run.err());
        }
        try (CommandProcess first = receiver()) {
            await(60, () -> first.out().contains("listens"));
            Run run = Run.of("exon", "recv", "--port", "0", "--into", into.toString(), "--insecure");
            assertEquals(ExitCodes.ENVIRONMENT, run.exitCode());
            assertTrue(run.isOneLineOfError(), run.err());
        }
    }

    @Test
    void benchMeasuresBetweenTwoProcesses() {
        Run run = Run.of("exon", "bench", "--duration", "300ms", "--json", "-");
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("\"undelivered\":0"), run.out());
        assertTrue(run.out().matches("(?s).*\"messages\":[1-9].*"), run.out());
    }
}
