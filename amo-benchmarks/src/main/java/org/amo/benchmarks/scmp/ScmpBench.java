package org.amo.benchmarks.scmp;

import io.netty.channel.Channel;
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
import org.amo.transport.scmp.ScmpServer;
import org.amo.transport.scmp.ScmpTransport;

/** {@code amo bench scmp}: the experiments of paper 000, figures 3-2 and 3-3, on loopback and over a link of 5 ms one way. */
public final class ScmpBench implements Bench {
    private static final byte[] KEY = "a key that is known to everybody".getBytes(StandardCharsets.US_ASCII);
    private static final int CONNECTIONS = 1_000_000;
    private static final int OUTSTANDING = 256;
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
        return "The null call over SCMP against bare UDP and TCP, on loopback and over a link of 5 ms one way (which needs"
                + " root); calls a second; bytes of a connection.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        try {
            return new Measurement(run.quick(), run.progress()).measure();
        } catch (IOException | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("a call failed: " + e, e);
        }
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
            progress.accept("connections in memory");
            double bytes = ConnectionFootprint.bytesPerConnection(CONNECTIONS);
            figures.ratios().put("bytesPerConnection", bytes);
            figures.row("connection table", Map.of("connections", CONNECTIONS), Map.of("bytesPerConnection", bytes));
            figures.remarks()
                    .add(
                            "scmpOverUdpLatency: the paper's figure 3-2 shows about 1; tcpConnectOverScmpLatency: its figure"
                                    + " 3-3, where each client calls once. A new client is a client id that the server never saw,"
                                    + " on an open socket: a UDP socket is not bound to a server, so a program needs none for"
                                    + " each. The rows with a socket of its own for each call show what opening a Netty channel"
                                    + " costs on top.");
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
                LatencyRounds measured = compare(client, servers, rounds, calls);
                addRatios(found, measured);
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
                LatencyRounds measured = compare(client, servers, rounds, calls / 2);
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
                        return compare(client, servers, rounds, calls);
                    }
                });
                Map<String, Object> found = new LinkedHashMap<>();
                addRatios(found, measured);
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

        private static LatencyRounds compare(ScmpTransport client, Servers servers, int rounds, int calls)
                throws Exception {
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
                measured.run(rounds, calls, calls * 2);
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
            figures.columns()
                    .add(new Figures.Columns(
                            "scmp-" + where.replace(' ', '-'), "Null call, " + where, "microseconds", medians));
        }

        private void pipelined(String where, ScmpTransport client, Servers servers, Map<String, Object> found)
                throws Exception {
            PipelinedLoad load = new PipelinedLoad(client, servers.udp.eventLoop(), OUTSTANDING, quick ? 2 : 10);
            int calls = quick ? 30_000 : 200_000;
            List<PipelinedLoad.Rate> scmp = new ArrayList<>();
            List<PipelinedLoad.Rate> bare = new ArrayList<>();
            List<Double> quotients = new ArrayList<>();
            for (int round = -1; round < (quick ? 3 : 5); round++) {
                boolean oursFirst = Math.floorMod(round, 2) == 0;
                PipelinedLoad.Rate first =
                        oursFirst ? load.scmp(servers.scmp.address(), calls) : load.bare(servers.udpAddress(), calls);
                PipelinedLoad.Rate second =
                        oursFirst ? load.bare(servers.udpAddress(), calls) : load.scmp(servers.scmp.address(), calls);
                if (round >= 0) {
                    scmp.add(oursFirst ? first : second);
                    bare.add(oursFirst ? second : first);
                    quotients.add(scmp.get(round).perServerCpuSecond()
                            / bare.get(round).perServerCpuSecond());
                }
            }
            addPipelined("scmp pipelined", where, scmp);
            addPipelined("udp pipelined", where, bare);
            figures.row("scmp over udp pipelined", Map.of("where", where), Map.of("ratio", Spread.of(quotients)));
            found.put("scmpOverUdpCallsPerServerCpuSecond", Spread.of(quotients).median());
        }

        private void addPipelined(String name, String where, List<PipelinedLoad.Rate> rates) {
            figures.row(
                    name,
                    Map.of("where", where, "outstanding", OUTSTANDING),
                    Map.of(
                            "callsPerServerCpuSecond",
                            Spread.of(rates.stream()
                                    .map(PipelinedLoad.Rate::perServerCpuSecond)
                                    .toList()),
                            "callsPerSecond",
                            Spread.of(rates.stream()
                                    .map(PipelinedLoad.Rate::perSecond)
                                    .toList())));
        }
    }
}
