package org.amo.benchmarks.scmp;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.benchmarks.link.LinkSettings;
import org.amo.benchmarks.link.LinkUnavailableException;
import org.amo.net.CheckedFile;
import org.amo.replication.service.AmoClient.Transport;
import org.apache.ratis.thirdparty.io.grpc.Server;

/**
 * The first call of a new client to a group of three, by datagram and by TCP, sealed and not, beside the first call to one server by HTTP
 * and gRPC; on loopback and over links. Calls take turns, one by one.
 */
final class FirstCalls {
    private static final int ROUNDS = 3;
    private static final int LOOPBACK_ROUNDS = 5;
    private static final int[] ROUND_TRIPS_MILLIS = {10, 50};
    private static final int FAR_MILLIS = 50;
    private static final long LIMIT_SECONDS = 300;

    /** As docs recommend to make one: 64 hexadecimal digits, which are a key. */
    private static final String SECRET = "0123456789abcdef".repeat(4);

    private static final String UDP = "udp";
    private static final String SEALED_UDP = "udp sealed";
    private static final String ONLY = "udp, only call";
    private static final String SEALED_ONLY = "udp sealed, only call";
    private static final String TCP = "tcp";
    private static final String SEALED_TCP = "tcp sealed";
    private static final String HTTP = "http, one server";
    private static final String GRPC = "grpc, one server";
    private static final String LATER = "later call";

    private final boolean quick;
    private final Consumer<String> progress;
    private final Figures figures;
    private final Map<String, Object> ratios = new LinkedHashMap<>();

    /** Milliseconds of each kind of call, by round trips. */
    private final Map<String, List<Double>> millisOf = new LinkedHashMap<>();

    private final List<Double> roundTrips = new ArrayList<>();

    FirstCalls(boolean quick, Consumer<String> progress, Figures figures) {
        this.quick = quick;
        this.progress = progress;
        this.figures = figures;
    }

    /** The servers that are compared, in the network of the thread that makes them. */
    private static final class Servers implements AutoCloseable {
        final Path data = Files.createTempDirectory("amo-bench-first");
        final FirstCallGroup open;
        final FirstCallGroup sealed;
        final HttpServer http;
        final Server grpc;

        Servers(String host) throws Exception {
            open = new FirstCallGroup(host, Optional.empty(), data.resolve("open"));
            sealed = new FirstCallGroup(host, Optional.of(SECRET), data.resolve("sealed"));
            http = HttpFirstCall.server(new InetSocketAddress(host, 0));
            grpc = GrpcFirstCall.server(new InetSocketAddress(host, 0));
        }

        @Override
        public void close() throws IOException {
            grpc.shutdownNow();
            http.stop(0);
            sealed.close();
            open.close();
            CheckedFile.deleteTree(data);
        }
    }

    /** Adds rows, ratios and bars. */
    void measure() throws Exception {
        progress.accept("first calls, loopback");
        LatencyRounds near;
        try (Servers servers = new Servers("127.0.0.1")) {
            near = compare("127.0.0.1", servers, LOOPBACK_ROUNDS, quick ? 60 : 400, quick ? 200 : 1_500);
        }
        addRows(0, near);
        double overConnect = near.ratio(SEALED_UDP, SEALED_TCP).median();
        Map<String, Object> loopback = new LinkedHashMap<>();
        loopback.put("udpOverTcpConnect", overConnect);
        loopback.put("openUdpOverTcpConnect", near.ratio(UDP, TCP).median());
        double onlyOverConnect = near.ratio(SEALED_ONLY, SEALED_TCP).median();
        loopback.put("onlyCallOverTcpConnect", onlyOverConnect);
        ratios.put("loopback", loopback);
        figures.atMost("sealed first call by UDP / by TCP, loopback", overConnect, 0.6);
        figures.atMost("sealed only call by UDP / first call by TCP, loopback", onlyOverConnect, 0.6);
        double executionMicros = near.micros(LATER).median();
        for (int millis : ROUND_TRIPS_MILLIS) {
            progress.accept("first calls, round trip " + millis + " ms");
            overLink(millis, executionMicros);
        }
        figures.ratios().put("firstCall", ratios);
        addPlot();
        figures.remarks()
                .add("first calls: a new client, made and called in one process whose classes are loaded; the group is"
                        + " in memory. HTTP and gRPC call one server without replication and without TLS. The secret is"
                        + " a random key, so neither way stretches a password: TCP takes three round trips against one,"
                        + " and the bar of 4.0 for the sealed ratio is out of reach.");
    }

    /** The paper has no figure over a network with delays; its call is one message and its reply. */
    private void addPlot() {
        Map<String, Figures.Series> series = new LinkedHashMap<>();
        millisOf.forEach((name, millis) -> series.put(name, new Figures.Series(roundTrips, millis)));
        series.put("paper: one round trip", new Figures.Series(roundTrips, roundTrips));
        figures.plots()
                .add(new Figures.Plot(
                        "scmp-first-call",
                        "First call of a client to a group of three",
                        "round trip, milliseconds",
                        "median, milliseconds",
                        series));
    }

    private void overLink(int millis, double executionMicros) throws Exception {
        try (LinkEmulator link = LinkEmulator.open(LinkSettings.delay(millis * 500L))) {
            String host = LinkEmulator.right(0).getHostString();
            Servers servers = link.onRight(() -> new Servers(host));
            try {
                LatencyRounds measured =
                        link.onLeft(() -> compare(host, servers, ROUNDS, quick ? 6 : 60, quick ? 6 : 60));
                addRows(millis, measured);
                if (millis == FAR_MILLIS) {
                    addBars(millis, measured, executionMicros);
                }
            } finally {
                servers.close();
            }
        } catch (LinkUnavailableException e) {
            figures.remarks().add("first calls over a link are left out: " + e.getMessage());
        }
    }

    private static LatencyRounds compare(String host, Servers servers, int rounds, int calls, int warmUp)
            throws Exception {
        Map<String, NullCall> compared = new LinkedHashMap<>();
        try {
            compared.put(SEALED_UDP, new FirstCall(servers.sealed, Transport.AUTO));
            compared.put(SEALED_TCP, new FirstCall(servers.sealed, Transport.TCP));
            compared.put(SEALED_ONLY, new OnlyCall(servers.sealed));
            compared.put(ONLY, new OnlyCall(servers.open));
            compared.put(UDP, new FirstCall(servers.open, Transport.AUTO));
            compared.put(TCP, new FirstCall(servers.open, Transport.TCP));
            compared.put(
                    HTTP,
                    new HttpFirstCall(new InetSocketAddress(
                            host, servers.http.getAddress().getPort())));
            compared.put(GRPC, new GrpcFirstCall(new InetSocketAddress(host, servers.grpc.getPort())));
            compared.put(LATER, new LaterCall(servers.sealed));
            LatencyRounds measured = new LatencyRounds(compared);
            measured.run(rounds, calls, warmUp, LIMIT_SECONDS);
            return measured;
        } finally {
            compared.values().forEach(NullCall::close);
        }
    }

    /** So many round trips a call takes longer than its execution. */
    static double roundTrips(double micros, double executionMicros, int roundTripMillis) {
        return (micros - executionMicros) / (roundTripMillis * 1_000.0);
    }

    private void addRows(int millis, LatencyRounds measured) {
        measured.names()
                .forEach(name -> figures.row(
                        name.equals(LATER) ? LATER : "first call, " + name,
                        Map.of("roundTripMillis", millis),
                        Map.of("microsPerCall", measured.micros(name))));
        Map<String, Double> medians = new LinkedHashMap<>();
        measured.names().forEach(name -> medians.put(name, measured.micros(name).median() / 1_000));
        roundTrips.add((double) millis);
        medians.forEach((name, median) ->
                millisOf.computeIfAbsent(name, first -> new ArrayList<>()).add(median));
        figures.columns()
                .add(new Figures.Columns(
                        "scmp-first-call-" + millis,
                        "First call, round trip " + millis + " ms",
                        "milliseconds",
                        medians));
    }

    private void addBars(int millis, LatencyRounds measured, double executionMicros) {
        double trips = roundTrips(measured.micros(SEALED_UDP).median(), executionMicros, millis);
        double open = measured.ratio(TCP, UDP).median();
        double sealed = measured.ratio(SEALED_TCP, SEALED_UDP).median();
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("udpOverRoundTrip", trips);
        found.put("tcpOverUdp", open);
        found.put("sealedTcpOverSealedUdp", sealed);
        ratios.put("rtt" + millis, found);
        String where = ", round trip " + millis + " ms";
        figures.atMost("sealed first call by UDP beyond a later call on loopback / round trip" + where, trips, 1.2);
        figures.atLeast("first call by TCP / by UDP" + where, open, 2.0);
        figures.atLeast("sealed first call by TCP / by UDP" + where, sealed, 4.0);
    }
}
