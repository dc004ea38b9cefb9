package org.amo.once;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.amo.base.Experimental;

/**
 * The identity of a call, chosen by the caller: the value of an {@code Idempotency-Key} header, for instance. A caller that keeps it
 * on disk before the first attempt may retry after a crash. Two keys are equal if tenant and text have the same bytes.
 *
 * <p>A service uses one of two forms for all of its keys:
 *
 * <ul>
 *   <li>{@link #of}: any text. The record of a call leaves at its expiry, and nothing can refuse the key afterwards: a retry behind
 *       the retention runs <b>again</b>.
 *   <li>{@link #timed}: a UUID of version 7, which carries the time of its creation. A retry behind the retention is refused, for
 *       ever. The caller makes the key once and sends the same one with each retry.
 * </ul>
 *
 * @param tenant that the key belongs to; may be empty. At most {@link #MAX_BYTES} bytes in UTF-8
 * @param text 1 to {@link #MAX_BYTES} bytes in UTF-8
 * @param isTimed whether the text is a UUID of version 7 that counts as its time
 */
@Experimental
public record IdempotencyKey(String tenant, String text, boolean isTimed) {
    public static final int MAX_BYTES = 255;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int TIME_SHIFT = 16;
    private static final long BELOW_VERSION = 0xfffL;
    private static final long VERSION = 0x7000L;
    private static final long BELOW_VARIANT = 0x3fff_ffff_ffff_ffffL;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    /** @throws IllegalArgumentException in one line, if the key cannot be one */
    public IdempotencyKey {
        check("the tenant", tenant);
        check("the key", text);
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the key is empty: send a text that no other call has, such as a UUID");
        }
        if (isTimed) {
            uuidOf(text);
        }
    }

    /** A key that tells nothing of its age: a retry behind the retention runs again. */
    public static IdempotencyKey of(String tenant, String text) {
        return new IdempotencyKey(tenant, text, false);
    }

    /**
     * A key that carries its time: a retry behind the retention is refused.
     *
     * @throws IllegalArgumentException if the UUID has another version than 7
     */
    public static IdempotencyKey timed(String tenant, UUID uuid) {
        return new IdempotencyKey(tenant, uuid.toString(), true);
    }

    /**
     * A new key, for the caller's side: its time and 74 random bits.
     *
     * @param created now, by the caller's clock
     */
    public static IdempotencyKey create(String tenant, Instant created) {
        long high = (created.toEpochMilli() << TIME_SHIFT) | VERSION | (RANDOM.nextLong() & BELOW_VERSION);
        return timed(tenant, new UUID(high, VARIANT | (RANDOM.nextLong() & BELOW_VARIANT)));
    }

    /** The time that the key carries, in milliseconds of the caller's clock; empty for a key made by {@link #of}. */
    public Optional<Instant> created() {
        return isTimed
                ? Optional.of(Instant.ofEpochMilli(uuidOf(text).getMostSignificantBits() >>> TIME_SHIFT))
                : Optional.empty();
    }

    /** For stores: in UTF-8. */
    public byte[] tenantBytes() {
        return tenant.getBytes(StandardCharsets.UTF_8);
    }

    /** For stores: in UTF-8. */
    public byte[] textBytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** For messages, in one line. */
    @Override
    public String toString() {
        return tenant.isEmpty() ? "key " + text : "key " + text + " of tenant " + tenant;
    }

    private static void check(String what, String value) {
        ByteBuffer bytes;
        try {
            // Lone surrogates would all become the same '?', so that two keys were one.
            bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(what + " is no valid Unicode: send it as UTF-8", e);
        }
        if (bytes.remaining() > MAX_BYTES) {
            throw new IllegalArgumentException(what + " has " + bytes.remaining() + " bytes, and at most " + MAX_BYTES
                    + " are allowed: send a shorter one, such as a UUID");
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(what + " has control characters: send a text without them");
        }
    }

    private static UUID uuidOf(String text) {
        UUID uuid;
        try {
            uuid = UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "no UUID: " + text + "; a key that carries its time is a UUID of version 7", e);
        }
        if (uuid.version() != 7 || uuid.variant() != 2 || !uuid.toString().equals(text)) {
            throw new IllegalArgumentException(
                    "a key that carries its time is a UUID of version 7 in small letters: " + text);
        }
        return uuid;
    }
}
