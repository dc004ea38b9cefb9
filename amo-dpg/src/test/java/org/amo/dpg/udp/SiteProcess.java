package org.amo.dpg.udp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.dpg.DpgOptions;
import org.amo.dpg.Tag;
import org.awaitility.Awaitility;

/** A site in a process of its own, which sends all the time; it can be killed and stopped. */
final class SiteProcess implements AutoCloseable {
    private static final String SEGMENT = "segment";

    private final Process process;
    private final List<List<String>> segments = new ArrayList<>();

    private SiteProcess(Process process) {
        this.process = process;
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        DaemonThreads.start("amo-test-site-output", () -> read(out));
    }

    static SiteProcess start(int port, InetSocketAddress sequencer, List<InetSocketAddress> peers, boolean counts)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                SiteProcess.class.getName(),
                Boolean.toString(counts),
                Integer.toString(port),
                Integer.toString(sequencer.getPort())));
        peers.forEach(peer -> command.add(Integer.toString(peer.getPort())));
        return new SiteProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    private void read(BufferedReader out) {
        try {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                synchronized (this) {
                    if (line.equals(SEGMENT)) {
                        segments.add(new ArrayList<>());
                    } else {
                        segments.get(segments.size() - 1).add(line);
                    }
                }
            }
        } catch (IOException e) {
            // Killed.
        }
    }

    /** What it delivered in each of its segments, so far. */
    synchronized List<List<String>> segments() {
        return segments.stream().map(List::copyOf).toList();
    }

    /** SIGKILL, SIGSTOP or SIGCONT. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill -" + name + " " + process.pid() + " failed");
        }
    }

    /** Until a SIGSTOP that was sent has stopped it. */
    void awaitStop() {
        Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
        Awaitility.await().until(() -> {
            String text = Files.readString(stat);
            return text.startsWith(" T ", text.lastIndexOf(')') + 1);
        });
    }

    /** kill -9. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a site survived kill -9");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static DpgNodeOptions options(boolean counts) {
        DpgOptions.Builder core = DpgNodeOptions.coreFor(4);
        return DpgNodeOptions.builder(TestSite.SECRET)
                .core((counts ? core.countMessages(2_000, 16_000) : core).build())
                .build();
    }

    private static InetSocketAddress local(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    public static void main(String[] args) throws Exception {
        List<InetSocketAddress> peers = new ArrayList<>();
        for (int i = 3; i < args.length; i++) {
            peers.add(local(args[i]));
        }
        DpgEndpoint site = DpgEndpoint.open(
                DpgEndpointOptions.builder(options(Boolean.parseBoolean(args[0])), List.of(local(args[2])))
                        .listen(local(args[1]))
                        .peers(peers)
                        .build(),
                new DpgReceiver() {
                    @Override
                    public void onMessage(Tag tag, byte[] body, boolean own) {
                        System.out.println(tag);
                    }

                    @Override
                    public void onDummy(Tag tag) {
                        System.out.println(tag);
                    }

                    @Override
                    public void onSegment(Tag after) {
                        System.out.println(SEGMENT);
                    }
                });
        while (true) {
            site.send(new byte[100], Duration.ofSeconds(1));
            LockSupport.parkNanos(PausesTest.BETWEEN_NANOS);
        }
    }
}
