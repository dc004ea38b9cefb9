package org.amo.kv;

import java.util.Optional;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.request.Answer;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.rpc.RpcConnection;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcRefusal;
import org.amo.replication.rpc.RpcTransport;

/** A client's connection to one server, until it breaks. The transport's thread owns it. */
final class KvLink implements RpcConnection.Listener {
    private final ClientId client;
    private final Listener listener;
    private Optional<RpcConnection> connection = Optional.empty();
    private boolean connected;
    private boolean dirty;
    private boolean closed;
    private long heardNanos = System.nanoTime();

    /** Receives the events of a link. */
    interface Listener {
        void onConnected(KvLink link);

        void onReply(KvLink link, long copy, byte[] body);

        void onBatchEnd();

        void onGone(KvLink link, String why);
    }

    KvLink(ClientId client, Listener listener) {
        this.client = client;
        this.listener = listener;
    }

    /** Begins to connect, unless it was closed before. */
    void connect(RpcTransport transport, RpcPeer peer) {
        if (!closed) {
            connection = Optional.of(RpcConnection.open(transport, peer, this));
        }
    }

    boolean isConnected() {
        return connected;
    }

    /** When something came last, or the link was made. */
    long heardNanos() {
        return heardNanos;
    }

    /** Leaves with the next {@link #flush}. */
    void send(long copy, byte[] body) {
        RequestId id = RequestId.own(client, copy);
        connection.orElseThrow().send(client, new Attempt(copy, id, 0, 0, false, FinishedNumbers.NONE, body));
        dirty = true;
    }

    /**
     * Leaves with the next {@link #flush}.
     *
     * @param answer told once; empty if the server has none, or the connection ends
     */
    void ask(byte[] question, Consumer<Optional<byte[]>> answer) {
        connection.orElseThrow().ask(question, answer);
        dirty = true;
    }

    void flush() {
        if (dirty && connected) {
            dirty = false;
            connection.orElseThrow().flush();
        }
    }

    void close() {
        closed = true;
        connection.ifPresent(RpcConnection::close);
    }

    @Override
    public void onConnected(long upperMillis) {
        connected = true;
        heardNanos = System.nanoTime();
        listener.onConnected(this);
    }

    @Override
    public void onAnswer(long copy, Answer answer) {
        heardNanos = System.nanoTime();
        if (answer.kind() == Answer.Kind.REPLY) {
            listener.onReply(this, copy, answer.reply());
        }
    }

    @Override
    public void onBatchEnd() {
        listener.onBatchEnd();
    }

    @Override
    public void onDisconnected(RpcRefusal why) {
        connected = false;
        listener.onGone(this, why.why());
    }
}
