package org.amo.replication.order.raft;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Supplier;
import org.jgroups.Header;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.raft.RaftHeader;

/** What one {@link LeaderWatch} says to another: its term, and a {@link Kind}. */
public final class WatchHeader extends RaftHeader {
    private static final short MAGIC_ID = 3100;

    /** The ordinal goes over the wire: new ones at the end. */
    enum Kind {
        /** The sender knows no leader of its term. */
        LEADERLESS,
        /** The sender leads in its term. */
        LEADS,
        /** The sender has heard one of the others; {@link #LEADERLESS} only if it knows no leader either. Its term may be later. */
        HEARD
    }

    private Kind kind;

    /** JGroups creates received ones by the number. Once in a process. */
    static void register() {
        ClassConfigurator.add(MAGIC_ID, WatchHeader.class);
    }

    /** For JGroups, which then reads the rest. */
    public WatchHeader() {
        this(Kind.LEADERLESS, 0);
    }

    WatchHeader(Kind kind, long term) {
        super(term);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    @Override
    public int serializedSize() {
        return super.serializedSize() + 1;
    }

    @Override
    public void writeTo(DataOutput out) throws IOException {
        super.writeTo(out);
        out.writeByte(kind.ordinal());
    }

    @Override
    public void readFrom(DataInput in) throws IOException, ClassNotFoundException {
        super.readFrom(in);
        int ordinal = in.readUnsignedByte();
        if (ordinal >= Kind.values().length) {
            throw new IOException("unknown kind " + ordinal + " of a word about leaders");
        }
        kind = Kind.values()[ordinal];
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
