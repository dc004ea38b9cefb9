package org.amo.replication.order.raft;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.CRC32C;
import org.amo.core.order.LogRepair.Damage;

/**
 * The state that a member must know after a crash, beside its log ({@code docs/wire/raft-log.md}).
 *
 * @param generation rises with each write; the later of two slots holds
 * @param term RAFT's current term
 * @param vote the address it voted for in the term, as JGroups writes it; empty for none
 * @param commit the commit index; may lag
 * @param acknowledged the last index that this member acknowledged or may have; lags by at most the last append
 * @param checksum of the record at that index
 * @param damage to be repaired
 */
record MemberState(
        long generation,
        long term,
        byte[] vote,
        long commit,
        long acknowledged,
        int checksum,
        Optional<Damage> damage) {
    static final MemberState NEW = new MemberState(0, 0, new byte[0], 0, 0, 0, Optional.empty());

    /** Bytes of a slot. */
    static final int LENGTH = 512;

    private static final int MAGIC = 0x616d6f4d;
    private static final int VERSION = 1;
    private static final int CHECKSUM_AT = LENGTH - Integer.BYTES;
    private static final int FIXED = 2 * Integer.BYTES + 2 + 6 * Long.BYTES + Integer.BYTES;
    static final int MAX_VOTE = CHECKSUM_AT - FIXED;

    private static final int NO_DAMAGE = 0;
    private static final int DAMAGED = 1;
    private static final int TERM_LOST = 2;

    MemberState term(long value) {
        return new MemberState(generation, value, vote, commit, acknowledged, checksum, damage);
    }

    MemberState vote(byte[] value) {
        return new MemberState(generation, term, value, commit, acknowledged, checksum, damage);
    }

    MemberState commit(long value) {
        return new MemberState(generation, term, vote, value, acknowledged, checksum, damage);
    }

    MemberState acknowledged(long index, int of) {
        return new MemberState(generation, term, vote, commit, index, of, damage);
    }

    MemberState damage(Optional<Damage> value) {
        return new MemberState(generation, term, vote, commit, acknowledged, checksum, value);
    }

    MemberState next() {
        return new MemberState(generation + 1, term, vote, commit, acknowledged, checksum, damage);
    }

    /** A slot: {@value #LENGTH} bytes, from the position of a buffer that is zero there. */
    void write(ByteBuffer out) {
        int start = out.position();
        out.putInt(MAGIC).put((byte) VERSION);
        int kind = damage.map(found -> found.termKnown() ? DAMAGED : TERM_LOST).orElse(NO_DAMAGE);
        out.put((byte) kind);
        out.putLong(generation)
                .putLong(term)
                .putLong(commit)
                .putLong(acknowledged)
                .putInt(checksum);
        out.putLong(damage.map(Damage::upTo).orElse(0L))
                .putLong(damage.map(Damage::term).orElse(0L));
        out.putInt(vote.length).put(vote);
        out.putInt(start + CHECKSUM_AT, checksumOf(out, start));
        out.position(start + LENGTH);
    }

    /** The version of a whole slot that another version of amo wrote. Length, magic and checksum are the same in all versions. */
    static OptionalInt otherVersion(ByteBuffer in, int start) {
        return isWhole(in, start) && in.get(start + Integer.BYTES) != VERSION
                ? OptionalInt.of(Byte.toUnsignedInt(in.get(start + Integer.BYTES)))
                : OptionalInt.empty();
    }

    private static boolean isWhole(ByteBuffer in, int start) {
        return in.limit() - start >= LENGTH
                && in.getInt(start) == MAGIC
                && in.getInt(start + CHECKSUM_AT) == checksumOf(in, start);
    }

    /** Empty if the slot is not whole, or of another version. */
    static Optional<MemberState> read(ByteBuffer in, int start) {
        if (!isWhole(in, start) || in.get(start + Integer.BYTES) != VERSION) {
            return Optional.empty();
        }
        ByteBuffer from = in.duplicate().position(start + Integer.BYTES + 1);
        int kind = from.get();
        long generation = from.getLong();
        long term = from.getLong();
        long commit = from.getLong();
        long acknowledged = from.getLong();
        int checksum = from.getInt();
        Damage damage = new Damage(from.getLong(), from.getLong(), kind != TERM_LOST);
        int length = from.getInt();
        if (length < 0 || length > MAX_VOTE || kind < NO_DAMAGE || kind > TERM_LOST) {
            return Optional.empty();
        }
        byte[] vote = new byte[length];
        from.get(vote);
        return Optional.of(new MemberState(
                generation,
                term,
                vote,
                commit,
                acknowledged,
                checksum,
                kind == NO_DAMAGE ? Optional.empty() : Optional.of(damage)));
    }

    private static int checksumOf(ByteBuffer bytes, int start) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(start + CHECKSUM_AT).position(start));
        return (int) crc.getValue();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MemberState that
                && generation == that.generation
                && term == that.term
                && Arrays.equals(vote, that.vote)
                && commit == that.commit
                && acknowledged == that.acknowledged
                && checksum == that.checksum
                && damage.equals(that.damage);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(generation);
    }
}
