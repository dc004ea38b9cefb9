package org.amo.jdbc.servlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.servlet.Filter;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.jdbc.JdbcResultStore;
import org.amo.jdbc.JoinedDataSource;
import org.amo.jdbc.OnceSchema;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceOptions;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The filter in Tomcat, over H2; the servlet takes its connections as a framework does. */
@Timeout(60)
final class IdempotencyKeyFilterTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final AtomicInteger RUNS = new AtomicInteger();

    /** Runs of the filter between the tested one and the servlet. */
    private static final AtomicInteger BEHIND = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static JoinedDataSource dataSource;
    private static Tomcat tomcat;
    private static volatile CountDownLatch entered;
    private static volatile CountDownLatch go;

    @BeforeAll
    static void start() throws Exception {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:filter;DB_CLOSE_DELAY=-1");
        dataSource = JoinedDataSource.over(h2);
        OnceSchema.create(dataSource);
        update("CREATE TABLE payment (line VARCHAR(200))");
        OnceExecutor<Connection, SQLException> once = OnceExecutor.over(
                JdbcResultStore.over(dataSource),
                OnceOptions.builder().lockTimeout(Duration.ofMillis(300)).build());
        tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, "pay", new PayServlet()).setAsyncSupported(true);
        context.addServletMapping("/*", "pay");
        add(context, "/pay", once, IdempotencyKeyFilter.Settings.defaults());
        add(context, "/strict", once, new IdempotencyKeyFilter.Settings(true, true, 100, request -> Optional.ofNullable(
                        request.getHeader("X-Tenant"))
                .orElse("")));
        add(context, "behind", "/*", (request, response, chain) -> {
            BEHIND.incrementAndGet();
            chain.doFilter(request, response);
        });
        tomcat.start();
    }

    private static void add(
            Context context,
            String path,
            OnceExecutor<Connection, SQLException> once,
            IdempotencyKeyFilter.Settings settings) {
        add(context, path, path, new IdempotencyKeyFilter(once, dataSource, settings));
    }

    private static void add(Context context, String name, String pattern, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName(name);
        map.addURLPattern(pattern);
        context.addFilterMap(map);
    }

    @AfterAll
    static void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
    }

    @BeforeEach
    void empty() throws Exception {
        update("DELETE FROM payment; DELETE FROM amo_once");
        RUNS.set(0);
        BEHIND.set(0);
    }

    /** Pays by the rules of the body; each run has another reply. */
    private static final class PayServlet extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.addCookie(new Cookie("run", Integer.toString(RUNS.incrementAndGet())));
            String body = request.getParameter("what");
            if (body == null) {
                body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            }
            try {
                insert(body, body.contains("undone"));
                if (body.contains("wait")) {
                    entered.countDown();
                    assertTrue(go.await(20, TimeUnit.SECONDS));
                }
            } catch (SQLException | InterruptedException e) {
                throw new IOException(e);
            }
            if (body.contains("conflict") && RUNS.get() == 1) {
                throw new IllegalStateException(new SQLException("dead-lock", "40P01"));
            }
            if (body.contains("throw")) {
                throw new IllegalStateException("the application's");
            }
            if (body.contains("async")) {
                request.startAsync();
            }
            if (body.contains("fail")) {
                response.sendError(503, "not now");
                return;
            }
            if (body.startsWith("status ")) {
                response.setStatus(Integer.parseInt(body.substring("status ".length())));
                return;
            }
            if (body.contains("see other")) {
                response.sendRedirect("/payments/" + System.nanoTime(), HttpServletResponse.SC_SEE_OTHER);
                return;
            }
            if (body.contains("refuse")) {
                response.sendError(409, "too little money " + System.nanoTime());
                return;
            }
            response.setStatus(201);
            response.setContentType("text/plain");
            response.setDateHeader("Expires", 0);
            response.setHeader("Location", "/payments/" + System.nanoTime());
            response.addHeader("Set-Cookie", "session=secret");
            response.getWriter().write("paid " + System.nanoTime());
        }

        /** As a framework does with a transaction by annotation. */
        private static void insert(String line, boolean isUndone) throws SQLException {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO payment VALUES (?)")) {
                    insert.setString(1, line);
                    insert.executeUpdate();
                }
                if (isUndone) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
                connection.setAutoCommit(true);
            }
        }
    }

    private static void update(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long count(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM " + sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static HttpRequest.Builder request(String path, String body) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path))
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString(body));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> pay(String key, String body) throws Exception {
        return send(request("/pay", body).header("Idempotency-Key", key));
    }

    private static boolean isReplayed(HttpResponse<?> response) {
        return response.headers().firstValue("Idempotent-Replayed").isPresent();
    }

    @Test
    void aRetryGetsTheFirstResponse() throws Exception {
        HttpResponse<String> first = pay("\"k\"", "5");
        assertEquals(201, first.statusCode());
        assertFalse(isReplayed(first));
        assertTrue(first.headers().firstValue("Set-Cookie").isPresent());
        assertTrue(
                "text/plain;charset=utf-8"
                        .equalsIgnoreCase(
                                first.headers().firstValue("Content-Type").orElse("")),
                first.headers().map().toString());
        assertEquals(
                "Thu, 01 Jan 1970 00:00:00 GMT",
                first.headers().firstValue("Expires").orElse(""));
        // As a string of structured headers, and bare.
        HttpResponse<String> again = pay("k", "5");
        assertTrue(isReplayed(again));
        assertEquals(201, again.statusCode());
        assertEquals(first.body(), again.body());
        for (String header : List.of("Location", "Content-Type")) {
            assertEquals(first.headers().firstValue(header), again.headers().firstValue(header));
        }
        assertTrue(again.headers().firstValue("Set-Cookie").isEmpty());
        assertEquals(1, RUNS.get());
        assertEquals(1, count("payment"));
    }

    @Test
    void anotherRequestUnderTheKeyIsUnprocessable() throws Exception {
        pay("k", "5");
        HttpResponse<String> other = pay("k", "6");
        assertEquals(422, other.statusCode());
        assertEquals(
                "application/problem+json",
                other.headers().firstValue("Content-Type").orElse(""));
        HttpResponse<String> query = send(request("/pay?x=1", "5").header("Idempotency-Key", "k"));
        assertEquals(422, query.statusCode());
        assertEquals(1, count("payment"));
    }

    @Test
    void aDuplicateOfARequestThatRunsIsAConflictAtTheLimit() throws Exception {
        entered = new CountDownLatch(1);
        go = new CountDownLatch(1);
        CompletableFuture<HttpResponse<String>> first = CLIENT.sendAsync(
                request("/pay", "wait").header("Idempotency-Key", "k").build(), BodyHandlers.ofString());
        assertTrue(entered.await(20, TimeUnit.SECONDS));
        HttpResponse<String> duplicate = pay("k", "wait");
        assertEquals(409, duplicate.statusCode());
        assertEquals("1", duplicate.headers().firstValue("Retry-After").orElse(""));
        go.countDown();
        assertEquals(201, first.get(20, TimeUnit.SECONDS).statusCode());
        assertTrue(isReplayed(pay("k", "wait")));
        assertEquals(1, count("payment"));
    }

    @Test
    void aRefusalIsStoredAndItsRollbackStays() throws Exception {
        HttpResponse<String> first = pay("k", "undone refuse");
        assertEquals(409, first.statusCode());
        assertTrue(first.body().startsWith("too little money"), first.body());
        assertEquals(0, count("payment"));
        HttpResponse<String> again = pay("k", "undone refuse");
        assertTrue(isReplayed(again));
        assertEquals(first.body(), again.body());
        assertEquals(1, RUNS.get());
    }

    @Test
    void aServersErrorLeavesNothingAndRunsAgain() throws Exception {
        for (String body : List.of("fail", "throw", "async")) {
            for (int i = 1; i <= 2; i++) {
                RUNS.set(0);
                HttpResponse<String> response = pay(body, body);
                assertTrue(response.statusCode() >= 500, body);
                assertFalse(isReplayed(response));
                assertEquals(1, RUNS.get());
                assertEquals(0, count("payment"));
                assertEquals(0, count("amo_once"));
            }
        }
    }

    @Test
    void aRefusalThatMayPassIsNotStored() throws Exception {
        for (int status : List.of(401, 403, 408, 425, 429)) {
            for (int i = 1; i <= 2; i++) {
                HttpResponse<String> response = pay("k" + status, "status " + status);
                assertEquals(status, response.statusCode());
                assertFalse(isReplayed(response));
            }
        }
        assertEquals(10, RUNS.get());
        assertEquals(0, count("payment"));
        assertEquals(0, count("amo_once"));
        pay("k404", "status 404");
        assertTrue(isReplayed(pay("k404", "status 404")));
    }

    /** A container calls each filter of a chain once: behind this one, a second run would find none. */
    @Test
    void aConflictInTheDatabaseEndsTheRequestAndItsRetryRuns() throws Exception {
        HttpResponse<String> rolledBack = pay("k", "conflict");
        assertEquals(503, rolledBack.statusCode());
        assertEquals("1", rolledBack.headers().firstValue("Retry-After").orElse(""));
        assertEquals(1, RUNS.get());
        assertEquals(0, count("payment"));
        assertEquals(201, pay("k", "conflict").statusCode());
        assertEquals(2, RUNS.get());
        assertEquals(2, BEHIND.get());
        assertEquals(1, count("payment"));
    }

    /** A run that was rolled back has no part in the response. */
    @Test
    void theFirstClientGetsTheCookiesOfTheRunThatStands() throws Exception {
        assertEquals(List.of(), pay("k", "conflict").headers().allValues("Set-Cookie"));
        assertEquals(
                List.of("run=2", "session=secret"),
                pay("k", "conflict").headers().allValues("Set-Cookie"));
        assertEquals(List.of(), pay("k", "conflict").headers().allValues("Set-Cookie"));
        RUNS.set(0);
        assertEquals(List.of("run=1"), pay("other", "fail").headers().allValues("Set-Cookie"));
    }

    @Test
    void aFormIsComparedByItsParameters() throws Exception {
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> response = send(request("/pay", i == 0 ? "what=5&a=b" : "a=b&what=5")
                    .setHeader("Content-Type", "application/x-www-form-urlencoded")
                    .header("Idempotency-Key", "k"));
            assertEquals(201, response.statusCode());
            assertEquals(i == 1, isReplayed(response));
        }
        assertEquals(1, count("payment WHERE line = '5'"));
        assertEquals(
                422,
                send(request("/pay", "what=6&a=b")
                                .setHeader("Content-Type", "application/x-www-form-urlencoded")
                                .header("Idempotency-Key", "k"))
                        .statusCode());
    }

    private static HttpResponse<String> form(String method, String body) throws Exception {
        return send(request("/pay", "")
                .setHeader("Content-Type", "application/x-www-form-urlencoded")
                .header("Idempotency-Key", "k")
                .method(method, BodyPublishers.ofString(body)));
    }

    @Test
    void aParameterWithTwoValuesIsNotOneWithBoth() throws Exception {
        assertEquals(201, form("POST", "what=5&a=b&a=c").statusCode());
        assertEquals(422, form("POST", "what=5&a=b%2C%20c").statusCode());
        assertEquals(422, form("POST", "what=5&a=b&a=c&a").statusCode());
    }

    /** Containers read the forms of POST alone. */
    @Test
    void aFormOfAPatchIsABodyLikeOthers() throws Exception {
        assertEquals(201, form("PATCH", "pay=5").statusCode());
        assertEquals(1, count("payment WHERE line = 'pay=5'"));
        assertTrue(isReplayed(form("PATCH", "pay=5")));
        assertEquals(422, form("PATCH", "pay=6").statusCode());
        assertEquals(1, count("payment"));
    }

    @Test
    void aRedirectionIsHeldAndReplayed() throws Exception {
        HttpResponse<String> first = pay("k", "see other");
        assertEquals(303, first.statusCode());
        HttpResponse<String> again = pay("k", "see other");
        assertTrue(isReplayed(again));
        assertEquals(303, again.statusCode());
        assertEquals(first.headers().firstValue("Location"), again.headers().firstValue("Location"));
        assertEquals(1, count("payment"));
    }

    @Test
    void withoutAKeyOrAnEffectTheChainRunsAsEver() throws Exception {
        for (int i = 1; i <= 2; i++) {
            assertEquals(201, send(request("/pay", "5")).statusCode());
            assertEquals(i, count("payment"));
        }
        for (int i = 3; i <= 4; i++) {
            send(request("/pay", "").GET().header("Idempotency-Key", "k"));
            assertEquals(i, count("payment"));
        }
        assertEquals(0, count("amo_once"));
    }

    @Test
    void headersThatAreNoKeyAreBadRequests() throws Exception {
        assertEquals(400, pay("\"k", "5").statusCode());
        assertEquals(400, pay("k".repeat(256), "5").statusCode());
        assertEquals(
                400,
                send(request("/pay", "5").header("Idempotency-Key", "a").header("Idempotency-Key", "b"))
                        .statusCode());
        assertEquals(400, send(request("/strict", "5")).statusCode());
        assertEquals(
                400,
                send(request("/strict", "5").header("Idempotency-Key", "k")).statusCode());
        String old = IdempotencyKey.create("", Instant.now().minus(Duration.ofDays(3)))
                .text();
        assertEquals(
                400,
                send(request("/strict", "5").header("Idempotency-Key", old)).statusCode());
        assertEquals(0, RUNS.get());
    }

    @Test
    void aBodyThatIsTooLongIsRefused() throws Exception {
        String key = IdempotencyKey.create("", Instant.now()).text();
        assertEquals(
                413,
                send(request("/strict", "x".repeat(101)).header("Idempotency-Key", key))
                        .statusCode());
        assertEquals(
                201,
                send(request("/strict", "x".repeat(100)).header("Idempotency-Key", key))
                        .statusCode());
    }

    @Test
    void tenantsHaveKeysOfTheirOwn() throws Exception {
        String key = IdempotencyKey.create("", Instant.now()).text();
        for (String tenant : List.of("a", "b")) {
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> response = send(
                        request("/strict", "5").header("Idempotency-Key", key).header("X-Tenant", tenant));
                assertEquals(201, response.statusCode());
                assertEquals(i == 1, isReplayed(response));
            }
        }
        assertEquals(2, count("payment"));
    }
}
