package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import org.jgroups.Address;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.protocols.raft.election.VoteResponse;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;

/** An election that prefers a member elects no shorter log. */
final class PreferredLeaderTest {
    private static final long TERM = 9;

    private final Address longest = member("a");
    private final Address other = member("b");
    private final Map<Address, VoteResponse> votes = new HashMap<>(Map.of(longest, vote(7, 300)));

    @Test
    void theMemberLeadsIfItsLogIsAsLong() {
        votes.put(other, vote(7, 300));
        assertEquals(other, ConfiguredElection.chosen(longest, "b", votes));
        assertEquals(longest, ConfiguredElection.chosen(longest, "a", votes));
    }

    @Test
    void aShorterLogAndOneOfAnEarlierTermDoNotLead() {
        votes.put(other, vote(7, 299));
        assertEquals(longest, ConfiguredElection.chosen(longest, "b", votes));
        votes.put(other, vote(6, 300));
        assertEquals(longest, ConfiguredElection.chosen(longest, "b", votes));
    }

    @Test
    void aMemberThatDoesNotAnswerAndAStrangerDoNotLead() {
        assertEquals(longest, ConfiguredElection.chosen(longest, "b", votes));
        votes.put(other, null);
        assertEquals(longest, ConfiguredElection.chosen(longest, "b", votes));
        assertEquals(longest, ConfiguredElection.chosen(longest, "x", votes));
    }

    private static VoteResponse vote(long term, long index) {
        return new VoteResponse(TERM, term, index);
    }

    private static Address member(String id) {
        return ExtendedUUID.randomUUID(id).put(RAFT.raft_id_key, id.getBytes(UTF_8));
    }
}
