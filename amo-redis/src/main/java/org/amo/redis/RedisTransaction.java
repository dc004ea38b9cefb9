package org.amo.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceExecutor.Work;
import org.amo.once.ResultStore;
import org.amo.once.ResultStore.Completion;
import org.amo.once.ResultStore.Request;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.SafeEncoder;

/** An attempt: claim the key under a token, run the work, and send its writes with the record in one script. One thread owns it. */
final class RedisTransaction implements ResultStore.Transaction<RedisWork, JedisException> {
    private final RedisResultStore store;
    private final Connection connection;
    private final RedisWork work;
    private final byte[] token = RedisResultStore.bytes(UUID.randomUUID().toString());

    /** From the moment on at which the claim may stand. */
    private Optional<Request> claimed = Optional.empty();

    private Optional<byte[]> reply = Optional.empty();
    private boolean closed;

    RedisTransaction(RedisResultStore store, Connection connection) {
        this.store = store;
        this.connection = connection;
        work = new RedisWork(connection, store.flags());
    }

    @Override
    public boolean claim(Request request, Duration limit, boolean judge) {
        limitNetwork(request);
        requireThatRecordsAreKept();
        claimed = Optional.of(request);
        Object answer = RedisScript.CLAIM.run(
                connection,
                keys(request),
                List.of(
                        token,
                        number(request.options().deadline().toMillis()),
                        number(judge ? 1 : 0),
                        created(request),
                        number(request.options().retention().toMillis()),
                        number(request.options().ahead().toMillis())));
        if (!answer.equals(1L)) {
            claimed = Optional.empty();
        }
        if (answer.equals(-1L)) {
            throw new RedisResultStore.ClaimedException("another attempt has " + request.key());
        }
        return claimed.isPresent();
    }

    /** Records have no time limit, so policies that evict only keys with one keep them. */
    private void requireThatRecordsAreKept() {
        if (store.isChecked()) {
            return;
        }
        connection.sendCommand(Protocol.Command.INFO, "memory");
        String info = connection.getBulkReply();
        if (info.contains("maxmemory_policy:allkeys")) {
            throw new OnceException(
                    OnceException.Reason.SCHEMA,
                    "Redis may evict completion records, so that retries would run again: set maxmemory-policy to"
                            + " noeviction or to a volatile one");
        }
        store.checked();
    }

    @Override
    public <X extends Exception> byte[] run(Work<RedisWork, JedisException, X> calls) throws X {
        connection.rollbackTimeout();
        try {
            return calls.run(work);
        } finally {
            work.end();
        }
    }

    @Override
    public boolean complete(byte[] bytes) {
        reply = Optional.of(bytes);
        return true;
    }

    @Override
    public void commit() {
        Request request = claimed.orElseThrow();
        limitNetwork(request);
        List<byte[]> keys = new ArrayList<>(keys(request));
        keys.addAll(work.keys());
        List<byte[]> arguments = new ArrayList<>(List.of(
                token,
                request.fingerprint(),
                reply.orElseThrow(),
                created(request),
                number(request.options().retention().toMillis())));
        arguments.addAll(work.words());
        Object answer =
                work.watches() ? runWatched(keys, arguments) : RedisScript.COMMIT.run(connection, keys, arguments);
        if (answer instanceof RuntimeException e) {
            throw e;
        }
        String told = SafeEncoder.encode((byte[]) answer);
        if (told.equals("lost")) {
            throw new RedisResultStore.ConflictException("the claim was lost, or the key is too old by now");
        }
        if (!told.isEmpty()) {
            throw new JedisDataException(told);
        }
        claimed = Optional.empty();
    }

    /** Only if no key that was read has changed since. */
    private Object runWatched(List<byte[]> keys, List<byte[]> arguments) {
        connection.sendCommand(Protocol.Command.MULTI);
        RedisScript.COMMIT.send(connection, keys, arguments);
        connection.sendCommand(Protocol.Command.EXEC);
        List<Object> answers = connection.getMany(3);
        for (Object each : answers) {
            if (each instanceof RuntimeException e) {
                throw e;
            }
        }
        if (!(answers.get(2) instanceof List<?> executed)) {
            throw new RedisResultStore.ConflictException("another client has changed a key that the work had read");
        }
        return executed.get(0);
    }

    @Override
    public boolean rollback() {
        if (claimed.isEmpty()) {
            return true;
        }
        try {
            release(connection);
            claimed = Optional.empty();
            return true;
        } catch (JedisException e) {
            abandon();
            return false;
        }
    }

    /** A script of this token that comes later finds another one, or none. */
    private void release(Connection own) {
        Request request = claimed.orElseThrow();
        RedisScript.RELEASE.run(own, List.of(keys(request).get(0), store.expiryKey()), List.of(token));
    }

    @Override
    public void abandon() {
        connection.setBroken();
        close();
    }

    @Override
    public void end() {
        if (claimed.isPresent()) {
            try (Connection other = store.connect()) {
                release(other);
            }
        }
    }

    @Override
    public Optional<Completion> read(IdempotencyKey key) {
        connection.sendCommand(
                Protocol.Command.HMGET,
                store.recordKey(key),
                RedisResultStore.bytes("fingerprint"),
                RedisResultStore.bytes("reply"));
        List<byte[]> fields = connection.getBinaryMultiBulkReply();
        return Optional.ofNullable(fields.get(0))
                .map(fingerprint -> new Completion(fingerprint, Optional.ofNullable(fields.get(1))));
    }

    @Override
    public Optional<OnceException> refusal(Request request) {
        connection.sendCommand(Protocol.Command.TIME);
        List<String> time = connection.getMultiBulkReply();
        Instant now = Instant.ofEpochSecond(Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1_000);
        connection.sendCommand(Protocol.Command.GET, store.markKey());
        Optional<String> mark = Optional.ofNullable(connection.getBulkReply());
        return OnceException.refusal(
                request,
                now,
                mark.map(Long::parseLong).map(Instant::ofEpochMilli).orElse(Instant.EPOCH));
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!connection.isBroken()) {
                if (claimed.isPresent()) {
                    release(connection);
                }
                if (work.watches()) {
                    connection.sendCommand(Protocol.Command.UNWATCH);
                    connection.getStatusCodeReply();
                }
                connection.rollbackTimeout();
            }
        } catch (JedisException e) {
            // The claim ends with its lease.
            connection.setBroken();
        }
        connection.close();
    }

    /** A network that swallows packets would hold the thread for ever. */
    private void limitNetwork(Request request) {
        long millis = request.options().deadline().toMillis();
        connection.setSoTimeout((int) Math.min(Integer.MAX_VALUE, Math.max(1, millis)));
    }

    private List<byte[]> keys(Request request) {
        return List.of(store.recordKey(request.key()), store.expiryKey(), store.markKey());
    }

    private static byte[] created(Request request) {
        return request.key().created().map(time -> number(time.toEpochMilli())).orElseGet(() -> new byte[0]);
    }

    private static byte[] number(long value) {
        return Protocol.toByteArray(value);
    }
}
