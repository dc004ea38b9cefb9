package org.amo.replication.order.group;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.SecretKey;
import org.amo.base.wire.AesGcm;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;

/**
 * Encrypts and authenticates frames between members that share a secret: AES-256-GCM.
 *
 * <p>Layout: {@code sender's salt (16) | counter (8) | ciphertext | tag (16)}. The group key follows
 * from the secret and the group's name ({@link Secrets#key}). Each process draws a salt when it starts and seals with
 * HMAC-SHA256(group key, salt), so that the counter is a nonce that never repeats under a key: neither
 * after a restart nor after 2^32 frames, where random nonces would have to stop.
 *
 * <p>A frame that was recorded and is sent again is refused by its counter ({@link PeerSessions}), as long as this process
 * runs. A process that started after the recording has no window of that session. The recorded frames were addressed to its
 * predecessor, and the protocols above no longer accept the predecessor's address and sequence numbers.
 */
final class FrameSeal {
    private static final int SALT_LENGTH = 16;
    private static final int HEADER_LENGTH = SALT_LENGTH + Long.BYTES;
    private static final int MAX_SESSIONS = 256;

    private final byte[] groupKey;
    private final byte[] salt = new byte[SALT_LENGTH];
    private final SecretKey ownKey;
    private final AtomicLong counter = new AtomicLong();
    private final PeerSessions<SecretKey> sessions = new PeerSessions<>(MAX_SESSIONS, this::sessionKey);
    private final ThreadLocal<AesGcm> ciphers = ThreadLocal.withInitial(AesGcm::new);

    FrameSeal(String group, String secret) {
        groupKey = Secrets.key(secret, "amo " + group);
        new SecureRandom().nextBytes(salt);
        ownKey = sessionKey(salt);
    }

    byte[] seal(byte[] data, int offset, int length) {
        byte[] frame = new byte[HEADER_LENGTH + length + AesGcm.TAG_BYTES];
        long number = counter.incrementAndGet();
        ByteBuffer.wrap(frame).put(salt).putLong(number);
        ciphers.get().seal(ownKey, number, data, offset, length, frame, HEADER_LENGTH);
        return frame;
    }

    /** The content, or empty if the frame was not sealed with this group's secret, was changed, or came before. */
    Optional<byte[]> open(byte[] frame, int offset, int length) {
        return open(frame, offset, length, sessions::admit);
    }

    /** Whether {@link #open} would open the frame. It stays new: the next one does. */
    boolean opens(byte[] frame) {
        return open(frame, 0, frame.length, (peerSalt, key, number) -> sessions.isNew(peerSalt, number))
                .isPresent();
    }

    private Optional<byte[]> open(byte[] frame, int offset, int length, Admission admission) {
        if (length < HEADER_LENGTH + AesGcm.TAG_BYTES) {
            return Optional.empty();
        }
        byte[] peerSalt = Arrays.copyOfRange(frame, offset, offset + SALT_LENGTH);
        long number = ByteBuffer.wrap(frame).getLong(offset + SALT_LENGTH);
        return sessions.key(peerSalt).flatMap(key -> ciphers.get()
                .open(key, number, frame, offset, length, HEADER_LENGTH)
                .filter(content -> admission.admits(peerSalt, key, number)));
    }

    @FunctionalInterface
    private interface Admission {
        boolean admits(byte[] peerSalt, SecretKey key, long number);
    }

    private SecretKey sessionKey(byte[] sessionSalt) {
        return AesGcm.key(Seal.ofKey(groupKey).hash("", sessionSalt));
    }
}
