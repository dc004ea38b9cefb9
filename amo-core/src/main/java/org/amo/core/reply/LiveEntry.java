package org.amo.core.reply;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request that was accepted and is not yet resolved: it is running, or its reply is kept. Shows the state at the time of
 * the query; {@link LiveWindow} packs the fields.
 */
public final class LiveEntry {
    /** Instead of a reply: the {@link ReplyStore} has it. */
    static final byte[] IN_STORE = {};

    private final long timestampMillis;
    private final long expiresAtMillis;
    private final long fingerprint;
    private final int charge;
    private final byte @Nullable [] reply;

    /**
     * One that is running.
     *
     * @param expiresAtMillis resolved once orderedTime is past it
     * @param charge its budget charge: ordered facts only, never the reply's real size
     */
    public LiveEntry(long timestampMillis, long expiresAtMillis, long fingerprint, int charge) {
        this(timestampMillis, expiresAtMillis, fingerprint, charge, null);
    }

    LiveEntry(long timestampMillis, long expiresAtMillis, long fingerprint, int charge, byte @Nullable [] reply) {
        this.timestampMillis = timestampMillis;
        this.expiresAtMillis = expiresAtMillis;
        this.fingerprint = fingerprint;
        this.charge = charge;
        this.reply = reply;
    }

    public long timestampMillis() {
        return timestampMillis;
    }

    public long expiresAtMillis() {
        return expiresAtMillis;
    }

    public long fingerprint() {
        return fingerprint;
    }

    public int charge() {
        return charge;
    }

    /** The reply, once the execution has ended here. Local: no decision may ask for it. */
    public Optional<byte[]> reply() {
        return Optional.ofNullable(reply);
    }

    LiveEntry completed(byte[] value) {
        return new LiveEntry(timestampMillis, expiresAtMillis, fingerprint, charge, value);
    }

    boolean isInStore() {
        return reply == IN_STORE;
    }

    int replyBytes() {
        return reply == null ? 0 : reply.length;
    }
}
