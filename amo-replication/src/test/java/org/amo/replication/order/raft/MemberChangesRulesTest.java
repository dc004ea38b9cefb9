package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLogException;
import org.junit.jupiter.api.Test;

/** When a change of members is ordered. Whole groups are changed in MemberChangesTest. */
final class MemberChangesRulesTest implements MemberChanges.Effects {
    private static final Configuration BEFORE =
            new Configuration(3, List.of(new Member("a", "h", 1, 2), new Member("b", "h", 3, 4)));

    private final List<MemberChange> ordered = new ArrayList<>();
    private final MemberChanges changes = new MemberChanges("a", this);
    private boolean current = true;

    @Override
    public void ask(String member) {
        assertEquals("b", member);
    }

    @Override
    public boolean isCurrent(Configuration before) {
        assertEquals(BEFORE, before);
        return current;
    }

    @Override
    public void order(CompletableFuture<GroupMembers> which, MemberChange change, Configuration before) {
        ordered.add(change);
    }

    private CompletableFuture<GroupMembers> wanted() {
        MemberChange change =
                MemberChange.of("g", MemberChange.Kind.ADD, new Member("c", "h", 5, 6), 3, Optional.empty());
        return changes.change(change, BEFORE);
    }

    private static byte[] version(long applied) {
        return ByteBuffer.allocate(Long.BYTES).putLong(applied).array();
    }

    @Test
    void aChangeIsOrderedOnceAllOthersHaveAppliedTheOneBefore() {
        CompletableFuture<GroupMembers> change = wanted();
        changes.onApplied("b", version(2));
        assertEquals(List.of(), ordered);
        changes.onApplied("b", version(3));
        assertEquals(1, ordered.size());
        assertFalse(change.isDone());
    }

    /** Another leader may have ordered a change in between: two sets of members two changes apart need not share a majority. */
    @Test
    void aChangeThatWasCheckedByAnEarlierLeadershipIsNotOrdered() {
        CompletableFuture<GroupMembers> change = wanted();
        current = false;
        changes.onApplied("b", version(3));
        assertEquals(List.of(), ordered);
        OrderedLogException why = refusal(change);
        assertTrue(String.valueOf(why.getMessage()).contains("have changed since"), why::toString);
        current = true;
        assertFalse(wanted().isDone(), "the next one may be made");
    }

    /** A script, and the command itself, may try again. */
    @Test
    void aRefusalThatPassesIsNoMistake() {
        MemberChange earlier =
                MemberChange.of("g", MemberChange.Kind.ADD, new Member("c", "h", 5, 6), 2, Optional.empty());
        OrderedLogException old = refusal(changes.change(earlier, BEFORE));
        assertTrue(String.valueOf(old.getMessage()).contains("have changed since"), old::toString);
        assertEquals(OrderedLogException.Fault.ENVIRONMENT, old.fault());
        assertFalse(wanted().isDone());
        OrderedLogException busy = refusal(wanted());
        assertTrue(String.valueOf(busy.getMessage()).contains("another change of members"), busy::toString);
        assertEquals(OrderedLogException.Fault.ENVIRONMENT, busy.fault());
    }

    @Test
    void aRemovedIdIsAddedAgainByNoChange() {
        Configuration now = BEFORE.without("b").with(new Member("d", "h", 7, 8));
        MemberChange again =
                MemberChange.of("g", MemberChange.Kind.ADD, new Member("b", "h", 9, 10), 5, Optional.empty());
        OrderedLogException refused = refusal(changes.change(again, now));
        assertTrue(String.valueOf(refused.getMessage()).contains("its id cannot come back"), refused::toString);
        assertEquals(OrderedLogException.Fault.USER, refused.fault());
        assertTrue(now.wasRemoved("b"));
        assertFalse(now.wasRemoved("d") || now.wasRemoved("e"), "e was never a member");
    }

    private static OrderedLogException refusal(CompletableFuture<GroupMembers> change) {
        return (OrderedLogException)
                assertThrows(CompletionException.class, change::join).getCause();
    }
}
