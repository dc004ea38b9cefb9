package org.amo.interceptors.client;

import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.datagram.CallDatagrams;
import org.amo.interceptors.jacorb.JacorbClientAccess;

/**
 * The component of a reference whose group takes first calls as datagrams: at the UDP ports with the numbers of its addresses' ports
 * (docs/wire/first-call.md).
 *
 * @param group the group's name, from which and the secret the keys of datagrams are derived
 */
public record DatagramTag(String group) {
    /** The component's tag: "AMOU". */
    public static final int TAG = JacorbClientAccess.TAG_DATAGRAMS;

    private static final int VERSION = 1;

    /** The component's data. */
    public byte[] encode() {
        WireWriter writer = new WireWriter(2 + group.length());
        writer.u8(VERSION);
        writer.text("group", group, CallDatagrams.MAX_NAME_BYTES);
        return writer.toBytes();
    }

    /** @throws MalformedFrameException naming the field that is wrong */
    public static DatagramTag decode(byte[] data) {
        WireReader reader = new WireReader("component of datagrams", data);
        reader.version(VERSION);
        DatagramTag tag = new DatagramTag(reader.text("group", CallDatagrams.MAX_NAME_BYTES));
        reader.end();
        return tag;
    }
}
