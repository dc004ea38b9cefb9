package org.amo.replication.order.raft;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Supplier;
import org.jgroups.Header;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.raft.RaftHeader;

/** A message from one {@link LeaderWatch} to another: its term, and a {@link Kind}. */
public final class WatchHeader extends RaftHeader {
    private static final short MAGIC_ID = 3100;

    enum Kind {
        /** The sender knows no leader of its term. */
        LEADERLESS(1),
        /** The sender leads in its term. */
        LEADS(2),
        /** The sender has heard one of the others; {@link #LEADERLESS} only if it knows no leader either. Its term may be later. */
        HEARD(3),
        /** The sender has lost its stored term and vote, and asks for the receiver's term. With the version of its configuration. */
        TERM_ASKED(4),
        /** The sender's stored term, with the last index of its log. */
        TERM(5);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        private static Kind of(int code) throws IOException {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IOException("unknown kind " + code + " of a word about leaders");
        }
    }

    private Kind kind;
    private long index;

    /** JGroups creates received ones by the number. Once in a process. */
    static void register() {
        ClassConfigurator.add(MAGIC_ID, WatchHeader.class);
    }

    /** For JGroups, which then reads the rest. */
    public WatchHeader() {
        this(Kind.LEADERLESS, 0, 0);
    }

    /** @param index for {@link Kind#TERM_ASKED} and {@link Kind#TERM}; else 0 */
    WatchHeader(Kind kind, long term, long index) {
        super(term);
        this.kind = kind;
        this.index = index;
    }

    long index() {
        return index;
    }

    Kind kind() {
        return kind;
    }

    @Override
    public int serializedSize() {
        return super.serializedSize() + 1 + Long.BYTES;
    }

    @Override
    public void writeTo(DataOutput out) throws IOException {
        super.writeTo(out);
        out.writeByte(kind.code);
        out.writeLong(index);
    }

    @Override
    public void readFrom(DataInput in) throws IOException, ClassNotFoundException {
        super.readFrom(in);
        kind = Kind.of(in.readUnsignedByte());
        index = in.readLong();
    }

    @Override
    public short getMagicId() {
        return MAGIC_ID;
    }

    @Override
    public Supplier<? extends Header> create() {
        return WatchHeader::new;
    }
}
