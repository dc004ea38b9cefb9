package org.amo.examples.payments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The service and a client that is curl, with a network that is cut behind the commit. */
final class NetworkCutTest {
    private static ConfigurableApplicationContext service;
    private static JdbcTemplate database;
    private static int port;

    @BeforeAll
    static void start() {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "curl"))),
                "curl is not installed: no retry was tried");
        service = SpringApplication.run(
                PaymentsApplication.class,
                "--server.port=0",
                "--logging.level.root=warn",
                "--spring.main.banner-mode=off");
        database = service.getBean(JdbcTemplate.class);
        port = service.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            service.close();
        }
    }

    @BeforeEach
    void empty() {
        database.update("DELETE FROM payment");
    }

    @Test
    void aRetryBehindTheCommitLeavesOneRow() throws Exception {
        String first = curl(2, "Idempotency-Key: \"8e03978e-40d5-43dd-bc93-6894a57f9324\"");
        assertEquals(1, rows());
        // Once more, by a client that was started anew.
        assertEquals(first, curl(0, "Idempotency-Key: \"8e03978e-40d5-43dd-bc93-6894a57f9324\""));
        assertEquals(1, rows());
        assertTrue(first.startsWith("paid, number "), first);
    }

    /** The complaint: the same retry, and a row for each attempt. */
    @Test
    void withoutAKeyEachAttemptLeavesARow() throws Exception {
        curl(1, "X-None: none");
        assertEquals(2, rows());
    }

    private static long rows() {
        return database.queryForObject("SELECT count(*) FROM payment", Long.class);
    }

    private static String curl(int cuts, String header) throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(port, cuts)) {
            List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--max-time", "30"));
            command.addAll(List.of("--retry", "5", "--retry-all-errors", "--retry-delay", "1"));
            command.addAll(List.of("--header", header, "--header", "Content-Type: text/plain", "--data", "5"));
            command.add("http://127.0.0.1:" + proxy.port() + "/payments");
            Process curl = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String answer = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(curl.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, curl.exitValue(), answer);
            assertEquals(0, proxy.left());
            return answer;
        }
    }
}
