package org.amo.replication.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.amo.core.datagram.DatagramCipher;

/**
 * Derives from a group's secret a proof for each side of a connection, and a key for each direction. They depend on the
 * random salts of this connection, so that recorded frames are of no use on another one. Any thread may use it.
 */
public final class RpcKey {
    static final int PROOF_BYTES = 16;

    private static final int MOST_KEPT = 16;

    /** Those that this process used last, by a hash: a program may make a client for each call. Guarded by itself. */
    private static final Map<ByteBuffer, RpcKey> KEPT = new LinkedHashMap<>();

    private final byte[] groupKey;

    private RpcKey(byte[] groupKey) {
        this.groupKey = groupKey;
    }

    /**
     * Takes up to half a second at the first time in a process: see {@link Secrets#key}. The key stays in memory, as those of the last
     * groups do, so that further clients do not stretch their password again.
     *
     * @throws IllegalArgumentException in one line if the secret is too short
     */
    public static RpcKey of(String group, String secret) {
        Secrets.check(secret, "the secret of " + group);
        ByteBuffer name = ByteBuffer.wrap(Seal.ofKey(secret.getBytes(UTF_8)).hash("amo rpc kept " + group));
        synchronized (KEPT) {
            RpcKey key = Optional.ofNullable(KEPT.remove(name))
                    .orElseGet(() -> new RpcKey(DatagramCipher.groupKey(group, secret)));
            KEPT.put(name, key);
            if (KEPT.size() > MOST_KEPT) {
                KEPT.remove(KEPT.keySet().iterator().next());
            }
            return key;
        }
    }

    /** Proves that the side that drew the salt knows the secret. */
    byte[] helloProof(byte[] clientSalt) {
        return Arrays.copyOf(derive("hello", clientSalt), PROOF_BYTES);
    }

    byte[] welcomeProof(byte[] clientSalt, byte[] serverSalt) {
        return Arrays.copyOf(derive("welcome", clientSalt, serverSalt), PROOF_BYTES);
    }

    FrameCipher clientToServer(byte[] clientSalt, byte[] serverSalt, boolean sends) {
        return new FrameCipher(derive("to server", clientSalt, serverSalt), sends);
    }

    FrameCipher serverToClient(byte[] clientSalt, byte[] serverSalt, boolean sends) {
        return new FrameCipher(derive("to client", clientSalt, serverSalt), sends);
    }

    /** Derives the keys of datagrams, which no connection uses. For one thread. */
    public Seal datagrams() {
        return DatagramCipher.keys(groupKey);
    }

    static boolean same(byte[] one, byte[] other) {
        return MessageDigest.isEqual(one, other);
    }

    private byte[] derive(String label, byte[]... parts) {
        return Seal.ofKey(groupKey).hash("amo rpc 1 " + label, parts);
    }
}
