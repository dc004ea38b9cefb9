package org.amo.core.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.GroupMembers;

/**
 * The present members of the group beside an answer (docs/wire/contexts.md), for a client whose list is older. A client that does not
 * know it goes on with the list of its reference.
 *
 * @param version how many changes of members there have been, 0 at the group's begin
 * @param addresses of all members, for their clients
 */
public record MembersContext(long version, List<Address> addresses) {
    /** Id of this service context. */
    public static final int CONTEXT_ID = 0x414D_5002;

    private static final int VERSION = 1;
    private static final int MAX_MEMBERS = 64;
    private static final int MAX_HOST_BYTES = 255;
    private static final int MAX_PORT = 65_535;

    /**
     * Where a member listens for clients.
     *
     * @param host name or address
     */
    public record Address(String host, int port) {}

    public MembersContext {
        addresses = List.copyOf(addresses);
    }

    /** The context that tells of these members; empty for more of them, or longer names, than a reader takes. */
    public static Optional<MembersContext> of(GroupMembers group) {
        List<Address> addresses = group.members().stream()
                .map(member -> new Address(member.host(), member.clientPort()))
                .toList();
        boolean fits = addresses.size() <= MAX_MEMBERS
                && addresses.stream().allMatch(each -> each.host().getBytes(UTF_8).length <= MAX_HOST_BYTES);
        return fits ? Optional.of(new MembersContext(group.version(), addresses)) : Optional.empty();
    }

    /** The context's bytes. */
    public byte[] encode() {
        WireWriter writer = new WireWriter(32 + 32 * addresses.size());
        writer.u8(VERSION);
        writer.varint(version);
        writer.varint(addresses.size());
        for (Address each : addresses) {
            writer.text("host", each.host(), MAX_HOST_BYTES);
            writer.varint(each.port());
        }
        return writer.toBytes();
    }

    /**
     * Reads the members.
     *
     * @throws MalformedFrameException naming the field that is wrong
     */
    public static MembersContext decode(byte[] bytes) {
        WireReader reader = new WireReader("members context", bytes);
        if (reader.u8("version") != VERSION) {
            throw new MalformedFrameException("members context: a version other than " + VERSION);
        }
        long changes = reader.varint("changes", 0, Long.MAX_VALUE);
        int count = (int) reader.varint("members", 1, MAX_MEMBERS);
        List<Address> addresses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String host = reader.text("host", MAX_HOST_BYTES);
            addresses.add(new Address(host, (int) reader.varint("port", 1, MAX_PORT)));
        }
        reader.end();
        return new MembersContext(changes, addresses);
    }
}
