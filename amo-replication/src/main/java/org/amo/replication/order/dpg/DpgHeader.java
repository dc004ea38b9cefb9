package org.amo.replication.order.dpg;

import java.io.DataInput;
import java.io.DataOutput;
import java.util.function.Supplier;
import org.jgroups.Header;
import org.jgroups.conf.ClassConfigurator;

/** Says that a message's payload is a datagram of DPG (docs/wire/dpg.md). It has no fields: the datagram names its kind. */
public final class DpgHeader extends Header {
    private static final short MAGIC_ID = 3110;

    /** For JGroups. */
    public DpgHeader() {}

    /** JGroups creates received ones by the number. Once in a process. */
    static void register() {
        ClassConfigurator.add(MAGIC_ID, DpgHeader.class);
    }

    @Override
    public short getMagicId() {
        return MAGIC_ID;
    }

    @Override
    public Supplier<? extends Header> create() {
        return DpgHeader::new;
    }

    @Override
    public int serializedSize() {
        return 0;
    }

    @Override
    public void writeTo(DataOutput out) {
        // No fields.
    }

    @Override
    public void readFrom(DataInput in) {
        // No fields.
    }
}
