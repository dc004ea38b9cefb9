package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Watches of five members and links between them that may be cut one way; time is ticks. */
final class LeaderWatchTest {
    private static final List<String> IDS = List.of("a", "b", "c", "d", "e");
    /** Its silence, the patience of the first of the others, and a tick for what is said meanwhile. */
    private static final int REPLACED_WITHIN = LeaderWatch.SILENT_TICKS + LeaderWatch.PATIENCE_TICKS + 2;

    private final List<Node> nodes = IDS.stream().map(Node::new).toList();
    private final Set<String> cut = new HashSet<>();
    private final Set<String> stopped = new HashSet<>();
    private final Set<String> full = new HashSet<>();
    private int elections;

    @Test
    void aGroupOfWhichNothingIsAskedKeepsItsLeader() {
        lead("a");
        run(1_000);
        assertEquals(1, elections);
        assertTrue(allFollow("a"));
    }

    @Test
    void aLeaderThatStandsStillIsReplacedAndFollowsWhenItGoesOn() {
        lead("a");
        stopped.add("a");
        run(REPLACED_WITHIN);
        String next = node("b").leader;
        assertFalse(next.isEmpty() || next.equals("a"), next);
        stopped.clear();
        run(6);
        assertTrue(allFollow(next), nodes.toString());
        assertEquals(2, elections);
    }

    @Test
    void aPauseShorterThanThePatienceChangesNothing() {
        lead("a");
        stopped.add("a");
        run(LeaderWatch.SILENT_TICKS - 1);
        stopped.clear();
        run(100);
        assertTrue(allFollow("a"));
        assertEquals(1, elections);
    }

    @Test
    void aLeaderThatHearsNobodyStepsDownAndItsTermDoesNotRise() {
        lead("a");
        long term = node("a").term;
        deafen("a");
        run(REPLACED_WITHIN);
        String next = node("b").leader;
        assertFalse(next.isEmpty() || next.equals("a"), next);
        long nextTerm = node("b").term;
        run(500);
        assertEquals(term, node("a").term);
        assertEquals(nextTerm, node("b").term, "nobody disturbs the new leader");
        assertFalse(node("a").leads());
        cut.clear();
        run(6);
        assertTrue(allFollow(next), nodes.toString());
        assertEquals(2, elections);
    }

    @Test
    void aLeaderThatNobodyHearsIsReplaced() {
        lead("a");
        IDS.stream().filter(id -> !id.equals("a")).forEach(id -> cut.add("a" + id));
        run(REPLACED_WITHIN);
        String next = node("b").leader;
        assertFalse(next.isEmpty() || next.equals("a"), next);
        assertEquals(next, node("a").leader, "it hears the next one");
    }

    @Test
    void aFollowerThatHearsNobodyDisturbsNobody() {
        lead("a");
        deafen("b");
        run(500);
        cut.clear();
        run(6);
        assertTrue(allFollow("a"), nodes.toString());
        assertEquals(1, elections);
    }

    @Test
    void aLeaderWithAMajorityStaysWhoeverElseIsGone() {
        lead("a");
        stopped.addAll(List.of("d", "e"));
        run(500);
        assertTrue(node("a").leads());
        stopped.add("c");
        run(LeaderWatch.SILENT_TICKS + 3);
        assertFalse(node("a").leads(), "two of five");
        assertEquals(1, elections);
        stopped.clear();
        run(20);
        assertTrue(allFollow(node("a").leader), nodes.toString());
    }

    @Test
    void aLeaderWhoseFollowersHaveNoRoomStepsDownAndNobodyAsksForVotesUntilThereIsSome() {
        lead("a");
        full.addAll(List.of("b", "c"));
        run(100);
        assertTrue(allFollow("a"), "three of five take entries");
        full.add("d");
        long term = node("a").term;
        run(100);
        assertFalse(node("a").leads());
        assertEquals(term, node("a").term);
        assertEquals(1, elections);
        full.remove("d");
        run(20);
        assertEquals(2, elections);
        assertTrue(allFollow(node("a").leader), nodes.toString());
    }

    // Not its own clock, but what it could have heard meanwhile, tells whether the leader was silent.
    @Test
    void aMemberThatStoodStillDoesNotBlameTheLeader() {
        lead("a");
        stopped.add("b");
        run(100);
        stopped.clear();
        run(50);
        assertEquals(1, elections);
        assertTrue(allFollow("a"), nodes.toString());
    }

    private void lead(String id) {
        node(id).gatherVotes();
    }

    private void deafen(String id) {
        IDS.stream().filter(other -> !other.equals(id)).forEach(other -> cut.add(other + id));
    }

    private void run(int ticks) {
        for (int i = 0; i < ticks; i++) {
            nodes.stream().filter(node -> !stopped.contains(node.id)).forEach(node -> node.watch.onTick());
        }
    }

    private boolean allFollow(String leader) {
        return node(leader).leads() && nodes.stream().allMatch(node -> node.leader.equals(leader));
    }

    private Node node(String id) {
        return nodes.get(IDS.indexOf(id));
    }

    private boolean hears(String to, String from) {
        return !stopped.contains(to) && !stopped.contains(from) && !cut.contains(from + to);
    }

    /** The views do not change: the watch alone has to notice. */
    private final class Node implements LeaderWatch.Group {
        private final String id;
        private final LeaderWatch watch = new LeaderWatch(this);
        private long term = 1;
        private String leader = "";

        Node(String id) {
            this.id = id;
        }

        @Override
        public String leader() {
            return leader;
        }

        @Override
        public boolean leads() {
            return leader.equals(id);
        }

        @Override
        public String self() {
            return id;
        }

        @Override
        public List<String> inView() {
            return IDS;
        }

        @Override
        public boolean takesEntries() {
            return !full.contains(id);
        }

        @Override
        public int majority() {
            return IDS.size() / 2 + 1;
        }

        @Override
        public long term() {
            return term;
        }

        @Override
        public void tell(WatchHeader.Kind what, long told) {
            IDS.stream().filter(other -> !other.equals(id)).forEach(other -> tell(other, what, told));
        }

        @Override
        public void tell(String member, WatchHeader.Kind what, long told) {
            if (hears(member, id)) {
                node(member).watch.onWord(id, what, told);
            }
        }

        @Override
        public boolean takeOver(long other) {
            if (other > term) {
                term = other;
                leader = "";
            }
            return other == term;
        }

        @Override
        public void tellThatItWasElected() {
            elected(term);
        }

        @Override
        public void forgetLeader() {
            leader = "";
        }

        @Override
        public void gatherVotes() {
            if (full.contains(id)) {
                return; // as ConfiguredElection does
            }
            term++;
            Set<String> votes = IDS.stream()
                    .filter(other ->
                            other.equals(id) || (hears(other, id) && node(other).takeOver(term) && hears(id, other)))
                    .collect(Collectors.toSet());
            if (votes.size() >= majority()) {
                elections++;
                leader = id;
                elected(term);
            }
        }

        private void elected(long in) {
            IntStream.range(0, IDS.size())
                    .mapToObj(nodes::get)
                    .filter(other -> other != this && hears(other.id, id) && other.takeOver(in))
                    .forEach(other -> other.leader = id);
        }

        @Override
        public String toString() {
            return id + " follows '" + leader + "' in term " + term;
        }
    }
}
