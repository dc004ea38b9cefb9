package org.amo.kv;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.amo.base.ClientId;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcTransport;

/** The links of one process to others, each under a name, made when they are asked for. The transport's thread owns it. */
final class KvLinks {
    private final KvAccess access;
    private final RpcTransport transport;
    private final KvLink.Listener listener;
    private final ClientId client;
    private final Map<String, KvLink> links = new HashMap<>();

    /** @param listener of all links */
    KvLinks(KvAccess access, RpcTransport transport, KvLink.Listener listener) {
        this.access = access;
        this.transport = transport;
        this.listener = listener;
        SecureRandom random = new SecureRandom();
        this.client = new ClientId(random.nextLong(), random.nextLong());
    }

    /** The link of that name: the present one, or a new one to that address, which begins to connect. */
    KvLink to(String name, String host, int port) {
        KvLink known = links.get(name);
        if (known != null) {
            return known;
        }
        KvLink made = new KvLink(client, listener);
        links.put(name, made);
        RpcPeer peer = access.peer(host, port);
        // Not now: a connection that fails at once would tell so within this call.
        transport.loop().execute(() -> made.connect(transport, peer));
        return made;
    }

    Optional<KvLink> find(String name) {
        return Optional.ofNullable(links.get(name));
    }

    Stream<KvLink> connected() {
        return links.values().stream().filter(KvLink::isConnected);
    }

    boolean has(KvLink link) {
        return links.containsValue(link);
    }

    /**
     * The next caller of its name gets a new one.
     *
     * @return whether it was there
     */
    boolean remove(KvLink link) {
        return links.values().remove(link);
    }

    void flush() {
        links.values().forEach(KvLink::flush);
    }

    void close() {
        links.values().forEach(KvLink::close);
    }
}
