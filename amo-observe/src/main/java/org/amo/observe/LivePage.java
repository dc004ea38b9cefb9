package org.amo.observe;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.amo.base.observe.Observed;

/**
 * The page of a group, at {@code /}: plain HTML with the present values, and a script that asks for {@code /page.json} once a second.
 * The files hold no values; the values need the token of the port. Any thread.
 *
 * <p>A page that asks and leaves holds no thread and no connection, so a slow reader costs a worker for the time of one request at most.
 */
final class LivePage implements AutoCloseable {
    static final String PAGE = "/";
    static final String VALUES = "/page.json";
    static final String KILL = "/kill";

    /** Drawn by each open page; the bound of viewers counts them. */
    static final String VIEWER = "Amo-Viewer";

    private static final Map<String, String> FILES = Map.of(
            "/page.js", "text/javascript; charset=utf-8",
            "/page.css", "text/css; charset=utf-8",
            "/page.svg", "image/svg+xml");

    /** No code, style or connection but those of this port, and no frame around it. */
    private static final Map<String, String> GUARD = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
                    + " base-uri 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer");

    private static final int LONGEST_FORM = 512;
    private static final int NONCE_BYTES = 16;
    private static final String RETRY_SECONDS = "10";

    private final Optional<Trial> trial;
    private final PageText text;
    private final PageWatch watch;
    private final Viewers viewers = new Viewers();
    private final byte[] nonce;

    /** @param token whether the port has one */
    LivePage(Observed observed, boolean token) {
        byte[] random = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(random);
        String drawn = HexFormat.of().formatHex(random);
        this.nonce = drawn.getBytes(StandardCharsets.US_ASCII);
        this.trial = observed instanceof Trial run ? Optional.of(run) : Optional.empty();
        this.text = new PageText(observed, trial, token, drawn);
        this.watch = new PageWatch(observed);
    }

    /** Whether the page answers this path. */
    boolean has(String path) {
        return path.equals(PAGE) || path.equals(VALUES) || FILES.containsKey(path) || takesForms(path);
    }

    /** Whether this path needs no token: it holds no values, or asks for the token itself. */
    boolean isOpen(String path) {
        return path.equals(PAGE) || FILES.containsKey(path);
    }

    /** Whether this path takes a POST, and nothing else. */
    boolean takesForms(String path) {
        return path.equals(KILL) && trial.isPresent();
    }

    /** @param admitted whether the request bore the token */
    HttpAnswer answer(String path, boolean admitted, Optional<String> viewer) {
        if (FILES.containsKey(path)) {
            return guarded(new HttpAnswer(200, FILES.get(path), PageText.resource(path.substring(1))));
        }
        if (path.equals(PAGE)) {
            Optional<GroupPicture> picture = admitted ? watch.look() : Optional.empty();
            return guarded(new HttpAnswer(200, "text/html; charset=utf-8", text.html(picture)));
        }
        if (!viewers.admits(viewer.orElse(""), System.nanoTime())) {
            return HttpAnswer.line(
                            503,
                            Viewers.MOST + " pages of this member are open already; open that of another member, or"
                                    + " close one")
                    .with("Retry-After", RETRY_SECONDS);
        }
        return watch.look()
                .map(picture -> guarded(new HttpAnswer(200, "application/json", text.json(picture))))
                .orElseGet(() -> HttpAnswer.line(503, "the members have not been asked yet; ask again")
                        .with("Retry-After", "1"));
    }

    /** A form of the page; only the page knows the nonce, so another site cannot send it. */
    HttpAnswer post(HttpExchange exchange) throws IOException {
        Map<String, String> form =
                form(new String(exchange.getRequestBody().readNBytes(LONGEST_FORM), StandardCharsets.UTF_8));
        byte[] given = form.getOrDefault("nonce", "").getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(nonce, given)) {
            return HttpAnswer.line(403, "this form is not of the present page; load the page again");
        }
        String member = form.getOrDefault("member", "");
        Optional<String> obstacle = trial.orElseThrow().kill(member);
        String accept = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                .orElse("");
        if (accept.contains("text/html")) {
            // Without the script: back to the page.
            return HttpAnswer.line(303, "see the page").with("Location", PAGE);
        }
        return obstacle.map(why -> HttpAnswer.line(409, why)).orElseGet(() -> HttpAnswer.line(200, "killed " + member));
    }

    private static Map<String, String> form(String body) {
        Map<String, String> fields = new HashMap<>();
        int start = 0;
        while (start < body.length()) {
            int end = body.indexOf('&', start) < 0 ? body.length() : body.indexOf('&', start);
            int equals = body.indexOf('=', start);
            if (equals >= 0 && equals < end) {
                fields.put(decoded(body.substring(start, equals)), decoded(body.substring(equals + 1, end)));
            }
            start = end + 1;
        }
        return fields;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static HttpAnswer guarded(HttpAnswer answer) {
        HttpAnswer guarded = answer;
        for (Map.Entry<String, String> header : GUARD.entrySet()) {
            guarded = guarded.with(header.getKey(), header.getValue());
        }
        return guarded;
    }

    @Override
    public void close() {
        watch.close();
    }
}
