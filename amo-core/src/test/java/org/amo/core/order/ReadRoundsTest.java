package org.amo.core.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which questions a leader answers with a read index, and which index. */
class ReadRoundsTest {
    private final Group group = new Group();
    private final ReadRounds<String> rounds = new ReadRounds<>(group);

    /** Leads term 3 of five members. */
    private static final class Group implements ReadRounds.Leader<String> {
        private final List<String> events = new ArrayList<>();
        private OptionalLong term = OptionalLong.of(3);
        private boolean hasCommitted = true;
        private long committed = 10;
        private Set<String> members = Set.of("a", "b", "c", "d", "e");

        @Override
        public OptionalLong term() {
            return term;
        }

        @Override
        public boolean hasCommittedInTerm() {
            return hasCommitted;
        }

        @Override
        public long committed() {
            return committed;
        }

        @Override
        public int majority() {
            return members.size() / 2 + 1;
        }

        @Override
        public boolean isMember(String member) {
            return members.contains(member);
        }

        @Override
        public String self() {
            return "a";
        }

        @Override
        public void askToConfirm(long ofTerm, long round) {
            events.add("confirm " + ofTerm + " in " + round);
        }

        @Override
        public void found(String asker, long ofTerm, long index) {
            events.add(asker + ": " + index);
        }

        @Override
        public void refused(String asker) {
            events.add(asker + ": none");
        }

        private List<String> taken() {
            List<String> all = List.copyOf(events);
            events.clear();
            return all;
        }
    }

    @Test
    void anIndexNeedsAMajorityThatConfirmsInTheRoundBehindTheQuestion() {
        rounds.ask("q1");
        assertEquals(List.of("confirm 3 in 1"), group.taken());
        rounds.onConfirmed("b", 3, 1);
        rounds.onConfirmed("b", 3, 1);
        rounds.onConfirmed("x", 3, 1);
        rounds.onConfirmed("c", 2, 1);
        rounds.onConfirmed("c", 3, 7);
        assertEquals(List.of(), group.taken(), "two of five");
        assertTrue(rounds.isBusy());
        rounds.onConfirmed("c", 3, 1);
        assertEquals(List.of("q1: 10"), group.taken());
        assertFalse(rounds.isBusy());
    }

    @Test
    void questionsDuringARoundShareTheNextOneAndItsIndex() {
        rounds.ask("q1");
        group.committed = 12;
        rounds.ask("q2");
        rounds.ask("q3");
        rounds.ask("q1");
        rounds.onConfirmed("b", 3, 1);
        rounds.onConfirmed("c", 3, 1);
        assertEquals(List.of("confirm 3 in 1", "q1: 10", "confirm 3 in 2"), group.taken());
        rounds.onConfirmed("d", 3, 1);
        rounds.onConfirmed("e", 3, 1);
        assertEquals(List.of(), group.taken(), "confirmations of the round before do not count");
        rounds.onConfirmed("d", 3, 2);
        rounds.onConfirmed("e", 3, 2);
        assertEquals(List.of("q2: 12", "q3: 12"), group.taken());
    }

    @Test
    void aNewLeaderNamesNoIndexBeforeAnEntryOfItsTermIsCommitted() {
        group.hasCommitted = false;
        rounds.ask("q1");
        assertEquals(List.of("q1: none"), group.taken());
    }

    @Test
    void aMemberThatLeadsNoMoreRefusesAllQuestions() {
        rounds.ask("q1");
        rounds.ask("q2");
        group.taken();
        group.term = OptionalLong.empty();
        rounds.onTick();
        assertEquals(List.of("q2: none", "q1: none"), group.taken());
        rounds.ask("q3");
        assertEquals(List.of("q3: none"), group.taken());

        group.term = OptionalLong.of(5);
        rounds.ask("q4");
        group.term = OptionalLong.of(6);
        rounds.onConfirmed("b", 5, 2);
        assertEquals(List.of("confirm 5 in 2", "q4: none"), group.taken());
    }

    @Test
    void aTickRepeatsTheQuestionOfTheRound() {
        rounds.ask("q1");
        rounds.onTick();
        assertEquals(List.of("confirm 3 in 1", "confirm 3 in 1"), group.taken());
    }

    @Test
    void aLeaderThatWasRemovedDoesNotCountItself() {
        group.members = Set.of("b", "c", "d");
        rounds.ask("q1");
        rounds.onConfirmed("b", 3, 1);
        assertEquals(List.of("confirm 3 in 1"), group.taken());
        rounds.onConfirmed("c", 3, 1);
        assertEquals(List.of("q1: 10"), group.taken());
    }

    @Test
    void aGroupOfOneConfirmsAtOnce() {
        group.members = Set.of("a");
        rounds.ask("q1");
        assertEquals(List.of("confirm 3 in 1", "q1: 10"), group.taken());
    }
}
