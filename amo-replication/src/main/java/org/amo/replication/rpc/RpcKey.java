package org.amo.replication.rpc;

import java.security.MessageDigest;
import java.util.Arrays;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;

/**
 * Derives from a group's secret a proof for each side of a connection, and a key for each direction. They depend on the
 * random salts of this connection, so that recorded frames are of no use on another one. Any thread may use it.
 */
public final class RpcKey {
    static final int PROOF_BYTES = 16;

    private final byte[] groupKey;

    private RpcKey(byte[] groupKey) {
        this.groupKey = groupKey;
    }

    /**
     * Takes up to half a second: see {@link Secrets#key}.
     *
     * @throws IllegalArgumentException in one line if the secret is too short
     */
    public static RpcKey of(String group, String secret) {
        Secrets.check(secret, "the secret of " + group);
        return new RpcKey(Secrets.key(secret, "amo rpc " + group));
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
    Seal datagrams() {
        return Seal.ofKey(groupKey).derive("amo call 1");
    }

    static boolean same(byte[] one, byte[] other) {
        return MessageDigest.isEqual(one, other);
    }

    private byte[] derive(String label, byte[]... parts) {
        return Seal.ofKey(groupKey).hash("amo rpc 1 " + label, parts);
    }
}
