package org.amo.observe;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.amo.base.DaemonThreads;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers GET and HEAD of {@code /metrics}, {@code /status}, {@code /health/live} and {@code /health/ready}, and the page of the group
 * at {@code /}, by the JDK's HTTP server. Nothing can be changed through it, but at the port of a {@link Trial}. A
 * port of this machine alone without a token answers no request that names a site, but for health.
 *
 * <p>Bounds: two requests are answered at a time, {@value LimitedWorkers#MOST_WAITING} wait and others lose their connection; a
 * request, from its first byte read to the last byte of its answer, has {@value #LIMIT_MILLIS} ms; a connection serves one request. The
 * JDK's server closes a connection on which no byte came for 30 s, and refuses a head of more than 380 kB; it throws at most 64 kB
 * of a request's body away. It limits the number of silent connections only by a system property that holds for all servers of the
 * process ({@code jdk.httpserver.maxConnections}), which is the user's to set.
 */
final class ObservationPort implements AutoCloseable {
    static final long LIMIT_MILLIS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(ObservationPort.class);
    private static final long START_MILLIS = 5_000;
    private static final int BACKLOG = 16;

    private static final String METRICS = "/metrics";
    private static final String STATUS = "/status";
    private static final String HEALTH = "/health/";
    private static final String LIVE = HEALTH + "live";
    private static final String READY = HEALTH + "ready";
    private static final List<String> PATHS = List.of(METRICS, STATUS, LIVE, READY);
    private static final Set<String> METHODS = Set.of("GET", "HEAD");
    private static final String BEARER = "Bearer ";

    /** The name and the addresses of a machine for itself: no site has one of them as its name. */
    private static final Pattern OF_NO_SITE =
            Pattern.compile("localhost|[0-9.]+|\\[[0-9a-f:.%]+]", Pattern.CASE_INSENSITIVE);

    private final String host;
    private final Observed observed;
    private final Supplier<List<Observed>> all;
    private final Optional<byte[]> token;
    private final LivePage live;
    private final LimitedWorkers workers;
    private final HttpServer server;

    private ObservationPort(
            String host,
            Observed observed,
            Supplier<List<Observed>> all,
            Optional<byte[]> token,
            LimitedWorkers workers,
            HttpServer server) {
        this.host = host;
        this.observed = observed;
        this.all = all;
        this.token = token;
        this.live = new LivePage(observed, token.isPresent());
        this.workers = workers;
        this.server = server;
    }

    /**
     * Listens from now on.
     *
     * @param observed the component of this port's status and health
     * @param all the components of its metrics
     * @throws IOException in one line with the remedy when the port cannot be had
     */
    static ObservationPort open(ObservationOptions options, Observed observed, Supplier<List<Observed>> all)
            throws IOException {
        return open(options, observed, all, LIMIT_MILLIS);
    }

    static ObservationPort open(
            ObservationOptions options, Observed observed, Supplier<List<Observed>> all, long limitMillis)
            throws IOException {
        HttpServer server = listening(options);
        LimitedWorkers workers = new LimitedWorkers(limitMillis);
        Optional<byte[]> token = options.token().map(text -> text.getBytes(StandardCharsets.UTF_8));
        ObservationPort port = new ObservationPort(options.host(), observed, all, token, workers, server);
        server.createContext("/", port::handle);
        server.setExecutor(workers);
        // The server's own thread is a daemon if the thread is one that starts it.
        DaemonThreads.join(DaemonThreads.start("amo-observe-start", server::start), START_MILLIS);
        if (!(observed instanceof Trial)) {
            // A run tells its page itself.
            port.tell();
        }
        return port;
    }

    private static HttpServer listening(ObservationOptions options) throws IOException {
        try {
            InetAddress host = InetAddress.getByName(options.host());
            return HttpServer.create(new InetSocketAddress(host, options.port()), BACKLOG);
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen for metrics and health on " + options.host() + ":" + options.port() + " ("
                            + e.getMessage() + "); stop the process that holds that port, or name another address",
                    e);
        }
    }

    private void tell() {
        LOG.info(
                "{} {}: metrics, health, status and a page by HTTP at {}",
                observed.kind(),
                observed.id(),
                server.getAddress());
        if (token.isEmpty() && !server.getAddress().getAddress().isLoopbackAddress()) {
            LOG.warn(
                    "any process that reaches {} can read the metrics and the status of {} {}; give a token",
                    server.getAddress(),
                    observed.kind(),
                    observed.id());
        }
    }

    /** The port that it has. */
    int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            HttpAnswer answer = answer(exchange);
            byte[] body = answer.text().getBytes(StandardCharsets.UTF_8);
            Headers headers = exchange.getResponseHeaders();
            answer.headers().forEach(headers::set);
            headers.set("Content-Type", answer.type());
            headers.set("Cache-Control", "no-store");
            headers.set("Connection", "close");
            if (exchange.getRequestMethod().equals("HEAD")) {
                headers.set("Content-Length", Integer.toString(body.length));
                exchange.sendResponseHeaders(answer.code(), -1);
            } else {
                exchange.sendResponseHeaders(answer.code(), body.length);
                exchange.getResponseBody().write(body);
                // The end of the exchange waits for the rest of the request before it sends what is left here.
                exchange.getResponseBody().flush();
            }
        }
    }

    private HttpAnswer answer(HttpExchange exchange) throws IOException {
        String path = String.valueOf(exchange.getRequestURI().getPath());
        boolean ofPage = live.has(path);
        if (!ofPage && !PATHS.contains(path)) {
            return HttpAnswer.line(
                    404, "there is no such page; there are " + LivePage.PAGE + ", " + String.join(", ", PATHS));
        }
        boolean form = live.takesForms(path);
        if (!form && !METHODS.contains(exchange.getRequestMethod())) {
            return HttpAnswer.line(405, "use GET or HEAD").with("Allow", "GET, HEAD");
        }
        if (form && !exchange.getRequestMethod().equals("POST")) {
            return HttpAnswer.line(405, "use the buttons of the page").with("Allow", "POST");
        }
        if (!path.startsWith(HEALTH) && mayBeOfAnotherSite(exchange.getRequestHeaders())) {
            return HttpAnswer.line(
                    403,
                    "this port has no token and answers requests to localhost or to an address alone; write"
                            + " http://127.0.0.1:" + port() + path + ", or give the port a token");
        }
        boolean admitted = isAdmitted(exchange.getRequestHeaders());
        boolean open = ofPage ? live.isOpen(path) : path.startsWith(HEALTH);
        if (!open && !admitted) {
            return HttpAnswer.line(401, "send the token of this port: Authorization: Bearer TOKEN")
                    .with("WWW-Authenticate", BEARER.strip());
        }
        try {
            if (form) {
                return live.post(exchange);
            }
            return ofPage
                    ? live.answer(
                            path,
                            admitted,
                            Optional.ofNullable(exchange.getRequestHeaders().getFirst(LivePage.VIEWER)))
                    : told(path, exchange.getRequestHeaders());
        } catch (RuntimeException e) {
            LOG.warn("{} of {} {} cannot be told", path, observed.kind(), observed.id(), e);
            return HttpAnswer.line(500, "a reading failed; the log of this process has the reason");
        }
    }

    private HttpAnswer told(String path, Headers headers) {
        return switch (path) {
            case METRICS -> metrics(headers);
            case STATUS -> new HttpAnswer(200, "application/json", observed.statusJson() + "\n");
            case READY -> ready(observed.readiness());
            default -> HttpAnswer.line(200, "live");
        };
    }

    private HttpAnswer metrics(Headers headers) {
        String accept = Optional.ofNullable(headers.get("Accept"))
                .map(values -> String.join(",", values))
                .orElse("");
        PrometheusText.Format format = PrometheusText.accepted(accept);
        return new HttpAnswer(200, format.contentType(), PrometheusText.write(all.get(), format));
    }

    private static HttpAnswer ready(Readiness now) {
        return now.obstacle()
                .map(why -> HttpAnswer.line(503, "not ready: " + why))
                .orElseGet(() -> HttpAnswer.line(200, "ready"));
    }

    /**
     * Whether a page of another site may have sent the request. A site can let its name stand for this machine's own address, and a
     * browser here then takes its page and this port for one origin (DNS rebinding); the header Host still has the site's name. With a
     * token the page reads nothing, and a port that other machines reach is not protected by its address in the first place.
     */
    private boolean mayBeOfAnotherSite(Headers headers) {
        if (token.isPresent() || !server.getAddress().getAddress().isLoopbackAddress()) {
            return false;
        }
        String named = Optional.ofNullable(headers.getFirst("Host")).orElse("").replaceFirst(":\\d*$", "");
        return !named.isEmpty()
                && !named.equalsIgnoreCase(host)
                && !OF_NO_SITE.matcher(named).matches();
    }

    private boolean isAdmitted(Headers headers) {
        if (token.isEmpty()) {
            return true;
        }
        String given = Optional.ofNullable(headers.getFirst("Authorization"))
                .filter(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length()))
                .map(value -> value.substring(BEARER.length()).strip())
                .orElse("");
        // In a time that tells nothing about the token.
        return MessageDigest.isEqual(token.get(), given.getBytes(StandardCharsets.UTF_8));
    }

    /** Ends all connections, those of requests under way too. Does not wait for a reading that is being taken. */
    @Override
    public void close() {
        server.stop(0);
        workers.close();
        live.close();
    }
}
