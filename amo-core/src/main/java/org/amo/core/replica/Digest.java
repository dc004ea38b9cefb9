package org.amo.core.replica;

import org.amo.core.request.RequestId;

/** A 64 bit chain over the state that every replica must agree on. It detects divergence, not an adversary. */
final class Digest {
    private Digest() {}

    static long mix(long chain, long value) {
        long mixed = (chain ^ value) * 0x9E37_79B9_7F4A_7C15L;
        mixed ^= mixed >>> 32;
        mixed *= 0xD6E8_FEB8_6659_FD93L;
        return mixed ^ (mixed >>> 29);
    }

    static long mix(long chain, RequestId id) {
        return mix(mix(mix(chain, id.client().high()), id.client().low()), id.number());
    }

    static long mix(long chain, byte[] bytes) {
        long mixed = mix(chain, bytes.length);
        long word = 0;
        for (int i = 0; i < bytes.length; i++) {
            word = (word << 8) | (bytes[i] & 0xFF);
            if ((i & 7) == 7) {
                mixed = mix(mixed, word);
                word = 0;
            }
        }
        return mix(mixed, word);
    }
}
