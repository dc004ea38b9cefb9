package org.amo.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceExecutor.Reply;
import org.h2.jdbcx.JdbcConnectionPool;
import org.postgresql.ds.PGConnectionPoolDataSource;

/**
 * A service whose threads call without end, as fast as the database answers. Prints {@code call KEY} before each call, {@code done KEY REPLY}
 * behind it, and {@code fail} with the reason for a call without a reply. Each reply is another one.
 */
final class OnceProcess {
    static final int THREADS = 3;

    private static final int RETRY_EACH = 5;

    private OnceProcess() {}

    /** @param arguments URL of the database, and a name that no other process has */
    public static void main(String[] arguments) throws InterruptedException {
        OnceExecutor<Connection, SQLException> executor = executor(arguments[0]);
        for (int i = 0; i < THREADS; i++) {
            String name = arguments[1] + "-" + i + "-";
            Thread thread = new Thread(() -> call(executor, name), "caller-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.currentThread().join();
    }

    /** With a pool: without one, a call would spend its time in connecting, and kills would rarely hit a commit. */
    static OnceExecutor<Connection, SQLException> executor(String url) {
        PGConnectionPoolDataSource postgres = new PGConnectionPoolDataSource();
        postgres.setUrl(url);
        return OnceExecutor.over(
                JdbcResultStore.over(JdbcConnectionPool.create(postgres)),
                OnceScenarios.options().build());
    }

    private static void call(OnceExecutor<Connection, SQLException> executor, String name) {
        for (int i = 0; true; i++) {
            String key = name + i;
            say("call " + key);
            try {
                say("done " + key + " " + pay(executor, key).text());
                if (i % RETRY_EACH == 0) {
                    say("done " + key + " " + pay(executor, key).text());
                }
            } catch (Exception e) {
                say("fail " + key + " " + e.toString().replace('\n', ' '));
            }
        }
    }

    /** An effect in the ledger, and a reply that no other run gives. */
    static Reply pay(OnceExecutor<Connection, SQLException> executor, String key) throws Exception {
        return executor.execute(IdempotencyKey.of("t", key), OnceScenarios.REQUEST, connection -> {
            TestDatabase.effect(connection, key);
            return UUID.randomUUID().toString().getBytes(UTF_8);
        });
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
