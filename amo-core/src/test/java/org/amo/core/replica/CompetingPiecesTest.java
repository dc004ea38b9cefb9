package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.OutcomeOrder.Accepted;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.core.reply.RecordMemory;
import org.junit.jupiter.api.Test;

/** Two processes have run the same request while one that ended members is open, so both order a large outcome of it. */
final class CompetingPiecesTest {
    private static final long NOW = 50_000;
    private static final long REST = OutcomeOrder.PIECES_REST_MILLIS;

    private final Competitor former = new Competitor("a");
    private final Competitor leader = new Competitor("b");

    /** A process that has an outcome of ten pieces and a last entry. */
    private static final class Competitor {
        private final String id;
        private final UpdateChain chain = new UpdateChain();
        private final OutcomeOrder order;
        private long submissions;

        private Competitor(String id) {
            this.id = id;
            ReplicaRig effects = new ReplicaRig(id);
            ReplicaOptions options = new ReplicaOptions(
                    id,
                    List.of("a", "b", "c"),
                    ReplicaRig.incarnation(id),
                    ReplicaRig.PLAIN,
                    ReplicaRig.PARAMETERS,
                    Divergence.OFF,
                    Map.of(),
                    Style.PASSIVE,
                    OrderedLog.Guarantee.UNIFORM,
                    Long.MAX_VALUE,
                    FeatureLevels.OF_BUILD);
            GroupState group = new GroupState(options, effects, RecordMemory.heap(1), new ReplicaParts());
            order = new OutcomeOrder(options, effects, group, chain) {
                @Override
                List<RunOutcome> split(RunOutcome whole) {
                    return OutcomePieces.split(whole, options.incarnation(), 4, 1);
                }
            };
            order.offers(true);
            List<Execution> executions = List.of(UpdateChainTest.execution(2, 0));
            order.decided(executions);
            order.onRun(executions, List.of(ReplicaRig.bytes(id)), ReplicaRig.bytes("update of " + id), place -> false);
        }

        /** The next entry of its outcome, if that is due: one is on its way at a time. */
        private Optional<OrderedEntry> submit(long now) {
            Optional<RunOutcome> next = order.due(now).stream().findFirst();
            next.ifPresent(outcome -> order.sent(outcome, ++submissions, now));
            return next.map(outcome -> ReplicaRig.outcomeEntry(id, submissions, ReplicaRig.EPOCH, outcome));
        }

        private Optional<Accepted> deliver(OrderedEntry entry, long now) {
            return order.onDelivered(entry, entry.origin().equals(id), place -> false, now);
        }
    }

    /** Else each drops the pieces of the other for ever, and the log keeps them all. */
    @Test
    void theOutcomeOfOneOfTwoProcessesThatInsistIsAccepted() {
        leader.order.onLeader(true);
        ArrayDeque<OrderedEntry> way = new ArrayDeque<>();
        Optional<Accepted> accepted = Optional.empty();
        for (int delivered = 0; delivered < 40 && accepted.isEmpty(); delivered++) {
            former.submit(NOW).ifPresent(way::add);
            leader.submit(NOW).ifPresent(way::add);
            OrderedEntry next = way.remove();
            former.deliver(next, NOW);
            accepted = leader.deliver(next, NOW);
        }
        assertTrue(accepted.orElseThrow().own());
        assertEquals(leader.chain.hash(), former.chain.hash());
    }

    /** The other one may have died between its pieces. */
    @Test
    void aProcessThatDoesNotLeadBeginsOnceThePiecesOfTheOtherRest() {
        leader.order.onLeader(true);
        OrderedEntry first = leader.submit(NOW).orElseThrow();
        former.deliver(first, NOW);
        assertEquals(Optional.empty(), former.submit(NOW + REST));
        assertTrue(former.submit(NOW + REST + 1).isPresent());
    }

    @Test
    void eachPieceOfTheOtherPutsItOff() {
        leader.order.onLeader(true);
        OrderedEntry first = leader.submit(NOW).orElseThrow();
        former.deliver(first, NOW);
        leader.deliver(first, NOW);
        former.deliver(leader.submit(NOW).orElseThrow(), NOW + REST);
        assertEquals(Optional.empty(), former.submit(NOW + 2 * REST));
        assertTrue(former.submit(NOW + 2 * REST + 1).isPresent());
    }

    @Test
    void aPieceOfTheOtherThatIsIgnoredDoesNotPutItOff() {
        leader.order.onLeader(true);
        OrderedEntry first = leader.submit(NOW).orElseThrow();
        former.deliver(first, NOW);
        leader.deliver(first, NOW);
        leader.deliver(leader.submit(NOW).orElseThrow(), NOW);
        OrderedEntry third = leader.submit(NOW).orElseThrow();
        former.deliver(third, NOW + REST);
        assertTrue(former.submit(NOW + REST + 1).isPresent());
    }

    @Test
    void theLeaderBeginsAtOnce() {
        leader.deliver(former.submit(NOW).orElseThrow(), NOW);
        assertEquals(Optional.empty(), leader.submit(NOW), "it does not lead yet");
        leader.order.onLeader(true);
        assertTrue(leader.submit(NOW).isPresent());
    }

    @Test
    void aProcessThatDoesNotLeadGoesOnWithThePiecesThatAreGathered() {
        OrderedEntry first = former.submit(NOW).orElseThrow();
        assertEquals(Optional.empty(), former.submit(NOW), "it is on its way");
        former.deliver(first, NOW);
        assertTrue(former.submit(NOW).isPresent());
    }

    /** The piece of the other stood before its first one, which has dropped it. */
    @Test
    void aProcessThatDoesNotLeadGoesOnThoughAPieceOfTheOtherCameJustBefore() {
        leader.order.onLeader(true);
        OrderedEntry ofLeader = leader.submit(NOW).orElseThrow();
        former.deliver(ofLeader, NOW);
        leader.deliver(ofLeader, NOW);
        long now = NOW + REST + 1;
        OrderedEntry first = former.submit(now).orElseThrow();
        former.deliver(leader.submit(now).orElseThrow(), now);
        former.deliver(first, now);
        assertTrue(former.submit(now).isPresent());
    }
}
