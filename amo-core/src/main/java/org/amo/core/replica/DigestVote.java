package org.amo.core.replica;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * One member's digests at a mark, ordered with an entry of that member.
 *
 * @param mark its position; over an order that may be violated a digest of its entry, since positions differ
 * @param digest of the decisions and replies up to the mark
 * @param state digest of the servant's state at the mark; empty if the member took none there
 * @param members of the group as the member knows them, rising
 * @param requests that the member had executed at the mark; empty over a total order, where all members had executed the same
 */
record DigestVote(long mark, long digest, OptionalLong state, List<String> members, Optional<RequestSet> requests) {
    private static final int MAX_MEMBERS = 64;
    private static final int MAX_ID_BYTES = 64;
    private static final int STATE = 1;
    private static final int REQUESTS = 2;

    DigestVote {
        members = members.stream().sorted().distinct().toList();
        if (members.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException("at most " + MAX_MEMBERS + " members can vote: " + members.size());
        }
    }

    /** Whether both members had executed the same requests, and had the same replies. */
    boolean isLike(DigestVote other) {
        return digest == other.digest && requests.equals(other.requests);
    }

    void write(WireWriter writer) {
        writer.varint(mark);
        writer.i64(digest);
        writer.u8((state.isPresent() ? STATE : 0) | (requests.isPresent() ? REQUESTS : 0));
        state.ifPresent(writer::i64);
        requests.ifPresent(set -> set.write(writer));
        writer.varint(members.size());
        members.forEach(member -> writer.text("member", member, MAX_ID_BYTES));
    }

    static DigestVote read(WireReader reader) {
        long mark = reader.varint("position of a mark", 0, Long.MAX_VALUE);
        long digest = reader.i64("digest");
        int parts = reader.u8("parts of a vote");
        if ((parts & ~(STATE | REQUESTS)) != 0) {
            throw reader.malformed("parts of a vote", parts);
        }
        OptionalLong state = (parts & STATE) != 0 ? OptionalLong.of(reader.i64("state digest")) : OptionalLong.empty();
        Optional<RequestSet> requests =
                (parts & REQUESTS) != 0 ? Optional.of(RequestSet.read(reader)) : Optional.empty();
        return new DigestVote(mark, digest, state, ExecutionReport.members(reader, 1), requests);
    }
}
