package org.amo.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.amo.base.Experimental;
import org.amo.once.IdempotencyKey;
import org.amo.once.ResultStore;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisBusyException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/**
 * Completion records in the Redis (5 or later, one master) that a service has already. The record of a call and its writes are one
 * script, which Redis runs as one atomic step and logs as one. An attempt claims its key under a token and a lease of one deadline;
 * if a lease ends, or the connection is lost, the next attempt takes the claim under another token, and a script with the former one does
 * nothing, however late it comes.
 *
 * <p>The record is as durable as the writes, which is up to Redis: with {@code appendonly yes} and {@code appendfsync always}, an answered
 * call survives kill -9 and the loss of power. With other settings, or at a failover to a replica, answered calls may be lost together
 * with their records, and a retry runs them again. Redis must not evict keys without a time limit: the first call checks it.
 */
@Experimental
public final class RedisResultStore implements ResultStore<RedisWork, JedisException> {
    private final Pool<Connection> pool;
    private final String prefix;
    private final Map<String, List<String>> flags = new ConcurrentHashMap<>();
    private volatile boolean isChecked;

    /** A commit that did nothing, since its claim was lost, or a key that it had read was changed. */
    static final class ConflictException extends JedisException {
        private static final long serialVersionUID = 1L;

        ConflictException(String message) {
            super(message);
        }
    }

    /** Another attempt has the claim. */
    static final class ClaimedException extends JedisException {
        private static final long serialVersionUID = 1L;

        ClaimedException(String message) {
            super(message);
        }
    }

    private RedisResultStore(Pool<Connection> pool, String prefix) {
        this.pool = pool;
        this.prefix = prefix;
    }

    /**
     * Asks Redis for nothing yet.
     *
     * @param pool of a client, such as {@code RedisClient.getPool()}; stays the caller's
     * @param prefix of the keys of all records; no other key of the database begins with it
     */
    public static RedisResultStore over(Pool<Connection> pool, String prefix) {
        return new RedisResultStore(pool, prefix);
    }

    @Override
    public Transaction<RedisWork, JedisException> begin() {
        return new RedisTransaction(this, connect());
    }

    @Override
    public int removeExpired(int most) {
        try (Connection connection = connect()) {
            Object removed = RedisScript.REMOVE.run(
                    connection, List.of(expiryKey(), markKey()), List.of(Protocol.toByteArray(most)));
            return ((Long) removed).intValue();
        }
    }

    Connection connect() {
        return pool.getResource();
    }

    Map<String, List<String>> flags() {
        return flags;
    }

    /** Whether the settings of Redis were found to keep records; asked once. */
    boolean isChecked() {
        return isChecked;
    }

    void checked() {
        isChecked = true;
    }

    /** The length keeps tenant and text apart. */
    byte[] recordKey(IdempotencyKey key) {
        return bytes(prefix + ":call:" + key.tenant().length() + ":" + key.tenant() + ":" + key.text());
    }

    byte[] expiryKey() {
        return bytes(prefix + ":expiry");
    }

    byte[] markKey() {
        return bytes(prefix + ":forgotten");
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Fault fault(JedisException e) {
        if (e instanceof ConflictException) {
            return Fault.ROLLED_BACK;
        }
        if (e instanceof ClaimedException || e instanceof JedisBusyException) {
            return Fault.BUSY;
        }
        // Of a server that starts, or that has lost its master.
        boolean passes = e instanceof JedisDataException
                && e.getMessage() != null
                && (e.getMessage().startsWith("LOADING") || e.getMessage().startsWith("MASTERDOWN"));
        // A pool without a free connection throws the plain type.
        boolean isPlain = e.getClass() == JedisException.class;
        return e instanceof JedisConnectionException || passes || isPlain ? Fault.LOST : Fault.OTHER;
    }

    @Override
    public Optional<JedisException> own(Throwable thrown) {
        return thrown instanceof JedisException e ? Optional.of(e) : Optional.empty();
    }
}
