package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * One member's digests at a mark, ordered with an entry of that member.
 *
 * @param position of the mark
 * @param digest hash chain over the decisions and replies up to the mark
 * @param state digest of the servant's state at the mark; empty if the member took none there
 * @param members of the group as the member knows them, rising
 */
record DigestVote(long position, long digest, OptionalLong state, List<String> members) {
    private static final int MAX_MEMBERS = 64;
    private static final int MAX_ID_BYTES = 64;

    DigestVote {
        members = members.stream().sorted().distinct().toList();
        if (members.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException("at most " + MAX_MEMBERS + " members can vote: " + members.size());
        }
    }

    void write(WireWriter writer) {
        writer.varint(position);
        writer.i64(digest);
        writer.u8(state.isPresent() ? 1 : 0);
        state.ifPresent(writer::i64);
        writer.varint(members.size());
        members.forEach(member -> writer.text("member", member, MAX_ID_BYTES));
    }

    static DigestVote read(WireReader reader) {
        long position = reader.varint("position of a mark", 0, Long.MAX_VALUE);
        long digest = reader.i64("digest");
        OptionalLong state =
                reader.flag("state digest") ? OptionalLong.of(reader.i64("state digest")) : OptionalLong.empty();
        int count = (int) reader.varint("members", 1, MAX_MEMBERS);
        List<String> members = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            members.add(reader.text("member", MAX_ID_BYTES));
            if (i > 0 && members.get(i - 1).compareTo(members.get(i)) >= 0) {
                throw reader.malformed("number of a member that does not rise", i);
            }
        }
        return new DigestVote(position, digest, state, members);
    }
}
