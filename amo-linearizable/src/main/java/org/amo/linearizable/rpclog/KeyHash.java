package org.amo.linearizable.rpclog;

/** The hash by which keys are spread over ranges. It is on disk and in clients: it never changes. */
public final class KeyHash {
    private KeyHash() {}

    /** FNV-1a over the bytes, its bits mixed, since ranges go by the high ones. */
    public static long of(byte[] key) {
        long hash = 0xCBF29CE484222325L;
        for (byte each : key) {
            hash = (hash ^ (each & 0xFF)) * 0x100000001B3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xFF51AFD7ED558CCDL;
        hash = (hash ^ (hash >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return hash ^ (hash >>> 33);
    }
}
