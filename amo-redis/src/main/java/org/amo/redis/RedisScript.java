package org.amo.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

/** The scripts among the resources. Redis runs each as one atomic step. */
enum RedisScript {
    CLAIM,
    COMMIT,
    RELEASE,
    REMOVE;

    private final byte[] text;

    RedisScript() {
        String file = name().toLowerCase(Locale.ROOT) + ".lua";
        try (InputStream in = RedisScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("the jar of amo-redis lacks " + file);
            }
            text = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("the jar of amo-redis cannot be read: " + file, e);
        }
    }

    /** Sends it; the answer is to be read. The text goes along: Redis forgets scripts at a restart, and an attempt must not fail for it. */
    void send(Connection connection, List<byte[]> keys, List<byte[]> arguments) {
        List<byte[]> words = new ArrayList<>();
        words.add(text);
        words.add(Protocol.toByteArray(keys.size()));
        words.addAll(keys);
        words.addAll(arguments);
        connection.sendCommand(Protocol.Command.EVAL, words.toArray(byte[][]::new));
    }

    /** @return its answer: a number, or bytes */
    Object run(Connection connection, List<byte[]> keys, List<byte[]> arguments) {
        send(connection, keys, arguments);
        return connection.getOne();
    }
}
