package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The graph's calls one by one: what each of them adds, refuses and takes out. */
class PrecedenceGraphTest {
    private final PrecedenceGraph graph = new PrecedenceGraph(64);

    private static Tag tag(int number) {
        return new Tag(7, number);
    }

    private static Arc plain(int from, int to) {
        return Arc.plain(tag(from), tag(to));
    }

    private static Arc marked(int from, int to) {
        return Arc.marked(tag(from), tag(to));
    }

    private void vertices(int count) {
        for (int i = 1; i <= count; i++) {
            assertTrue(graph.add(tag(i), i));
        }
    }

    private void assertArcs(String... arcs) {
        assertEquals(Set.of(arcs), PrintedLinearisation.text(graph.arcs()));
    }

    @Test
    void aFullGraphTakesNoVertexButThoseThatItHas() {
        PrecedenceGraph small = new PrecedenceGraph(2);
        assertTrue(small.add(tag(1), 5));
        assertFalse(small.isFull());
        assertTrue(small.addFloating(tag(2), 6));
        assertTrue(small.isFull());
        assertFalse(small.add(tag(3), 7));
        assertFalse(small.addFloating(tag(3), 7));
        assertFalse(small.receive(tag(3), tag(1), true, 7));
        assertTrue(small.add(tag(1), 9));
        assertEquals(2, small.size());
        assertEquals(5, small.sinceMicros(tag(1)), "when it came first");
        assertFalse(small.contains(tag(3)));
        small.removeFirst(tag(1));
        assertTrue(small.receive(tag(3), null, false, 8));
        assertEquals(List.of(tag(3), tag(2)), small.vertices(), "in the place that became free");
    }

    /** A floating vertex need not come after what is there; an arc gives it its place. */
    @Test
    void aVertexFloatsUntilAnArcComesForIt() {
        vertices(1);
        graph.addFloating(tag(2), 0);
        graph.addFloating(tag(3), 0);
        graph.addFloating(tag(4), 0);
        graph.addFloating(tag(1), 0);
        assertEquals(List.of(tag(2), tag(3), tag(4)), graph.floating(), "1 was there already");
        assertEquals(List.of(tag(1)), graph.withoutPredecessor());
        graph.include(List.of(plain(1, 2)));
        assertEquals(List.of(tag(3), tag(4)), graph.floating());
        graph.include(List.of(plain(3, 9)));
        assertEquals(List.of(tag(3), tag(4)), graph.floating(), "9 is not in the graph");
        graph.receive(tag(5), null, false, 0);
        assertEquals(List.of(), graph.floating(), "what was received comes behind them");
        assertTrue(graph.precedes(tag(3), tag(5)));
        assertTrue(graph.precedes(tag(2), tag(5)));
    }

    @Test
    void aFloatingVertexThatIsReceivedHasItsPlace() {
        vertices(1);
        graph.addFloating(tag(2), 0);
        assertTrue(graph.receive(tag(2), tag(1), true, 0));
        assertEquals(List.of(), graph.floating());
        assertArcs("7:1=>7:2");
        graph.addFloating(tag(3), 0);
        graph.receive(tag(3), null, false, 0);
        assertEquals(List.of(), graph.floating());
        assertTrue(graph.mayLackPredecessors());
        assertEquals(List.of(tag(1), tag(3)), graph.withoutPredecessor());
        assertTrue(graph.mayLackPredecessors());
        graph.include(List.of(plain(2, 3)));
        assertEquals(List.of(tag(1)), graph.withoutPredecessor());
        assertFalse(graph.mayLackPredecessors());
    }

    @Test
    void aReceptionComesAfterAllThatIsThere() {
        graph.receive(tag(1), null, false, 0);
        graph.add(tag(2), 0);
        graph.receive(tag(3), tag(2), true, 0);
        assertArcs("7:1->7:3", "7:2->7:3");
        assertEquals(0, graph.contradictions());
        graph.receive(tag(4), tag(3), true, 0);
        assertArcs("7:1->7:3", "7:2->7:3", "7:3=>7:4");
    }

    /** The inference was wrong if something is known to come behind the one before. */
    @Test
    void aMarkFromAMessageThatHasASuccessorIsAContradiction() {
        vertices(2);
        graph.include(List.of(plain(1, 2)));
        assertTrue(graph.receive(tag(3), tag(1), true, 0));
        assertEquals(1, graph.contradictions());
        assertArcs("7:1->7:2", "7:2->7:3");
        assertEquals(1, graph.takeContradictions());
        assertEquals(0, graph.takeContradictions());
        graph.receive(tag(4), tag(9), true, 0);
        assertEquals(0, graph.contradictions(), "9 is not in the graph");
    }

    @Test
    void aMessageThatWasToldBeforeIsMarkedWhenItIsReceived() {
        vertices(3);
        graph.include(List.of(plain(1, 2), plain(2, 3)));
        graph.receive(tag(2), tag(1), true, 0);
        assertArcs("7:1=>7:2", "7:2->7:3");
        graph.receive(tag(3), tag(2), false, 0);
        assertArcs("7:1=>7:2", "7:2->7:3");
    }

    /** A mark between two would leave others without a place: those that come before the second only, and ends beside it. */
    @Test
    void aMarkThatMovesOthersIsNotMade() {
        vertices(4);
        graph.include(List.of(plain(1, 3), plain(2, 3), plain(3, 4)));
        assertFalse(graph.mayMark(tag(1), tag(3)), "2 comes before 3, too");
        assertTrue(graph.mayMark(tag(3), tag(4)));
        graph.add(tag(5), 0);
        assertFalse(graph.mayMark(tag(3), tag(4)), "5 has no place");
        graph.include(List.of(plain(4, 5)));
        assertTrue(graph.mayMark(tag(3), tag(4)));
        assertTrue(graph.mayMark(tag(4), tag(5)));
        graph.mark(tag(3), tag(4));
        assertFalse(graph.mayMark(tag(1), tag(4)), "3 is right before 4");
    }

    @Test
    void aMarkJoinsTwoChains() {
        vertices(5);
        graph.include(List.of(marked(1, 2), plain(2, 3), marked(3, 4), plain(4, 5)));
        assertEquals(tag(2), graph.markedAfter(tag(1)));
        assertNull(graph.markedAfter(tag(2)));
        assertEquals(List.of(tag(3)), graph.successors(tag(2)));
        assertTrue(graph.precedes(tag(1), tag(5)));
        assertTrue(graph.mark(tag(2), tag(3)));
        assertArcs("7:1=>7:2", "7:2=>7:3", "7:3=>7:4", "7:4->7:5");
        assertTrue(graph.precedes(tag(1), tag(4)));
        assertFalse(graph.precedes(tag(4), tag(2)));
        assertTrue(graph.precedes(tag(3), tag(5)));
        assertFalse(graph.precedes(tag(3), tag(3)));
        assertFalse(graph.precedes(tag(3), tag(9)), "not in the graph");
        assertTrue(graph.has(marked(2, 3)));
        assertTrue(graph.has(plain(2, 3)), "a mark says more");
        assertTrue(graph.has(plain(4, 5)));
        assertFalse(graph.has(marked(4, 5)));
        assertFalse(graph.has(plain(1, 3)), "there is a path, and no arc");
        assertFalse(graph.has(plain(1, 9)));
        assertFalse(graph.has(plain(9, 1)));
    }

    /** Where several arcs meet a mark moves arcs to the ends of chains. */
    @Test
    void aMarkAmongSeveralArcsMovesTheOthersToTheEndsOfTheChain() {
        vertices(4);
        graph.include(List.of(plain(1, 3), plain(2, 3), plain(1, 4)));
        assertTrue(graph.mark(tag(1), tag(3)));
        assertArcs("7:2->7:1", "7:1=>7:3", "7:3->7:4");
    }

    @Test
    void whatIsKnownIsIncludedOnce() {
        vertices(3);
        graph.include(List.of(plain(1, 2), plain(2, 3)));
        graph.include(List.of(plain(1, 3), plain(1, 2), marked(1, 2), plain(1, 2)));
        assertArcs("7:1=>7:2", "7:2->7:3");
        assertEquals(0, graph.contradictions());
    }

    /** Others have decided that it comes right after: what was known to come before it stays behind. */
    @Test
    void aDecisionOfOthersIsFollowed() {
        vertices(4);
        graph.include(List.of(plain(1, 2), marked(2, 3), plain(3, 4)));
        assertTrue(graph.follow(tag(1), tag(4)), "that contradicts what is known");
        assertTrue(graph.precedes(tag(1), tag(4)));
        assertEquals(tag(4), graph.markedAfter(tag(1)));
        assertFalse(graph.precedes(tag(2), tag(4)));
        assertTrue(graph.mayLackPredecessors());
        assertEquals(tag(3), graph.markedAfter(tag(2)));
        assertEquals(1, graph.contradictions());
    }

    @Test
    void aDecisionTornOutOfAChainLeavesTheRest() {
        vertices(5);
        graph.include(List.of(marked(1, 2), marked(2, 3), marked(3, 4), plain(4, 5)));
        assertTrue(graph.follow(tag(1), tag(3)));
        assertEquals(tag(3), graph.markedAfter(tag(1)));
        assertEquals(tag(4), graph.markedAfter(tag(3)));
        assertNull(graph.markedAfter(tag(2)));
        assertEquals(List.of(tag(1), tag(2)), graph.withoutPredecessor());
        assertEquals(List.of(tag(5)), graph.successors(tag(4)));
    }

    @Test
    void aDecisionThatAgreesTearsNothing() {
        vertices(3);
        graph.include(List.of(plain(1, 2), plain(1, 3)));
        assertFalse(graph.follow(tag(1), tag(3)));
        assertArcs("7:1=>7:3", "7:3->7:2");
        assertEquals(0, graph.contradictions());
    }

    /** L_DELIV moves on: its successor takes over all its arcs. */
    @Test
    void theFirstOfItsChainIsTakenOut() {
        vertices(4);
        graph.include(List.of(marked(1, 2), plain(2, 3), plain(2, 4)));
        assertThrows(IllegalStateException.class, () -> graph.removeFirst(tag(2)), "not the first of its chain");
        assertThrows(IllegalStateException.class, () -> graph.removeFirst(tag(3)), "an arc leads to it");
        assertThrows(IllegalStateException.class, () -> graph.removeFirst(tag(9)), "not in the graph");
        graph.removeFirst(tag(1));
        assertFalse(graph.contains(tag(1)));
        assertArcs("7:2->7:3", "7:2->7:4");
        assertEquals(List.of(tag(2)), graph.withoutPredecessor());
        graph.removeFirst(tag(2));
        assertArcs();
        assertEquals(List.of(tag(3), tag(4)), graph.withoutPredecessor());
        graph.addFloating(tag(8), 0);
        graph.removeFirst(tag(8));
        assertEquals(List.of(), graph.floating());
        graph.add(tag(9), 0);
        assertEquals(List.of(), graph.floating(), "the place holds nothing of before");
        assertEquals(3, graph.size());
    }

    @Test
    void aGraphGrowsBeyondItsFirstPlaces() {
        PrecedenceGraph large = new PrecedenceGraph(1_000);
        for (int i = 1; i <= 100; i++) {
            large.receive(tag(i), i == 1 ? null : tag(i - 1), i % 3 == 0, i);
        }
        for (int i = 1; i <= 100; i++) {
            assertEquals(i, large.sinceMicros(tag(i)));
            assertEquals(i > 1, large.precedes(tag(1), tag(i)));
            assertEquals(i % 3 == 2 && i < 100 ? tag(i + 1) : null, large.markedAfter(tag(i)));
        }
        assertFalse(large.mayLackPredecessors() && large.withoutPredecessor().size() > 1);
    }

    /** The first place is used again when its vertex has gone. */
    @Test
    void theFirstPlaceIsLikeTheOthers() {
        vertices(2);
        graph.include(List.of(plain(1, 2)));
        graph.removeFirst(tag(1));
        assertTrue(graph.addFloating(tag(3), 5));
        assertEquals(List.of(tag(3), tag(2)), graph.vertices());
        assertEquals(List.of(tag(3)), graph.floating());
        graph.include(List.of(plain(2, 3)));
        assertEquals(List.of(), graph.floating());
        assertArcs("7:2->7:3");
        assertTrue(graph.precedes(tag(2), tag(3)));
    }

    @Test
    void aVertexFromWhichAnArcLeadsFloatsNoMore() {
        vertices(1);
        graph.addFloating(tag(2), 5);
        graph.include(List.of(plain(2, 1)));
        assertEquals(List.of(), graph.floating());
    }

    @Test
    void aStatementThatIsLeftOutLeavesNoTrace() {
        vertices(3);
        graph.include(List.of(plain(1, 2), plain(2, 3)));
        graph.include(List.of(plain(2, 1)));
        assertEquals(1, graph.contradictions());
        assertArcs("7:1->7:2", "7:2->7:3");
        assertTrue(graph.precedes(tag(1), tag(3)));
    }

    @Test
    void anArcToItselfIsLeftOutAndTheOthersAreNot() {
        vertices(3);
        graph.include(List.of(plain(1, 2), plain(2, 2), plain(2, 3)));
        assertEquals(1, graph.contradictions());
        assertArcs("7:1->7:2", "7:2->7:3");
    }
}
