package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.amo.dpg.Report.SiteStatus;
import org.junit.jupiter.api.Test;

/** What a report says its site would choose next: marks first, else the greatest tag. */
class PlanTest {
    private static final Tag A = new Tag(0xA, 1);
    private static final Tag B = new Tag(0xB, 1);
    private static final Tag C = new Tag(0xC, 1);
    private static final Tag D = new Tag(0xD, 1);

    private static Plan plan(int most, List<Tag> order, List<Tag> vertices, Arc... arcs) {
        return Plan.of(
                new Report(
                        9,
                        1,
                        SiteStatus.PLACED,
                        0,
                        1,
                        order,
                        List.of(),
                        Tag.ROOT,
                        vertices,
                        List.of(arcs),
                        List.of(),
                        List.of()),
                most);
    }

    /** The choices one by one, as a site sees them that makes them. */
    private static void assertChooses(Plan plan, Tag... expected) {
        Tag latest = Tag.ROOT;
        for (Tag next : expected) {
            for (Tag each : List.of(A, B, C, D)) {
                assertEquals(each.equals(next), plan.agrees(latest, each), each + " next is " + next);
            }
            latest = next;
        }
        for (Tag each : List.of(A, B, C, D)) {
            assertFalse(plan.agrees(latest, each), "nothing more is planned");
        }
    }

    @Test
    void theGreatestOfTheSuccessorsIsNextAndWhatFollowsItAfterThat() {
        assertChooses(
                plan(
                        9,
                        List.of(Tag.ROOT),
                        List.of(A, B, C, D),
                        Arc.plain(Tag.ROOT, A),
                        Arc.plain(Tag.ROOT, B),
                        Arc.plain(B, D),
                        Arc.plain(A, C)),
                B,
                D,
                A,
                C);
    }

    @Test
    void aMarkComesBeforeAGreaterTag() {
        assertChooses(
                plan(
                        9,
                        List.of(Tag.ROOT),
                        List.of(A, B, C),
                        Arc.plain(Tag.ROOT, B),
                        Arc.marked(B, A),
                        Arc.plain(Tag.ROOT, C)),
                C,
                B,
                A);
        assertChooses(
                plan(9, List.of(Tag.ROOT), List.of(A, B, D), Arc.marked(Tag.ROOT, A), Arc.plain(A, B), Arc.plain(A, D)),
                A,
                D,
                B);
    }

    /** A mark's end waits for what else must come before it. */
    @Test
    void whatHasAPredecessorLeftIsNotNext() {
        assertChooses(
                plan(
                        9,
                        List.of(Tag.ROOT),
                        List.of(A, B, C),
                        Arc.plain(Tag.ROOT, A),
                        Arc.plain(Tag.ROOT, C),
                        Arc.marked(C, B),
                        Arc.plain(A, B)),
                C,
                A,
                B);
    }

    @Test
    void aVertexOfWhichNoArcTellsMayComeAtOnce() {
        assertChooses(plan(9, List.of(Tag.ROOT), List.of(A, D), Arc.plain(Tag.ROOT, A)), D, A);
    }

    @Test
    void noMoreIsPlannedThanIsAskedFor() {
        assertChooses(plan(1, List.of(Tag.ROOT), List.of(A, B), Arc.plain(Tag.ROOT, A), Arc.plain(A, B)), A);
    }

    /** A site that has gone further agrees to what it has next, not to all that it has. */
    @Test
    void aSiteThatHasGoneFurtherAgreesToWhatItHasThere() {
        Plan further = plan(9, List.of(Tag.ROOT, A, B), List.of(C), Arc.plain(B, C));
        assertTrue(further.agrees(Tag.ROOT, A));
        assertFalse(further.agrees(Tag.ROOT, B));
        assertTrue(further.agrees(A, B));
        assertTrue(further.agrees(B, C));
    }

    /** The site that asks has put another message between: by the marks that it went past, the planning site may go further. */
    @Test
    void aSiteAgreesToAMessageAtOnePlaceOnly() {
        Plan plan = plan(9, List.of(Tag.ROOT), List.of(A, B), Arc.plain(Tag.ROOT, A), Arc.plain(A, B));
        assertTrue(plan.agrees(Tag.ROOT, A));
        assertFalse(plan.agrees(B, A), "B is planned behind A");
        assertFalse(plan.agrees(C, A), "C is not known there");
    }

    @Test
    void aSiteWaitsAtItsEndUnlessAMarkLeadsOn() {
        Plan waiting = plan(9, List.of(Tag.ROOT, A), List.of(B, C), Arc.plain(A, B), Arc.marked(B, C));
        assertTrue(waiting.waits(A));
        assertFalse(waiting.waits(Tag.ROOT), "it has incorporated A");
        assertFalse(plan(9, List.of(A), List.of(B, C), Arc.marked(A, C)).waits(A), "it goes on by the mark");
        assertFalse(plan(9, List.of(A), List.of()).waits(A), "it knows nothing more");
        assertFalse(Plan.NONE.waits(Tag.ROOT));
    }

    @Test
    void aSiteDisagreesOnlyWhereItPlansAnother() {
        Plan plan = plan(9, List.of(Tag.ROOT), List.of(A, B), Arc.plain(Tag.ROOT, A), Arc.plain(A, B));
        assertTrue(plan.disagrees(Tag.ROOT, B));
        assertFalse(plan.disagrees(Tag.ROOT, A));
        assertFalse(plan.disagrees(B, A), "it plans nothing there");
    }

    @Test
    void noPlanAgreesToNothing() {
        assertFalse(Plan.NONE.agrees(Tag.ROOT, A));
        assertFalse(Plan.NONE.disagrees(Tag.ROOT, A));
    }
}
