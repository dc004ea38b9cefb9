package org.amo.replication.order.group;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.crypto.SecretKey;
import org.amo.base.SecretRing;
import org.amo.base.wire.AesGcm;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;

/**
 * Encrypts and authenticates frames between members that share a secret: AES-256-GCM.
 *
 * <p>Layout: {@code sender's salt (16) | counter (8) | ciphertext | tag (16)}. The group key follows
 * from the secret and the group's name ({@link Secrets#key}). Each process draws a salt when it starts, and when another secret becomes the
 * first of its ring, and seals with HMAC-SHA256(group key, salt), so that the counter is a nonce that never repeats under a key: neither
 * after a restart nor after 2^32 frames, where random nonces would have to stop.
 *
 * <p>A frame that was recorded and is sent again is refused by its counter ({@link PeerSessions}), as long as this process
 * runs. A process that started after the recording has no window of that session. The recorded frames were addressed to its
 * predecessor, and the protocols above no longer accept the predecessor's address and sequence numbers.
 *
 * <p>While two secrets are accepted, each has sessions and windows of its own: a holder of the one being removed cannot move the window of a
 * session under the new one. The windows of a secret go with it; {@link SecretRing} never takes it back.
 */
final class FrameSeal {
    private static final int SALT_LENGTH = 16;
    private static final int HEADER_LENGTH = SALT_LENGTH + Long.BYTES;
    private static final int MAX_SESSIONS = 256;

    private final String group;
    private final ThreadLocal<AesGcm> ciphers = ThreadLocal.withInitial(AesGcm::new);

    private volatile List<Accepted> accepted = List.of();
    private volatile Own own;

    /** A secret in force, and the sessions of the processes that seal with it. */
    private record Accepted(String secret, byte[] groupKey, PeerSessions<SecretKey> sessions) {
        static Accepted of(String group, String secret) {
            byte[] groupKey = Secrets.key(secret, "amo " + group);
            return new Accepted(secret, groupKey, new PeerSessions<>(MAX_SESSIONS, salt -> sessionKey(groupKey, salt)));
        }
    }

    /** The session of this process under its first secret. */
    private record Own(byte[] salt, SecretKey key, AtomicLong counter) {
        static Own under(Accepted first) {
            byte[] salt = new byte[SALT_LENGTH];
            new SecureRandom().nextBytes(salt);
            return new Own(salt, sessionKey(first.groupKey(), salt), new AtomicLong());
        }
    }

    FrameSeal(String group, SecretRing secrets) {
        this.group = group;
        this.accepted = with(secrets.secrets());
        this.own = Own.under(accepted.get(0));
        secrets.use(this::change);
    }

    /** Called by the ring, one change after another. */
    private void change(List<String> secrets) {
        String sealedWith = accepted.get(0).secret();
        List<Accepted> next = with(secrets);
        if (!sealedWith.equals(next.get(0).secret())) {
            own = Own.under(next.get(0));
        }
        accepted = next;
    }

    /** A secret that stays in force keeps its windows. */
    private List<Accepted> with(List<String> secrets) {
        List<Accepted> present = accepted;
        return secrets.stream()
                .map(secret -> present.stream()
                        .filter(each -> each.secret().equals(secret))
                        .findFirst()
                        .orElseGet(() -> Accepted.of(group, secret)))
                .collect(Collectors.toUnmodifiableList());
    }

    byte[] seal(byte[] data, int offset, int length) {
        Own session = own;
        byte[] frame = new byte[HEADER_LENGTH + length + AesGcm.TAG_BYTES];
        long number = session.counter().incrementAndGet();
        ByteBuffer.wrap(frame).put(session.salt()).putLong(number);
        ciphers.get().seal(session.key(), number, data, offset, length, frame, HEADER_LENGTH);
        return frame;
    }

    /** The content, or empty if the frame was not sealed with this group's secret, was changed, or came before. */
    Optional<byte[]> open(byte[] frame, int offset, int length) {
        return open(frame, offset, length, PeerSessions::admit);
    }

    /** Whether {@link #open} would open the frame. It stays new: the next one does. */
    boolean opens(byte[] frame) {
        return open(frame, 0, frame.length, (sessions, peerSalt, key, number) -> sessions.isNew(peerSalt, number))
                .isPresent();
    }

    private Optional<byte[]> open(byte[] frame, int offset, int length, Admission admission) {
        if (length < HEADER_LENGTH + AesGcm.TAG_BYTES) {
            return Optional.empty();
        }
        byte[] peerSalt = Arrays.copyOfRange(frame, offset, offset + SALT_LENGTH);
        long number = ByteBuffer.wrap(frame).getLong(offset + SALT_LENGTH);
        for (Accepted each : accepted) {
            Optional<SecretKey> key = each.sessions().key(peerSalt);
            Optional<byte[]> content =
                    key.flatMap(known -> ciphers.get().open(known, number, frame, offset, length, HEADER_LENGTH));
            if (content.isPresent()) {
                // It opens under this secret alone.
                return content.filter(unused -> admission.admits(each.sessions(), peerSalt, key.get(), number));
            }
        }
        return Optional.empty();
    }

    @FunctionalInterface
    private interface Admission {
        boolean admits(PeerSessions<SecretKey> sessions, byte[] peerSalt, SecretKey key, long number);
    }

    private static SecretKey sessionKey(byte[] groupKey, byte[] sessionSalt) {
        return AesGcm.key(Seal.ofKey(groupKey).hash("", sessionSalt));
    }
}
