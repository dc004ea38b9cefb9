package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.junit.jupiter.api.Test;

final class DigestVoteTest {

    @Test
    void sixtyFourMembersCanVoteAndNoMore() {
        DigestVote vote = new DigestVote(10, -1, OptionalLong.of(5), members(64), Optional.empty());
        WireWriter writer = new WireWriter(64);
        vote.write(writer);
        assertEquals(vote, DigestVote.read(new WireReader("vote", writer.toBytes())));
        assertThrows(
                IllegalArgumentException.class,
                () -> new DigestVote(10, -1, OptionalLong.empty(), members(65), Optional.empty()));
    }

    @Test
    void aVoteThatNamesAMemberTwiceOrInAnotherOrderIsRefused() {
        assertEquals(List.of("a", "b"), read("a", "b").members());
        assertThrows(MalformedFrameException.class, () -> read("a", "a"));
        assertThrows(MalformedFrameException.class, () -> read("b", "a"));
    }

    private static List<String> members(int count) {
        return IntStream.range(10, 10 + count).mapToObj(number -> "m" + number).toList();
    }

    private static DigestVote read(String... members) {
        WireWriter writer = new WireWriter(64);
        writer.varint(10);
        writer.i64(7);
        writer.u8(0);
        writer.varint(members.length);
        for (String member : members) {
            writer.text("member", member, 64);
        }
        return DigestVote.read(new WireReader("vote", writer.toBytes()));
    }
}
