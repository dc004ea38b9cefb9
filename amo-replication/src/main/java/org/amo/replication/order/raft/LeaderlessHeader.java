package org.amo.replication.order.raft;

import java.util.function.Supplier;
import org.jgroups.Header;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.raft.RaftHeader;

/** The sender knows no leader of its current term. See {@link LeaderWatch}. */
public final class LeaderlessHeader extends RaftHeader {
    private static final short MAGIC_ID = 3100;

    /** JGroups creates received ones by the number. Once in a process. */
    static void register() {
        ClassConfigurator.add(MAGIC_ID, LeaderlessHeader.class);
    }

    /** For JGroups, which then reads the term. */
    public LeaderlessHeader() {}

    LeaderlessHeader(long term) {
        super(term);
    }

    @Override
    public short getMagicId() {
        return MAGIC_ID;
    }

    @Override
    public Supplier<? extends Header> create() {
        return LeaderlessHeader::new;
    }
}
