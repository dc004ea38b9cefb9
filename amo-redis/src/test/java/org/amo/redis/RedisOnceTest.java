package org.amo.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.amo.meetings.RedisServer;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceException.Reason;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceExecutor.Reply;
import org.amo.once.ResultStore;
import org.amo.testkit.once.ResultStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SortingParams;
import redis.clients.jedis.util.Pool;

/** The contract over Redis, where it is installed. */
class RedisOnceTest extends ResultStoreContract<RedisWork, JedisException> {
    private static final IdempotencyKey KEY = IdempotencyKey.of("t", "k");
    private static final byte[] REQUEST = "pay 5".getBytes(UTF_8);

    @TempDir
    private static Path folder;

    private static RedisServer server;
    private static RedisClient client;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "Redis is not installed: the contract was not tried over it");
        server = RedisServer.start(folder, "--appendonly", "yes", "--appendfsync", "always");
        client = RedisClient.create("127.0.0.1", server.port());
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            client.close();
            server.close();
        }
    }

    @Override
    protected ResultStore<RedisWork, JedisException> store() {
        return RedisResultStore.over(client.getPool(), "once");
    }

    @Override
    protected void reset() {
        client.flushAll();
    }

    @Override
    protected void effect(RedisWork work, String line) {
        work.write(work.commands().incr("ledger:" + line));
    }

    @Override
    protected long effects(String line) {
        return number("ledger:" + line);
    }

    private static long number(String key) {
        String value = client.get(key);
        return value == null ? 0 : Long.parseLong(value);
    }

    @Override
    protected long records() {
        return calls().stream().filter(key -> client.hexists(key, "reply")).count();
    }

    private static List<String> calls() {
        return List.copyOf(client.keys("once:call:*"));
    }

    @Override
    protected void expireAll() {
        calls().forEach(key -> client.zadd("once:expiry", 0, key));
    }

    @Override
    protected void endLeases() {
        calls().forEach(key -> client.hset(key, "lease", "0"));
    }

    @Override
    protected Instant now() {
        return Instant.now();
    }

    @Override
    protected JedisException lost() {
        return new JedisConnectionException("the connection was lost");
    }

    @Override
    protected JedisException rolledBack() {
        return new RedisResultStore.ConflictException("a conflict");
    }

    private OnceExecutor<RedisWork, JedisException> executor() {
        return OnceExecutor.over(store(), options().build());
    }

    /** Otherwise the retry would wait for the end of the lease. */
    @Test
    void theClaimOfALostConnectionIsEndedAtOnce() {
        ResultStore.Request request =
                new ResultStore.Request(KEY, new byte[32], options().build());
        ResultStore.Transaction<RedisWork, JedisException> lost = store().begin();
        assertTrue(lost.claim(request, Duration.ZERO, true));
        lost.abandon();
        lost.end();
        try (ResultStore.Transaction<RedisWork, JedisException> next = store().begin()) {
            assertTrue(next.claim(request, Duration.ZERO, true));
        }
    }

    // ---- reads ----

    @Test
    void aKeyThatWasReadAndChangedMakesTheWorkRunAgain() {
        client.set("balance", "10");
        AtomicInteger runs = new AtomicInteger();
        Reply reply = executor().execute(KEY, REQUEST, work -> {
            long balance = Long.parseLong(work.read(work.commands().get("balance")));
            if (runs.incrementAndGet() == 1) {
                client.set("balance", "3");
            }
            boolean enough = balance >= 5;
            if (enough) {
                work.write(work.commands().decrBy("balance", 5));
            }
            return (enough ? "paid" : "not enough").getBytes(UTF_8);
        });
        assertEquals(2, runs.get());
        assertEquals("not enough", reply.text());
        assertEquals(3, number("balance"));
        assertEquals(
                "not enough",
                executor().execute(KEY, REQUEST, work -> new byte[0]).text());
    }

    @Test
    void aConnectionWatchesNothingBehindItsCall() {
        client.set("balance", "10");
        assertThrows(IllegalStateException.class, () -> executor().execute(KEY, REQUEST, work -> {
            work.read(work.commands().get("balance"));
            throw new IllegalStateException("not today");
        }));
        client.set("balance", "11");
        AtomicInteger runs = new AtomicInteger();
        executor().execute(KEY, REQUEST, work -> {
            runs.incrementAndGet();
            work.read(work.commands().get("other"));
            work.write(work.commands().incr("balance"));
            return new byte[0];
        });
        assertEquals(1, runs.get());
        assertEquals(12, number("balance"));
    }

    @Test
    void aWriteIsNoReadAndAReadNoWrite() {
        for (OnceExecutor.Work<RedisWork, JedisException, RuntimeException> mistake :
                List.<OnceExecutor.Work<RedisWork, JedisException, RuntimeException>>of(
                        work -> bytes(work.read(work.commands().incr("x"))),
                        work -> bytes(work.read(work.commands().ping())),
                        work -> bytes(work.read(work.commands().keys("x*"))),
                        work -> bytes(work.read(work.commands().sortReadonly("x", new SortingParams().by("weight:*")))),
                        work -> {
                            work.write(work.commands().get("x"));
                            return new byte[0];
                        })) {
            assertThrows(IllegalArgumentException.class, () -> executor().execute(KEY, REQUEST, mistake));
            assertEquals(0, number("x"));
            assertEquals(0, calls().size());
        }
    }

    private static byte[] bytes(Object value) {
        return value.toString().getBytes(UTF_8);
    }

    // ---- writes that fail ----

    @Test
    void aFirstWriteThatFailsIsTheWorksError() {
        client.set("name", "a text");
        AtomicInteger runs = new AtomicInteger();
        JedisDataException e =
                assertThrows(JedisDataException.class, () -> executor().execute(KEY, REQUEST, work -> {
                    runs.incrementAndGet();
                    work.write(work.commands().incr("name"));
                    work.write(work.commands().incr("count"));
                    return new byte[0];
                }));
        assertTrue(e.getMessage().contains("not an integer"), e.getMessage());
        assertEquals(1, runs.get());
        assertEquals(0, number("count"));
        assertEquals(0, calls().size());
    }

    /** Redis takes no write back, so the call must not run again. */
    @Test
    void aLaterWriteThatFailsIsUnknownForEver() {
        client.set("name", "a text");
        for (int i = 0; i < 2; i++) {
            OnceException e = assertThrows(OnceException.class, () -> executor().execute(KEY, REQUEST, work -> {
                work.write(work.commands().incr("count"));
                work.write(work.commands().incr("name"));
                work.write(work.commands().incr("count"));
                return new byte[0];
            }));
            assertEquals(Reason.UNKNOWN, e.reason(), e.getMessage());
            assertEquals(1, number("count"));
        }
        assertEquals(0, executor().clean(10));
    }

    // ---- settings ----

    @Test
    void evictionOfRecordsIsRefused() {
        client.configSet("maxmemory-policy", "allkeys-lru");
        try {
            OnceException e = refused(Reason.SCHEMA, executor());
            assertTrue(e.getMessage().contains("noeviction"), e.getMessage());
        } finally {
            client.configSet("maxmemory-policy", "noeviction");
        }
        assertFalse(executor().execute(KEY, REQUEST, work -> new byte[0]).replayed());
    }

    // ---- mutants of the scripts ----

    /** The store with a mutated script. */
    private static final class Mutant extends RedisOnceTest {
        private final Pool<Connection> pool;

        Mutant(Pool<Connection> pool) {
            this.pool = pool;
        }

        @Override
        protected ResultStore<RedisWork, JedisException> store() {
            return RedisResultStore.over(pool, "once");
        }
    }

    private interface Promise {
        void test(RedisOnceTest contract) throws Exception;
    }

    @TestFactory
    Stream<DynamicTest> theContractFindsMutants() {
        return Stream.of(
                mutant(
                        "a commit does not ask for its claim",
                        "if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then",
                        "if false then",
                        ResultStoreContract::aLeaseThatEndsUnderTheWorkDoesNotLetItRunTwice),
                mutant(
                        "the low-water mark passes a call before its reply is stored",
                        "if ARGV[4] ~= '' and tonumber(ARGV[4]) <= tonumber(redis.call('GET', KEYS[3]) or '0') then",
                        "if false then",
                        ResultStoreContract::aCallWhoseKeyFallsBelowTheMarkUnderItsWorkIsRefused),
                mutant(
                        "the mark is not raised",
                        "redis.call('SET', KEYS[2], string.format('%.0f', mark))",
                        "",
                        ResultStoreContract::aTimedKeyBehindItsRemovalIsRefused),
                mutant(
                        "the cleaner removes live records",
                        "'-inf', now,",
                        "'-inf', '+inf',",
                        ResultStoreContract::theCleanerTakesExpiredRecordsOnly));
    }

    private DynamicTest mutant(String name, String part, String mutant, Promise promise) {
        return DynamicTest.dynamicTest(name, () -> {
            reset();
            MutatedScripts scripts = new MutatedScripts(server.port(), part, mutant);
            try (ConnectionPool pool = scripts.pool()) {
                assertThrows(AssertionError.class, () -> promise.test(new Mutant(pool)));
            }
            assertTrue(scripts.isUsed(), "no script has " + part);
        });
    }

    // ---- a Redis in trouble ----

    @Test
    void aReplicaThatTakesNoWritesIsToldInOneLine() {
        follow("127.0.0.1", "1");
        try {
            OnceException e = refused(Reason.NOT_EXECUTED, executor());
            assertTrue(e.getMessage().contains("read only replica"), e.getMessage());
        } finally {
            follow("NO", "ONE");
        }
        paysOnce();
    }

    private static void follow(String host, String port) {
        try (Connection connection = client.getPool().getResource()) {
            connection.sendCommand(Protocol.Command.SLAVEOF, host, port);
            assertEquals("OK", connection.getStatusCodeReply());
        }
    }

    @Test
    void aFullRedisIsToldInOneLineAndTheRetryRunsOnce() {
        client.configSet("maxmemory", "1");
        try {
            OnceException e = refused(Reason.NOT_EXECUTED, executor());
            assertTrue(e.getMessage().contains("maxmemory"), e.getMessage());
        } finally {
            client.configSet("maxmemory", "0");
        }
        paysOnce();
    }

    /** SIGSTOP under the work: its commit waits in the server's socket. */
    @Test
    void aRedisThatStandsStillInACommitIsUnknownAndTheRetryFindsOut() throws Exception {
        try {
            OnceException e =
                    assertThrows(OnceException.class, () -> impatient(client).<Exception>execute(KEY, REQUEST, work -> {
                        effect(work, "pay");
                        server.pause();
                        return bytes("paid");
                    }));
            assertEquals(Reason.UNKNOWN, e.reason(), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        } finally {
            server.resume();
        }
        pay();
        assertEquals(1, effects("pay"));
    }

    @Test
    void aRedisThatIsNotThereIsToldAtTheDeadline() {
        try (RedisClient nowhere = RedisClient.create("127.0.0.1", 1)) {
            refused(Reason.NOT_EXECUTED, impatient(nowhere));
        }
    }

    private static OnceExecutor<RedisWork, JedisException> impatient(RedisClient to) {
        return OnceExecutor.over(
                RedisResultStore.over(to.getPool(), "once"),
                options()
                        .deadline(Duration.ofMillis(200))
                        .lockTimeout(Duration.ZERO)
                        .build());
    }

    private static OnceException refused(Reason reason, OnceExecutor<RedisWork, JedisException> executor) {
        OnceException e = assertThrows(OnceException.class, () -> executor.execute(KEY, REQUEST, work -> new byte[0]));
        assertEquals(reason, e.reason(), e.getMessage());
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        return e;
    }

    private Reply pay() {
        return executor().execute(KEY, REQUEST, work -> {
            effect(work, "pay");
            return bytes("paid");
        });
    }

    private void paysOnce() {
        assertFalse(pay().replayed());
        assertTrue(pay().replayed());
        assertEquals(1, effects("pay"));
    }
}
