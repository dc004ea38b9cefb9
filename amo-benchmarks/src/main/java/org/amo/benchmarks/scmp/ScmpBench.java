package org.amo.benchmarks.scmp;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.benchmarks.link.LinkSettings;
import org.amo.benchmarks.link.LinkUnavailableException;
import org.amo.scmp.udp.ScmpServer;
import org.amo.scmp.udp.ScmpTransport;

/**
 * {@code amo bench scmp}: the experiments of Liskov, Shrira and Wroclawski, figures 3-2 and 3-3, on loopback and over a link
 * of 5 ms one way.
 */
public final class ScmpBench implements Bench {
    private static final byte[] KEY = "a key that is known to everybody".getBytes(StandardCharsets.US_ASCII);
    private static final int CONNECTIONS = 1_000_000;
    private static final int OUTSTANDING = 256;
    private static final int TURN_CALLS = 2_000;
    private static final int WARM_TURNS = 40;

    /** Two round trips against one are 2.0; on loopback the hand-over between threads is most of both. */
    private static final double LINK_CONNECT = 1.8;

    private static final double LOOPBACK_CONNECT = 1.3;
    private static final double CALLS_PER_CORE = 100_000;
    private static final long LINK_DELAY_MICROS = 5_000;

    private static final String UDP = "udp";
    private static final String SCMP = "scmp";
    private static final String NEW_CLIENT = "scmp new client";
    private static final String TCP_CONNECT = "tcp connect per call";
    private static final String TCP = "tcp persistent";
    private static final String SEALED = "scmp sealed";
    private static final String NEW_SOCKET = "scmp new socket";
    private static final List<String> NAMES = List.of(UDP, SCMP, NEW_CLIENT, TCP_CONNECT, TCP, SEALED, NEW_SOCKET);

    @Override
    public String name() {
        return "scmp";
    }

    @Override
    public String description() {
        return "The null call over SCMP against bare UDP and TCP, on loopback and over a link of 5 ms one way (which"
                + " needs root); first calls to a group by UDP and TCP; one-call clients beside hostile datagrams; calls a second; bytes of a connection.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        return Bench.failingAs("a call failed", () -> new Measurement(run.quick(), run.progress()).measure());
    }

    /** One run. */
    private static final class Measurement {
        private final boolean quick;
        private final Consumer<String> progress;
        private final Figures figures = new Figures("scmp");

        private Measurement(boolean quick, Consumer<String> progress) {
            this.quick = quick;
            this.progress = progress;
        }

        private Figures measure() throws Exception {
            int rounds = 5;
            figures.settings().put("messageBytes", NullCall.BYTES);
            figures.settings().put("rounds", rounds);
            figures.settings().put("linkOneWayMillis", LINK_DELAY_MICROS / 1_000);
            figures.settings().put("outstanding", OUTSTANDING);
            loopback(rounds, quick ? 1_000 : 3_000);
            link(rounds, quick ? 60 : 300);
            new FirstCalls(quick, progress, figures).measure();
            new HostileLoad(quick, progress, figures).measure();
            progress.accept("connections in memory");
            double bytes = ConnectionFootprint.bytesPerConnection(CONNECTIONS);
            figures.ratios().put("bytesPerConnection", bytes);
            figures.atMost("bytes of a connection, 1,000,000 of them", bytes, 64);
            figures.row("connection table", Map.of("connections", CONNECTIONS), Map.of("bytesPerConnection", bytes));
            figures.remarks()
                    .add("scmpOverUdpLatency: the paper's figure 3-2; tcpConnectOverScmpLatency: its figure 3-3, where"
                            + " each client calls once. Its text says that SCMP costs about as much as UDP in both,"
                            + " which the columns 'scmp, paper' draw, and TCP more; the cells of its tables are not"
                            + " legible in the copy at hand. A new client is a client id that the"
                            + " server never saw, on an open socket: a UDP socket is not bound to a server, so a"
                            + " program needs none for each. The rows with a socket of its own for each call show"
                            + " what opening a Netty channel costs on top.");
            return figures;
        }

        private void loopback(int rounds, int calls) throws Exception {
            Map<String, Object> found = new LinkedHashMap<>();
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            // Java's own selector is the one that runs everywhere, so the ratios are its; epoll has rows of its own.
            progress.accept("loopback, NIO");
            try (ScmpTransport client = ScmpTransport.openNio("amo-bench-client", 1);
                    ScmpTransport server = ScmpTransport.openNio("amo-bench-server", 1);
                    Servers servers = new Servers(server, any)) {
                LatencyRounds measured = compare(client, servers, rounds, calls, quick ? 40 : 600);
                addRatios(found, measured);
                addBars("loopback", measured, LOOPBACK_CONNECT);
                addRows("loopback nio", measured);
                pipelined("loopback nio", client, servers, found);
            }
            figures.ratios().put("loopback", found);
            try (ScmpTransport client = ScmpTransport.open("amo-bench-client", 1);
                    ScmpTransport server = ScmpTransport.open("amo-bench-server", 1);
                    Servers servers = new Servers(server, any)) {
                if (!client.isEpoll()) {
                    figures.remarks().add("no rows of the native epoll transport: its library does not load here");
                    return;
                }
                progress.accept("loopback, epoll");
                Map<String, Object> epoll = new LinkedHashMap<>();
                LatencyRounds measured = compare(client, servers, rounds, calls / 2, quick ? 20 : 300);
                addRatios(epoll, measured);
                addRows("loopback epoll", measured);
                pipelined("loopback epoll", client, servers, epoll);
                found.put("epoll", epoll);
            }
        }

        private void link(int rounds, int calls) throws Exception {
            progress.accept("link, " + LINK_DELAY_MICROS / 1_000 + " ms one way");
            try (LinkEmulator link = LinkEmulator.open(LinkSettings.delay(LINK_DELAY_MICROS))) {
                InetSocketAddress right = LinkEmulator.right(0);
                Servers servers = link.onRight(() -> new Servers(ScmpTransport.openNio("amo-bench-server", 1), right));
                LatencyRounds measured = link.onLeft(() -> {
                    try (ScmpTransport client = ScmpTransport.openNio("amo-bench-client", 1)) {
                        return compare(client, servers, rounds, calls, quick ? 40 : 600);
                    }
                });
                Map<String, Object> found = new LinkedHashMap<>();
                addRatios(found, measured);
                addBars("link", measured, LINK_CONNECT);
                addRows("link", measured);
                figures.ratios().put("link", found);
                servers.close();
                servers.transport.close();
            } catch (LinkUnavailableException e) {
                figures.remarks().add("the link ratios are left out: " + e.getMessage());
            }
        }

        /** The servers that are compared, on one event loop. */
        private static final class Servers implements AutoCloseable {
            private final ScmpTransport transport;
            private final Channel udp;
            private final ScmpServer scmp;
            private final ScmpServer sealed;
            private final ServerSocket tcp;

            private Servers(ScmpTransport transport, InetSocketAddress address) throws IOException {
                this.transport = transport;
                udp = BareUdp.server(transport, address);
                scmp = ScmpNull.server(transport, address, Optional.empty());
                sealed = ScmpNull.server(transport, address, Optional.of(KEY));
                tcp = TcpCalls.server(address);
            }

            private InetSocketAddress udpAddress() {
                return (InetSocketAddress) udp.localAddress();
            }

            @Override
            public void close() throws IOException {
                tcp.close();
                sealed.close();
                scmp.close();
                udp.close().awaitUninterruptibly(NullCall.TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
        }

        private static LatencyRounds compare(
                ScmpTransport client, Servers servers, int rounds, int calls, long limitSeconds) throws Exception {
            Map<String, NullCall> compared = new LinkedHashMap<>();
            try {
                InetSocketAddress scmp = servers.scmp.address();
                InetSocketAddress tcp = (InetSocketAddress) servers.tcp.getLocalSocketAddress();
                compared.put(UDP, new BareUdp(client, servers.udpAddress()));
                compared.put(SCMP, new ScmpNull(client, scmp, Optional.empty(), ScmpNull.Who.ONE_CLIENT));
                compared.put(NEW_CLIENT, new ScmpNull(client, scmp, Optional.empty(), ScmpNull.Who.NEW_CLIENT));
                compared.put(TCP_CONNECT, new TcpCalls(tcp, true));
                compared.put(TCP, new TcpCalls(tcp, false));
                compared.put(
                        SEALED,
                        new ScmpNull(client, servers.sealed.address(), Optional.of(KEY), ScmpNull.Who.ONE_CLIENT));
                compared.put(
                        NEW_SOCKET, new ScmpNull(client, scmp, Optional.empty(), ScmpNull.Who.NEW_CLIENT_AND_SOCKET));
                LatencyRounds measured = new LatencyRounds(compared);
                measured.run(rounds, calls, calls * 2, limitSeconds);
                return measured;
            } finally {
                compared.values().forEach(NullCall::close);
            }
        }

        private void addRatios(Map<String, Object> to, LatencyRounds measured) {
            to.put("scmpOverUdpLatency", measured.ratio(SCMP, UDP).median());
            to.put(
                    "tcpConnectOverScmpLatency",
                    measured.ratio(TCP_CONNECT, NEW_CLIENT).median());
            to.put("scmpOverTcpPersistentLatency", measured.ratio(SCMP, TCP).median());
            to.put(
                    "newSocketOverTcpConnectLatency",
                    measured.ratio(NEW_SOCKET, TCP_CONNECT).median());
        }

        private void addBars(String where, LatencyRounds measured, double connect) {
            figures.atMost(
                    "SCMP call / bare Netty UDP call, " + where,
                    measured.ratio(SCMP, UDP).median(),
                    1.05);
            figures.atLeast(
                    "TCP connect for each call / SCMP by a new client, " + where,
                    measured.ratio(TCP_CONNECT, NEW_CLIENT).median(),
                    connect);
        }

        private void addRows(String where, LatencyRounds measured) {
            for (String name : NAMES) {
                figures.row(name, Map.of("where", where), Map.of("microsPerCall", measured.micros(name)));
            }
            figures.row("scmp over udp", Map.of("where", where), Map.of("ratio", measured.ratio(SCMP, UDP)));
            figures.row(
                    "tcp connect over scmp new client",
                    Map.of("where", where),
                    Map.of("ratio", measured.ratio(TCP_CONNECT, NEW_CLIENT)));
            Map<String, Double> medians = new LinkedHashMap<>();
            for (String name : NAMES) {
                medians.put(name, measured.micros(name).median());
            }
            medians.put("scmp, paper", measured.micros(UDP).median());
            figures.columns()
                    .add(new Figures.Columns(
                            "scmp-" + where.replace(' ', '-'), "Null call, " + where, "microseconds", medians));
        }

        /** Short turns, so that other load on the machine meets both sides; and then our own client's rate. */
        private void pipelined(String where, ScmpTransport client, Servers servers, Map<String, Object> found)
                throws Exception {
            EventLoop loop = servers.udp.eventLoop();
            List<Rate> scmp = new ArrayList<>();
            List<Rate> bare = new ArrayList<>();
            List<Double> quotients = new ArrayList<>();
            try (Pump ours = Pump.scmp(servers.scmp.address(), loop, OUTSTANDING);
                    Pump theirs = Pump.bare(servers.udpAddress(), loop, OUTSTANDING)) {
                long start = System.nanoTime();
                for (int turn = 0; isWanted(turn, start); turn++) {
                    boolean oursFirst = turn % 2 == 0;
                    Rate first = (oursFirst ? ours : theirs).run(TURN_CALLS);
                    Rate second = (oursFirst ? theirs : ours).run(TURN_CALLS);
                    if (turn >= WARM_TURNS) {
                        scmp.add(oursFirst ? first : second);
                        bare.add(oursFirst ? second : first);
                        quotients.add(scmp.get(scmp.size() - 1).perServerCpuSecond()
                                / bare.get(bare.size() - 1).perServerCpuSecond());
                    }
                }
            }
            addPipelined("scmp pipelined", where, scmp);
            addPipelined("udp pipelined", where, bare);
            figures.row("scmp over udp pipelined", Map.of("where", where), Map.of("ratio", Spread.of(quotients)));
            found.put("scmpOverUdpCallsPerServerCpuSecond", Spread.of(quotients).median());
            double enough =
                    Math.min(CALLS_PER_CORE, 0.9 * perServerCpuSecond(bare).median());
            figures.atLeast(
                    "pipelined calls of a server core / the lower of 100,000 a second and 0.9 of the bare loop, "
                            + where,
                    perServerCpuSecond(scmp).median() / enough,
                    1);
            PipelinedLoad load = new PipelinedLoad(client, loop, OUTSTANDING, quick ? 4 : 20);
            addPipelined(
                    "scmp pipelined by its own client",
                    where,
                    List.of(load.scmp(servers.scmp.address(), quick ? 20_000 : 200_000)));
        }

        private boolean isWanted(int turn, long startNanos) {
            int turns = WARM_TURNS + (quick ? 40 : 200);
            boolean inTime = System.nanoTime() - startNanos < TimeUnit.SECONDS.toNanos(quick ? 12 : 120);
            return turn < turns && (inTime || turn < WARM_TURNS + 5);
        }

        private static Spread perServerCpuSecond(List<Rate> rates) {
            return Spread.of(rates.stream().map(Rate::perServerCpuSecond).toList());
        }

        private void addPipelined(String name, String where, List<Rate> rates) {
            figures.row(
                    name,
                    Map.of("where", where, "outstanding", OUTSTANDING),
                    Map.of(
                            "callsPerServerCpuSecond",
                            perServerCpuSecond(rates),
                            "callsPerSecond",
                            Spread.of(rates.stream().map(Rate::perSecond).toList())));
        }
    }
}
