package org.amo.interceptors.client;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.amo.base.wire.MalformedFrameException;

/**
 * The TAG_FT_GROUP component of a reference (FT-CORBA, TagFTGroupTaggedComponent): which group it names.
 *
 * @param domain the fault tolerance domain
 * @param groupId the group in its domain
 * @param version of the reference, as it grows when members come and go
 */
public record GroupTag(String domain, long groupId, int version) {
    /** Of the members that a server is configured with. A client that was told of changes adds their number. */
    public static final int FIRST_VERSION = 1;

    /** The domain of amo's groups. */
    public static final String AMO = "amo";

    private static final int MAX_DOMAIN_BYTES = 1_024;

    /** The number that stands for a group's name. */
    public static long groupId(String name) {
        long hash = 0;
        for (byte next : name.getBytes(StandardCharsets.UTF_8)) {
            hash = hash * 0x100_0000_01B3L + next;
        }
        return hash;
    }

    /** Whether it names amo's group of that name. */
    boolean isOf(String group) {
        return domain.equals(AMO) && groupId == groupId(group);
    }

    /**
     * Reads the component's CDR encapsulation: octet order, {octet, octet} version, string, unsigned long long,
     * unsigned long.
     *
     * @throws MalformedFrameException naming the field that is wrong
     */
    static GroupTag decode(byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data);
        try {
            in.order(in.get() == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
            in.get();
            in.get();
            String domain = string(in);
            long group = align(in, 8).getLong();
            return new GroupTag(domain, group, align(in, 4).getInt());
        } catch (BufferUnderflowException | IllegalArgumentException tooShort) {
            throw new MalformedFrameException("TAG_FT_GROUP: ends at byte " + data.length + ", a field needs more");
        }
    }

    private static String string(ByteBuffer in) {
        int length = align(in, 4).getInt();
        if (length < 1 || length > MAX_DOMAIN_BYTES) {
            throw new MalformedFrameException("TAG_FT_GROUP: domain id has length " + length);
        }
        byte[] text = new byte[length];
        in.get(text);
        return new String(text, 0, length - 1, StandardCharsets.ISO_8859_1);
    }

    private static ByteBuffer align(ByteBuffer in, int size) {
        return in.position((in.position() + size - 1) / size * size);
    }
}
