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
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.benchmarks.link.LinkSettings;
import org.amo.benchmarks.link.LinkUnavailableException;
import org.amo.benchmarks.report.BenchReport;
import org.amo.benchmarks.report.BenchRow;
import org.amo.benchmarks.report.Spread;
import org.amo.transport.scmp.ScmpServer;
import org.amo.transport.scmp.ScmpTransport;

/** {@code amo bench scmp}: the experiments of paper 000, figures 3-2 and 3-3, on loopback and over a link of 5 ms one way. */
public final class ScmpBench {
    private static final byte[] KEY = "a key that is known to everybody".getBytes(StandardCharsets.US_ASCII);
    private static final int CONNECTIONS = 1_000_000;
    private static final int OUTSTANDING = 256;
    private static final long LINK_DELAY_MICROS = 5_000;

    private static final String UDP = "udp";
    private static final String SCMP = "scmp";
    private static final String NEW_CLIENT = "scmp new client";
    private static final String TCP_CONNECT = "tcp connect per call";
    private static final String TCP = "tcp persistent";

    private final boolean quick;
    private final Consumer<String> progress;
    private final List<BenchRow> rows = new ArrayList<>();
    private final Map<String, Object> ratios = new LinkedHashMap<>();
    private final List<String> remarks = new ArrayList<>();

    private ScmpBench(boolean quick, Consumer<String> progress) {
        this.quick = quick;
        this.progress = progress;
    }

    /** Runs everything; {@code quick} ends within three minutes on two cores. */
    public static BenchReport run(boolean quick, Consumer<String> progress) throws Exception {
        return new ScmpBench(quick, progress).measure();
    }

    private BenchReport measure() throws Exception {
        int rounds = 5;
        loopback(rounds, quick ? 1_000 : 3_000);
        link(rounds, quick ? 60 : 300);
        progress.accept("connections in memory");
        double bytes = ConnectionFootprint.bytesPerConnection(CONNECTIONS);
        ratios.put("bytesPerConnection", bytes);
        rows.add(new BenchRow(
                "connection table", Map.of("connections", CONNECTIONS), Map.of("bytesPerConnection", bytes)));
        remarks.add(
                "scmpOverUdpLatency: the paper's figure 3-2 shows about 1; tcpConnectOverScmpLatency: its figure 3-3, where"
                        + " each client calls once. A new client is a client id that the server never saw, on an open socket: a UDP"
                        + " socket is not bound to a server, so a program needs none for each. The rows with a socket of its own for"
                        + " each call show what opening a Netty channel costs on top.");
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("quick", quick);
        settings.put("messageBytes", NullCall.BYTES);
        settings.put("rounds", rounds);
        settings.put("linkOneWayMillis", LINK_DELAY_MICROS / 1_000);
        settings.put("outstanding", OUTSTANDING);
        return new BenchReport("scmp", settings, rows, ratios, remarks);
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
        ratios.put("loopback", found);
        try (ScmpTransport client = ScmpTransport.open("amo-bench-client", 1);
                ScmpTransport server = ScmpTransport.open("amo-bench-server", 1);
                Servers servers = new Servers(server, any)) {
            if (!client.isEpoll()) {
                remarks.add("no rows of the native epoll transport: its library does not load here");
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
            ratios.put("link", found);
            servers.close();
            servers.transport.close();
        } catch (LinkUnavailableException e) {
            remarks.add("the link ratios are left out: " + e.getMessage());
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
                    "scmp sealed",
                    new ScmpNull(client, servers.sealed.address(), Optional.of(KEY), ScmpNull.Who.ONE_CLIENT));
            compared.put(
                    "scmp new socket",
                    new ScmpNull(client, scmp, Optional.empty(), ScmpNull.Who.NEW_CLIENT_AND_SOCKET));
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
        for (String name : List.of(UDP, SCMP, NEW_CLIENT, TCP_CONNECT, TCP, "scmp sealed", "scmp new socket")) {
            rows.add(new BenchRow(
                    name, Map.of("where", where), measured.micros(name).metrics("microsPerCall")));
        }
        rows.add(new BenchRow(
                "scmp over udp",
                Map.of("where", where),
                measured.ratio(SCMP, UDP).metrics("ratio")));
        rows.add(new BenchRow(
                "tcp connect over scmp new client",
                Map.of("where", where),
                measured.ratio(TCP_CONNECT, NEW_CLIENT).metrics("ratio")));
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
                quotients.add(
                        scmp.get(round).perServerCpuSecond() / bare.get(round).perServerCpuSecond());
            }
        }
        addPipelined("scmp pipelined", where, scmp);
        addPipelined("udp pipelined", where, bare);
        rows.add(new BenchRow(
                "scmp over udp pipelined",
                Map.of("where", where),
                Spread.of(quotients).metrics("ratio")));
        found.put("scmpOverUdpCallsPerServerCpuSecond", Spread.of(quotients).median());
    }

    private void addPipelined(String name, String where, List<PipelinedLoad.Rate> rates) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.putAll(Spread.of(rates.stream()
                        .map(PipelinedLoad.Rate::perServerCpuSecond)
                        .toList())
                .metrics("callsPerServerCpuSecond"));
        metrics.putAll(
                Spread.of(rates.stream().map(PipelinedLoad.Rate::perSecond).toList())
                        .metrics("callsPerSecond"));
        rows.add(new BenchRow(name, Map.of("where", where, "outstanding", OUTSTANDING), metrics));
    }
}
