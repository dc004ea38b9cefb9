package org.amo.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.DaemonThreads;
import org.amo.meetings.RedisServer;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceExecutor.Reply;
import org.amo.once.OnceOptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** SIGKILL of Redis in the middle of calls; they go on when it is back. {@code -Pslow} for 100 kills. */
final class KilledRedisTest {
    private static final byte[] REQUEST = "pay".getBytes(UTF_8);
    private static final int THREADS = 3;

    @TempDir
    private Path folder;

    private final Map<String, String> replies = new ConcurrentHashMap<>();
    private final AtomicInteger answers = new AtomicInteger();

    @Test
    @Timeout(120)
    void withAppendfsyncAlwaysEachKeyHasItsEffectOnceOverKills() throws Exception {
        kill(4);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void withAppendfsyncAlwaysEachKeyHasItsEffectOnceOverAHundredKills() throws Exception {
        kill(Integer.getInteger("once.kills", 100));
    }

    private void kill(int kills) throws Exception {
        assumeTrue(RedisServer.isInstalled(), "Redis is not installed: no kill was tried");
        try (RedisServer server = RedisServer.start(folder, "--appendonly", "yes", "--appendfsync", "always");
                RedisClient client = RedisClient.create("127.0.0.1", server.port())) {
            OnceExecutor<RedisWork, JedisException> executor = executor(client);
            AtomicBoolean stop = new AtomicBoolean();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                String name = "c" + i + "-";
                CompletableFuture<Void> caller = new CompletableFuture<>();
                callers.add(caller);
                DaemonThreads.start("amo-test-caller", () -> {
                    try {
                        for (int n = 0; !stop.get(); n++) {
                            replies.put(name + n, pay(executor, name + n).text());
                            answers.incrementAndGet();
                        }
                        caller.complete(null);
                    } catch (Throwable e) {
                        caller.completeExceptionally(e);
                    }
                });
            }
            for (int i = 0; i < kills; i++) {
                int enough = answers.get() + 30;
                Awaitility.await()
                        .atMost(Duration.ofSeconds(40))
                        .until(() -> answers.get() >= enough
                                || callers.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
                server.kill();
                server.start();
            }
            stop.set(true);
            for (CompletableFuture<Void> each : callers) {
                each.get(40, TimeUnit.SECONDS);
            }
            for (Map.Entry<String, String> each : replies.entrySet()) {
                assertEquals("1", client.get("ledger:" + each.getKey()));
                Reply again = pay(executor, each.getKey());
                assertTrue(again.replayed());
                assertEquals(each.getValue(), again.text());
            }
            assertEquals(replies.size(), client.keys("ledger:*").size());
            System.out.println(kills + " kills: " + replies.size() + " keys had their effect once, 0 unknown");
        }
    }

    /** As the page says: with fewer promises of Redis, effect and record are lost together, and the retry runs. */
    @Test
    @Timeout(60)
    void withoutALogAnAnsweredCallIsLostTogetherWithItsRecord() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "Redis is not installed: no kill was tried");
        try (RedisServer server = RedisServer.start(folder, "--appendonly", "no");
                RedisClient client = RedisClient.create("127.0.0.1", server.port())) {
            assertFalse(pay(executor(client), "k").replayed());
            assertEquals("1", client.get("ledger:k"));
            server.kill();
            server.start();
            assertFalse(pay(executor(client), "k").replayed());
            assertEquals("1", client.get("ledger:k"));
        }
    }

    private static OnceExecutor<RedisWork, JedisException> executor(RedisClient client) {
        return OnceExecutor.over(
                RedisResultStore.over(client.getPool(), "once"),
                OnceOptions.builder().build());
    }

    private static Reply pay(OnceExecutor<RedisWork, JedisException> executor, String key) {
        return executor.execute(IdempotencyKey.of("t", key), REQUEST, work -> {
            work.write(work.commands().incr("ledger:" + key));
            return UUID.randomUUID().toString().getBytes(UTF_8);
        });
    }
}
