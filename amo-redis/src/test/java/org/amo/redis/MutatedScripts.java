package org.amo.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;

/** Connections to a Redis that change a part of a script on its way. */
final class MutatedScripts extends BasePooledObjectFactory<Connection> {
    private final int port;
    private final String part;
    private final String mutant;
    private volatile boolean isUsed;

    MutatedScripts(int port, String part, String mutant) {
        this.port = port;
        this.part = part;
        this.mutant = mutant;
    }

    ConnectionPool pool() {
        return new ConnectionPool(this);
    }

    /** Whether a script had the part. */
    boolean isUsed() {
        return isUsed;
    }

    @Override
    public Connection create() {
        Connection connection = new Connection("127.0.0.1", port) {
            @Override
            public void sendCommand(ProtocolCommand command, byte[]... arguments) {
                if (command == Protocol.Command.EVAL) {
                    String script = new String(arguments[0], UTF_8);
                    if (script.contains(part)) {
                        isUsed = true;
                    }
                    arguments[0] = script.replace(part, mutant).getBytes(UTF_8);
                }
                super.sendCommand(command, arguments);
            }
        };
        connection.connect();
        return connection;
    }

    @Override
    public PooledObject<Connection> wrap(Connection connection) {
        return new DefaultPooledObject<>(connection);
    }

    @Override
    public void destroyObject(PooledObject<Connection> pooled) {
        pooled.getObject().disconnect();
    }
}
