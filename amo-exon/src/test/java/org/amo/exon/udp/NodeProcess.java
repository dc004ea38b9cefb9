package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;

/**
 * A node in a process of its own, to be killed: it writes a line to its file for every message that it gets, and sends numbers to a
 * port if it is given one.
 */
final class NodeProcess implements AutoCloseable {
    static final NodeId ID = new NodeId(5, 5);
    static final NodeId TESTER = new NodeId(5, 6);

    /** A random key: a password would be stretched at each start. */
    static final String SECRET = "5e".repeat(32);

    /** Most messages of one datagram that wait for its application. */
    static final int MOST_HELD = 1_024;

    /** Twice a message of the greatest length: what a killed sender leaves behind is little. */
    private static final int WINDOW = 2 << 20;

    private static final String ENCRYPTED = "amo.test.encrypted";
    private static final String AS_TESTER = "amo.test.tester";

    private final Process process;

    private NodeProcess(Process process) {
        this.process = process;
    }

    /**
     * args: port, clock file, log file, port of the other node, first number (or -1 to send nothing), milliseconds that a message takes,
     * and folder of the inbox (or - for none).
     */
    public static void main(String[] args) throws Exception {
        Path log = Path.of(args[2]);
        int millis = Integer.parseInt(args[5]);
        NodeId self = Boolean.getBoolean(AS_TESTER) ? TESTER : ID;
        NodeId peer = Boolean.getBoolean(AS_TESTER) ? ID : TESTER;
        ExonEndpointOptions.Builder options = ExonEndpointOptions.builder(self, SECRET)
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])))
                .clockFile(Path.of(args[1]))
                .window(WINDOW)
                .core(ExonEndpointOptions.coreForHeap()
                        .maxSlots(MOST_HELD, MOST_HELD)
                        .build());
        if (Boolean.getBoolean(ENCRYPTED)) {
            options.encrypted();
        }
        if (!args[6].equals("-")) {
            options.durableInbox(Path.of(args[6]));
        }
        ExonEndpoint endpoint = ExonEndpoint.open(options.build(), new Ledger(log, millis));
        endpoint.hint(peer, new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[3])));
        append(log, "up\n");
        int next = Integer.parseInt(args[4]);
        while (next >= 0) {
            int number = next++;
            CompletableFuture<Void> unused = endpoint.send(
                            peer, ByteBuffer.allocate(100).putInt(number).array(), Duration.ofSeconds(60))
                    .thenAccept(outcome -> heard(log, number, outcome));
            append(log, "sent " + number + "\n");
        }
        Thread.currentThread().join();
    }

    /** An application whose changes and last position are one line of a file. */
    private static final class Ledger implements ExonReceiver {
        private final Path log;
        private final int millis;
        private long lastPosition;

        Ledger(Path log, int millis) throws IOException {
            this.log = log;
            this.millis = millis;
            for (String line : Files.exists(log) ? Files.readAllLines(log) : List.<String>of()) {
                int at = line.indexOf('@');
                lastPosition = at < 0 ? lastPosition : Long.parseLong(line.substring(at + 1));
            }
        }

        @Override
        public void onMessage(NodeId from, byte[] message) {
            write(message, "");
        }

        @Override
        public void onKept(long position, NodeId from, byte[] message) {
            if (position > lastPosition) {
                write(message, "@" + position);
                lastPosition = position;
            }
        }

        private void write(byte[] message, String end) {
            try {
                TimeUnit.MILLISECONDS.sleep(millis);
                append(log, ByteBuffer.wrap(message).getInt() + end + "\n");
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void heard(Path log, int number, Outcome outcome) {
        try {
            append(log, outcome + " " + number + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void append(Path log, String line) throws IOException {
        Files.writeString(log, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    static NodeProcess start(int port, Path folder, int testerPort, int firstNumber) throws IOException {
        return start(port, folder, testerPort, firstNumber, 0, "-");
    }

    /** A node that encrypts, and sends numbers from {@code firstNumber} on unless that is -1. */
    static NodeProcess encrypted(int port, Path folder, int testerPort, int firstNumber) throws IOException {
        return start(port, folder, testerPort, firstNumber, 0, "-", ENCRYPTED);
    }

    /** A receiver that takes so long for a message. */
    static NodeProcess slow(int port, Path folder, int millis, String inbox) throws IOException {
        return start(port, folder, 1, -1, millis, inbox);
    }

    /** A sender to the node at the port, of numbers from {@code firstNumber} on. Its log tells the outcomes. */
    static NodeProcess tester(Path folder, int port, int firstNumber) throws IOException {
        return start(0, folder, port, firstNumber, 0, "-", AS_TESTER);
    }

    private static NodeProcess start(
            int port, Path folder, int peersPort, int firstNumber, int millis, String inbox, String... properties)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        for (String property : properties) {
            command.add("-D" + property + "=true");
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                NodeProcess.class.getName(),
                "" + port,
                folder.resolve("clock").toString(),
                log(folder).toString(),
                "" + peersPort,
                "" + firstNumber,
                "" + millis,
                inbox));
        return new NodeProcess(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile())
                .start());
    }

    static Path log(Path folder) {
        return folder.resolve("log");
    }

    static List<String> lines(Path folder) throws IOException {
        Path log = log(folder);
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    /** Numbers that a receiver's application has; no number may come twice. */
    static Set<Integer> ledger(Path folder) throws IOException {
        Set<Integer> once = new TreeSet<>();
        for (String line : lines(folder)) {
            int at = line.indexOf('@');
            if (!line.startsWith("up")) {
                int number = Integer.parseInt(at < 0 ? line : line.substring(0, at));
                assertTrue(once.add(number), "message " + number + " is in the ledger twice");
            }
        }
        return once;
    }

    static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** As by kill -SIGNAL; the shell's own, since a bare machine has no program of that name. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
        assertTrue(kill.waitFor(10, TimeUnit.SECONDS) && kill.exitValue() == 0, "kill -" + name);
    }

    boolean alive() {
        return process.isAlive();
    }

    /** kill -9. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
