package org.amo.lab.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.amo.base.DaemonThreads;
import org.amo.cli.CliException;

/**
 * A retry storm: the network loses the first answer of every call, and all clients retry. Plain clients and clients with an {@code
 * Idempotency-Key} send the same requests to the same service, but for that header.
 */
final class RetryStorm {
    private static final int CALLS_OF_A_THREAD = 10;
    private static final int ATTEMPTS = 6;
    private static final int OK = 200;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final long LIMIT_MILLIS = 120_000;

    private final int threads;
    private final long seed;

    /** Calls that were answered, by their paths. */
    private final Set<String> answered = ConcurrentHashMap.newKeySet();

    RetryStorm(int threads, long seed) {
        this.threads = threads;
        this.seed = seed;
    }

    /** @param commit of this build */
    RetryStormResult run(String commit) {
        try (StormService service = new StormService(threads);
                StormNetwork network = new StormNetwork(service.port())) {
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String name = "c" + i;
                Random random = new Random(seed + i);
                clients.add(DaemonThreads.start("amo-storm-client", () -> call(name, random, network.port())));
            }
            clients.forEach(each -> DaemonThreads.join(each, LIMIT_MILLIS));
            if (clients.stream().anyMatch(Thread::isAlive)) {
                throw CliException.environment("the storm did not end within " + LIMIT_MILLIS + " ms");
            }
            RetryStormResult.Side plain = side("plain", service);
            RetryStormResult.Side amo = side("amo", service);
            return new RetryStormResult(
                    amo.calls(),
                    amo.ok(),
                    0,
                    amo.calls() - amo.ok(),
                    service.replayed(),
                    amo.executedTwice(),
                    amo.lost(),
                    network.lost(),
                    plain,
                    amo,
                    seed,
                    commit);
        } catch (IOException e) {
            throw CliException.environment("no port for the storm: " + e.getMessage());
        }
    }

    private RetryStormResult.Side side(String kind, StormService service) {
        long ok = answered.stream().filter(call -> call.startsWith("/" + kind)).count();
        long effects = 0;
        long twice = 0;
        long lost = 0;
        for (int i = 0; i < threads; i++) {
            for (int n = 0; n < CALLS_OF_A_THREAD; n++) {
                String call = path(kind, "c" + i, n);
                long each = service.effects(call);
                effects += each;
                twice += each > 1 ? 1 : 0;
                lost += each == 0 && answered.contains(call) ? 1 : 0;
            }
        }
        return new RetryStormResult.Side((long) threads * CALLS_OF_A_THREAD, ok, effects, twice, lost);
    }

    private static String path(String kind, String client, int number) {
        return "/" + kind + "/" + client + "-" + number;
    }

    private void call(String name, Random random, int port) {
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (int n = 0; n < CALLS_OF_A_THREAD; n++) {
            String body = "deposit " + random.nextInt(1_000);
            HttpRequest.Builder plain = request(port, path("plain", name, n), body);
            send(http, path("plain", name, n), plain.build());
            HttpRequest.Builder keyed = request(port, path("amo", name, n), body);
            String key = new UUID(random.nextLong(), random.nextLong()).toString();
            send(
                    http,
                    path("amo", name, n),
                    keyed.header("Idempotency-Key", key).build());
        }
    }

    private static HttpRequest.Builder request(int port, String path, String body) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(TIMEOUT)
                .POST(BodyPublishers.ofString(body));
    }

    /** The retry of both kinds: the same request again, until there is an answer. */
    private void send(HttpClient http, String call, HttpRequest request) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
                if (response.statusCode() == OK) {
                    answered.add(call);
                    return;
                }
            } catch (IOException e) {
                // The answer is lost: has it run? The client cannot know.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
