package org.amo.jdbc.servlet;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.amo.base.Experimental;
import org.amo.jdbc.JoinedDataSource;
import org.amo.jdbc.servlet.StoredResponse.Header;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceExecutor;

/**
 * Runs requests with an {@code Idempotency-Key} header (draft-ietf-httpapi-idempotency-key-header) exactly once: POST and PATCH, in a
 * servlet container. The rest of the chain runs as the work of a call, and connections that it takes from the {@link JoinedDataSource} are
 * those of the call. A retry gets the first response, with {@code Idempotent-Replayed: true}. The same key with another request gets 422,
 * a duplicate of a request that runs waits, and gets 409 at the limit.
 *
 * <p>Responses with status 401, 403, 408, 425, 429 and from 500 on are not stored: the transaction is rolled back, and a retry runs
 * anew. The same holds for exceptions; a conflict in the database gets 503. Others are stored, without their cookies, and commit with the
 * changes that the application did not roll back itself.
 *
 * <p>The request's body and the response are held in memory. Work in other threads, and asynchronous processing, are outside of the
 * transaction; the latter is refused. Filters for authentication stand before this one. Any thread.
 */
@Experimental
public final class IdempotencyKeyFilter extends HttpFilter {
    private static final long serialVersionUID = 1L;

    private static final String HEADER = "Idempotency-Key";
    private static final Set<String> METHODS = Set.of("POST", "PATCH");

    /** A retry may get another answer by itself. */
    private static final Set<Integer> NOT_STORED = Set.of(401, 403, 408, 425, 429);

    private static final int FIRST_SERVER_ERROR = 500;
    private static final int PAYLOAD_TOO_LARGE = 413;
    private static final int UNPROCESSABLE = 422;

    private final transient OnceExecutor<Connection, SQLException> executor;
    private final transient JoinedDataSource dataSource;
    private final transient Settings settings;

    /**
     * Settings of a filter.
     *
     * @param isRequired whether a POST or PATCH without the header gets 400; otherwise it runs as without the filter. Default: no
     * @param isTimed whether keys are UUIDs of version 7 that count as their time ({@link IdempotencyKey#timed}). Default: no
     * @param maxRequestBytes a longer body gets 413. Default 1 MiB
     * @param tenant that a request's key belongs to. Default: the name of its user, or empty without one; then all such requests share
     *     their keys, and a response may reach another client that sends the same key with the same request
     */
    public record Settings(
            boolean isRequired, boolean isTimed, int maxRequestBytes, Function<HttpServletRequest, String> tenant) {
        private static final int DEFAULT_BYTES = 1 << 20;

        public Settings {
            if (maxRequestBytes < 0 || maxRequestBytes == Integer.MAX_VALUE) {
                throw new IllegalArgumentException("maxRequestBytes is no size of a body: " + maxRequestBytes);
            }
        }

        public static Settings defaults() {
            return new Settings(false, false, DEFAULT_BYTES, Settings::user);
        }

        private static String user(HttpServletRequest request) {
            return Optional.ofNullable(request.getRemoteUser()).orElse("");
        }
    }

    /**
     * A filter to be mapped to the paths whose requests have effects.
     *
     * @param dataSource that the application takes its connections from, over the database of the executor
     */
    public IdempotencyKeyFilter(
            OnceExecutor<Connection, SQLException> executor, JoinedDataSource dataSource, Settings settings) {
        this.executor = executor;
        this.dataSource = dataSource;
        this.settings = settings;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!METHODS.contains(request.getMethod())) {
            chain.doFilter(request, response);
            return;
        }
        List<String> values = Collections.list(request.getHeaders(HEADER));
        if (values.isEmpty() && !settings.isRequired()) {
            chain.doFilter(request, response);
            return;
        }
        IdempotencyKey key;
        try {
            key = keyOf(request, values);
        } catch (IllegalArgumentException e) {
            problem(response, HttpServletResponse.SC_BAD_REQUEST, String.valueOf(e.getMessage()));
            return;
        }
        Optional<HeldRequest> held = HeldRequest.of(request, settings.maxRequestBytes());
        if (held.isEmpty()) {
            problem(
                    response,
                    PAYLOAD_TOO_LARGE,
                    "a request with an Idempotency-Key has at most " + settings.maxRequestBytes() + " bytes");
            return;
        }
        answer(key, held.get(), response, chain);
    }

    private IdempotencyKey keyOf(HttpServletRequest request, List<String> values) {
        if (values.size() != 1) {
            throw new IllegalArgumentException(
                    "this request needs one header Idempotency-Key and has " + values.size() + ": send one");
        }
        String text = KeyHeader.parse(values.get(0));
        String tenant = settings.tenant().apply(request);
        return settings.isTimed()
                ? IdempotencyKey.timed(tenant, UUID.fromString(text))
                : IdempotencyKey.of(tenant, text);
    }

    private void answer(IdempotencyKey key, HeldRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HeldResponse held = new HeldResponse(response);
        AtomicBoolean begun = new AtomicBoolean();
        try {
            OnceExecutor.Reply reply = executor.execute(key, request.fingerprinted(), connection -> {
                if (begun.getAndSet(true)) {
                    throw new RolledBackException();
                }
                return run(connection, request, held, chain);
            });
            if (reply.replayed()) {
                response.setHeader("Idempotent-Replayed", "true");
            } else {
                held.sendCookies();
            }
            StoredResponse.decode(reply.body()).send(response);
        } catch (NotStoredException e) {
            held.sendCookies();
            e.response.send(response);
        } catch (RolledBackException e) {
            refuse(
                    response,
                    new OnceException(
                            OnceException.Reason.NOT_EXECUTED,
                            key + " was rolled back by the database and did not run; retry with the same key",
                            e));
        } catch (ChainException e) {
            throw e.thrown();
        } catch (OnceException e) {
            if (e.reason() == OnceException.Reason.SCHEMA) {
                throw new ServletException(e);
            }
            refuse(response, e);
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }

    private byte[] run(Connection connection, HeldRequest request, HeldResponse held, FilterChain chain)
            throws ChainException, NotStoredException {
        try {
            dataSource.within(connection, () -> {
                chain.doFilter(request, held);
                return held;
            });
        } catch (Exception e) {
            throw new ChainException(e);
        }
        StoredResponse told = held.toStored();
        if (told.status() >= FIRST_SERVER_ERROR || NOT_STORED.contains(told.status())) {
            throw new NotStoredException(told);
        }
        return told.encode();
    }

    private static void refuse(HttpServletResponse response, OnceException e) throws IOException {
        int status =
                switch (e.reason()) {
                    case KEY_REUSED -> UNPROCESSABLE;
                    case IN_PROGRESS -> HttpServletResponse.SC_CONFLICT;
                    case KEY_TOO_OLD, KEY_AHEAD -> HttpServletResponse.SC_BAD_REQUEST;
                    case NOT_EXECUTED, UNKNOWN, SCHEMA -> HttpServletResponse.SC_SERVICE_UNAVAILABLE;
                };
        if (status == HttpServletResponse.SC_CONFLICT || status == HttpServletResponse.SC_SERVICE_UNAVAILABLE) {
            response.setHeader("Retry-After", "1");
        }
        problem(response, status, String.valueOf(e.getMessage()));
    }

    /** RFC 9457. */
    private static void problem(HttpServletResponse response, int status, String detail) throws IOException {
        String text = "{\"status\":" + status + ",\"detail\":\""
                + detail.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
        new StoredResponse(
                        status,
                        List.of(new Header("Content-Type", "application/problem+json")),
                        text.getBytes(StandardCharsets.UTF_8))
                .send(response);
    }

    /** Ends the work with a response that is not stored. */
    private static final class NotStoredException extends ServletException {
        private static final long serialVersionUID = 1L;

        private final transient StoredResponse response;

        NotStoredException(StoredResponse response) {
            super("status " + response.status());
            this.response = response;
        }
    }

    /**
     * Ends a second run of the work before it begins: the first one met a conflict in the database. A container counts the filters of a
     * chain, and would leave out those that have run.
     */
    private static final class RolledBackException extends ServletException {
        private static final long serialVersionUID = 1L;
    }

    /** Ends the work with an exception of the chain; its cause may be a conflict in the database. */
    private static final class ChainException extends ServletException {
        private static final long serialVersionUID = 1L;

        private final Exception chain;

        ChainException(Exception chain) {
            super(chain);
            this.chain = chain;
        }

        ServletException thrown() throws IOException {
            if (chain instanceof RuntimeException e) {
                throw e;
            }
            if (chain instanceof IOException e) {
                throw e;
            }
            return chain instanceof ServletException e ? e : new ServletException(chain);
        }
    }
}
