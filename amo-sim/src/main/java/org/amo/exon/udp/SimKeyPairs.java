package org.amo.exon.udp;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Key pairs of X25519 from a seed, so that a run can be repeated. */
final class SimKeyPairs implements Supplier<KeyPair> {
    private static final int BASE_POINT = 9;

    private final SplittableRandom random;

    SimKeyPairs(SplittableRandom random) {
        this.random = random;
    }

    @Override
    public KeyPair get() {
        byte[] secret = new byte[X25519.BYTES];
        random.nextBytes(secret);
        byte[] basePoint = new byte[X25519.BYTES];
        basePoint[0] = BASE_POINT;
        try {
            PrivateKey own = KeyFactory.getInstance("X25519")
                    .generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, secret));
            return new KeyPair(X25519.publicKey(X25519.agree(own, basePoint)), own);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime makes no key of X25519 from its bytes", e);
        }
    }
}
