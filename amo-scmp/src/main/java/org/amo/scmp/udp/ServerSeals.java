package org.amo.scmp.udp;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.amo.base.wire.Seal;
import org.amo.scmp.RpcDatagrams;

/**
 * The seals of a server's datagrams: one under its own key, and one for each client that has a credential. The key of a client is
 * derived from the server's own when a datagram names that client, so the server keeps no list. One thread owns it.
 *
 * <p>Invariant: nothing here grows. The seal of the last client is kept, since a datagram is mostly followed by its answer.
 */
final class ServerSeals {
    private final DatagramSeal own;

    /** Derives the keys of clients; empty without a key. */
    private final Optional<Seal> clients;

    private long lastClient;
    private Optional<DatagramSeal> last = Optional.empty();

    private ServerSeals(DatagramSeal own, Optional<Seal> clients) {
        this.own = own;
        this.clients = clients;
    }

    /**
     * @param key empty for datagrams in the clear
     * @throws IllegalArgumentException for a key that is too short
     */
    static ServerSeals of(Optional<byte[]> key) {
        return new ServerSeals(DatagramSeal.of(key), key.map(Seal::ofKey));
    }

    boolean isKeyed() {
        return clients.isPresent();
    }

    /** The seal that a datagram must bear; empty if it names a client's key, and there are no keys. */
    Optional<DatagramSeal> of(ByteBuffer datagram) {
        return isUnderClientKey(datagram) ? ofClient(RpcDatagrams.clientHigh(datagram)) : Optional.of(own);
    }

    static boolean isUnderClientKey(ByteBuffer datagram) {
        return RpcDatagrams.version(datagram) == RpcDatagrams.CLIENT_KEY;
    }

    /** The seal of an answer to a datagram that passed. */
    DatagramSeal ofAnswer(boolean underClientKey, long client) {
        return underClientKey ? ofClient(client).orElseThrow() : own;
    }

    private Optional<DatagramSeal> ofClient(long client) {
        if (last.isEmpty() || lastClient != client) {
            last = clients.map(from -> DatagramSeal.ofClient(ScmpCredential.key(from, client)));
            lastClient = client;
        }
        return last;
    }
}
