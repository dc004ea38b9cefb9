package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Objects;
import org.amo.exon.udp.NoiseHandshake.Keys;
import org.amo.meetings.Fuzz;
import org.junit.jupiter.api.Test;

/** The handshake against the published test vector of its pattern, and what breaks it. */
class NoiseHandshakeTest {
    // Noise_NNpsk0_25519_AESGCM_SHA256 of the vectors "cacophony", which all implementations of Noise share.
    private static final byte[] PROLOGUE = "John Galt".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PSK = "This is my Austrian perspective!".getBytes(StandardCharsets.US_ASCII);
    static final String INITIATORS = "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a";
    static final String RESPONDERS = "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b";
    private static final String FIRST = "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
            + "7c37a89fc17813788d30df2d59501d6066f5f8aecc3406bbd9829f2d24a531b1";
    private static final String SECOND = "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843"
            + "2f29d79368ef9de4e1ae7a362fb05bf0ad668e026bf5714554497b3a720461";

    private final NoiseHandshake initiator = new NoiseHandshake(true, PROLOGUE, PSK);
    private final NoiseHandshake responder = new NoiseHandshake(false, PROLOGUE, PSK);

    static KeyPair pair(String privateKey) throws Exception {
        PrivateKey own = KeyFactory.getInstance("X25519")
                .generatePrivate(new PKCS8EncodedKeySpec(Fuzz.bytes("302e020100300506032b656e04220420" + privateKey)));
        byte[] basePoint = new byte[X25519.BYTES];
        basePoint[0] = 9;
        return new KeyPair(X25519.publicKey(X25519.agree(own, basePoint)), own);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void theBytesAreThoseOfThePublishedVector() throws Exception {
        byte[] first = initiator.writeFirst(pair(INITIATORS), text("Ludwig von Mises"));
        assertEquals(FIRST, Fuzz.hex(first));
        assertArrayEquals(text("Ludwig von Mises"), responder.readFirst(first));
        byte[] second = Objects.requireNonNull(responder.writeSecond(pair(RESPONDERS), first, text("Murray Rothbard")));
        assertEquals(SECOND, Fuzz.hex(second));
        assertArrayEquals(text("Murray Rothbard"), initiator.readSecond(second));
        Keys ofInitiator = initiator.split();
        Keys ofResponder = responder.split();
        byte[] none = {};
        assertEquals(
                "7c01e898a6201f36aecee532e29cd0b7f8ffa29d3366ad0dce39a6",
                Fuzz.hex(ofInitiator.out().seal(0, none, none, text("F. A. Hayek"))));
        assertEquals(
                "a9ff535aace3db6a1da1a7fb00fe2de2622bb373abad9fb42c00e0",
                Fuzz.hex(ofResponder.out().seal(0, none, none, text("Carl Menger"))));
        byte[] later = ofInitiator.out().seal(1, none, none, text("Jean-Baptiste Say"));
        assertEquals("6cfc49a3e65472edc2d0152abe5ce950170a8a47c959f30bd48b5f0aacf29adbfd", Fuzz.hex(later));
        assertArrayEquals(text("Jean-Baptiste Say"), ofResponder.in().open(1, later, 0));
        assertNull(ofResponder.in().open(2, later, 0), "another number");
        assertNull(ofInitiator.in().open(1, later, 0), "the other direction");
    }

    @Test
    void anotherSecretOrPrologueReadsNothing() {
        byte[] first = initiator.writeFirst(X25519.newKeyPair(), text("opening"));
        assertNull(new NoiseHandshake(false, PROLOGUE, new byte[32]).readFirst(first));
        assertNull(new NoiseHandshake(false, text("John Gelt"), PSK).readFirst(first));
        assertNull(responder.readFirst(new byte[NoiseHandshake.OVERHEAD - 1]));
    }

    /** A forged answer must not stand in the way of the true one. */
    @Test
    void anAnswerThatIsNotGoodChangesNothing() {
        byte[] first = initiator.writeFirst(X25519.newKeyPair(), text("opening"));
        responder.readFirst(first);
        byte[] second = Objects.requireNonNull(responder.writeSecond(X25519.newKeyPair(), first, text("answer")));
        for (int i = 0; i < second.length; i++) {
            if (i == X25519.BYTES - 1) {
                continue; // its highest bit is no part of the key, but of the hash: the next test
            }
            second[i] ^= 1;
            assertNull(initiator.readSecond(second), "byte " + i);
            second[i] ^= 1;
        }
        second[X25519.BYTES - 1] ^= (byte) 0x80;
        assertNull(initiator.readSecond(second), "the bit that X25519 ignores");
        second[X25519.BYTES - 1] ^= (byte) 0x80;
        assertNull(initiator.readSecond(new byte[second.length]), "a key that agrees with none");
        assertArrayEquals(text("answer"), initiator.readSecond(second));
    }

    @Test
    void anInitiatorWhoseKeyAgreesWithNoneGetsNoAnswer() {
        byte[] zero = new byte[NoiseHandshake.OVERHEAD];
        assertNull(responder.writeSecond(X25519.newKeyPair(), zero, text("answer")));
    }
}
