package org.amo.replication.order.group;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts and authenticates frames between members that share a secret: AES-256-GCM.
 *
 * <p>Layout: {@code sender's salt (16) | counter (8) | ciphertext | tag (16)}. The group key is PBKDF2 of
 * the secret with the group's name as salt. Each process draws a salt when it starts and seals with
 * HMAC-SHA256(group key, salt), so that the counter is a nonce that never repeats under a key: neither
 * after a restart nor after 2^32 frames, where random nonces would have to stop.
 *
 * <p>A frame that was recorded and is sent again is refused by its counter ({@link ReplayWindow}), as long as this process
 * runs. A process that started after the recording has no window of that session. The recorded frames were addressed to its
 * predecessor, and the protocols above no longer accept the predecessor's address and sequence numbers.
 */
final class FrameSeal {
    private static final int SALT_LENGTH = 16;
    private static final int HEADER_LENGTH = SALT_LENGTH + Long.BYTES;
    private static final int TAG_LENGTH = 16;
    private static final int NONCE_LENGTH = 12;
    /** About 0.1 s, once a start. A secret file holds a random key; this is for a file with a password in it. */
    private static final int ITERATIONS = 120_000;

    private static final int MAX_SESSIONS = 256;

    private final byte[] groupKey;
    private final byte[] salt = new byte[SALT_LENGTH];
    private final SecretKeySpec ownKey;
    private final AtomicLong counter = new AtomicLong();
    private final PeerSessions<SecretKeySpec> sessions = new PeerSessions<>(MAX_SESSIONS, this::sessionKey);
    private final ThreadLocal<Cipher> ciphers = ThreadLocal.withInitial(FrameSeal::newCipher);

    FrameSeal(String group, String secret) {
        try {
            PBEKeySpec spec = new PBEKeySpec(
                    secret.toCharArray(), ("amo " + group).getBytes(StandardCharsets.UTF_8), ITERATIONS, 256);
            groupKey = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
            spec.clearPassword();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks PBKDF2WithHmacSHA256", e);
        }
        new SecureRandom().nextBytes(salt);
        ownKey = sessionKey(salt);
    }

    byte[] seal(byte[] data, int offset, int length) {
        byte[] frame = new byte[HEADER_LENGTH + length + TAG_LENGTH];
        ByteBuffer.wrap(frame).put(salt).putLong(counter.incrementAndGet());
        try {
            Cipher cipher = ciphers.get();
            cipher.init(Cipher.ENCRYPT_MODE, ownKey, nonce(frame, 0));
            cipher.updateAAD(frame, 0, HEADER_LENGTH);
            cipher.doFinal(data, offset, length, frame, HEADER_LENGTH);
            return frame;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot encrypt a frame of " + length + " bytes", e);
        }
    }

    /** The content, or empty if the frame was not sealed with this group's secret, was changed, or came before. */
    Optional<byte[]> open(byte[] frame, int offset, int length) {
        if (length < HEADER_LENGTH + TAG_LENGTH) {
            return Optional.empty();
        }
        byte[] peerSalt = Arrays.copyOfRange(frame, offset, offset + SALT_LENGTH);
        Optional<SecretKeySpec> key = sessions.key(peerSalt);
        if (key.isEmpty()) {
            return Optional.empty();
        }
        try {
            Cipher cipher = ciphers.get();
            cipher.init(Cipher.DECRYPT_MODE, key.get(), nonce(frame, offset));
            cipher.updateAAD(frame, offset, HEADER_LENGTH);
            byte[] content = cipher.doFinal(frame, offset + HEADER_LENGTH, length - HEADER_LENGTH);
            long number =
                    ByteBuffer.wrap(frame, offset + SALT_LENGTH, Long.BYTES).getLong();
            return sessions.admit(peerSalt, key.get(), number) ? Optional.of(content) : Optional.empty();
        } catch (AEADBadTagException e) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot decrypt a frame of " + length + " bytes", e);
        }
    }

    private SecretKeySpec sessionKey(byte[] sessionSalt) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(groupKey, "HmacSHA256"));
            return new SecretKeySpec(mac.doFinal(sessionSalt), "AES");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks HmacSHA256", e);
        }
    }

    private static GCMParameterSpec nonce(byte[] frame, int offset) {
        byte[] nonce = new byte[NONCE_LENGTH];
        System.arraycopy(frame, offset + SALT_LENGTH, nonce, NONCE_LENGTH - Long.BYTES, Long.BYTES);
        return new GCMParameterSpec(TAG_LENGTH * Byte.SIZE, nonce);
    }

    private static Cipher newCipher() {
        try {
            return Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks AES/GCM", e);
        }
    }
}
