package org.amo.core.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/** Three replicas over one order that the test moves on by hand. The servant counts how often each id ran. */
final class RigGroup {
    final ReplicaRig a;
    final ReplicaRig b;
    final ReplicaRig c;
    final List<ReplicaRig> all;
    final List<OrderedEntry> order = new ArrayList<>();
    private final Map<ReplicaRig, Integer> delivered = new HashMap<>();
    private final Map<ReplicaRig, UnaryOperator<List<OrderedEntry>>> paths = new HashMap<>();
    private boolean messages = true;

    private RigGroup(Divergence divergence, OrderedLog.Guarantee guarantee) {
        a = new ReplicaRig("a", divergence, guarantee);
        b = new ReplicaRig("b", divergence, guarantee);
        c = new ReplicaRig("c", divergence, guarantee);
        all = List.of(a, b, c);
    }

    /** A group led by b, some time after its start. */
    static RigGroup started() {
        return started(Divergence.OFF);
    }

    /** The same, with digests compared or not. */
    static RigGroup started(Divergence divergence) {
        return started(divergence, OrderedLog.Guarantee.UNIFORM);
    }

    /** The same over an order with this guarantee. */
    static RigGroup started(Divergence divergence, OrderedLog.Guarantee guarantee) {
        RigGroup group = new RigGroup(divergence, guarantee);
        for (ReplicaRig rig : group.all) {
            rig.replica.onLeader("b", rig.now);
        }
        group.order.add(
                EntryBuilder.entry("b", 99, 1, ReplicaRig.EPOCH, Optional.of(ReplicaRig.PARAMETERS), List.of()));
        group.settle();
        group.pass(1_000);
        return group;
    }

    /** Results of the leader no longer arrive: each replica answers from its own delivery. */
    void loseMessages() {
        messages = false;
    }

    /** From here on one replica gets of the entries that were ordered since the last time those that this returns. */
    void path(ReplicaRig to, UnaryOperator<List<OrderedEntry>> path) {
        paths.put(to, path);
    }

    void pass(long millis) {
        for (ReplicaRig rig : all) {
            rig.now += millis;
        }
    }

    /** As {@link #pass}, with the ticks and whatever they cause on the way. */
    void live(long millis) {
        for (long left = millis; left > 0; left -= 100) {
            pass(Math.min(100, left));
            all.forEach(ReplicaRig::tick);
            settle();
        }
    }

    void order(ReplicaRig from) {
        while (!from.submitted.isEmpty()) {
            order.add(from.submitted.remove().entry());
        }
    }

    /** Delivers and executes all that is ordered, at one replica. */
    void deliver(ReplicaRig to) {
        deliverOnly(to);
        to.executeAll();
    }

    void deliverOnly(ReplicaRig to) {
        List<OrderedEntry> news = List.copyOf(order.subList(delivered.getOrDefault(to, 0), order.size()));
        delivered.put(to, order.size());
        paths.getOrDefault(to, UnaryOperator.identity()).apply(news).forEach(to::deliver);
    }

    /** Orders, delivers and executes until nothing is left to do. */
    void settle() {
        settle(all);
    }

    /** The same, while the other replicas are slow. */
    void settle(List<ReplicaRig> live) {
        boolean moved = true;
        while (moved) {
            int before = order.size();
            live.forEach(this::order);
            live.forEach(this::deliver);
            live.forEach(this::carryMessages);
            moved = order.size() > before || live.stream().anyMatch(rig -> !rig.submitted.isEmpty());
        }
    }

    private void carryMessages(ReplicaRig from) {
        while (!from.sent.isEmpty()) {
            ReplicaRig.Sent one = from.sent.remove();
            for (ReplicaRig to : all) {
                if (messages && to.id.equals(one.to())) {
                    to.replica.onMessage(from.id, one.message().encode(), to.now);
                }
            }
        }
    }

    /** A copy sent to one replica, all settled, and its answer in words. */
    String call(ReplicaRig to, String copy, Request request, FinishedNumbers finished) {
        to.copy(copy, request, finished);
        settle();
        return to.answer(copy);
    }

    String call(ReplicaRig to, String copy, Request request) {
        return call(to, copy, request, FinishedNumbers.NONE);
    }

    static long executions(ReplicaRig rig, RequestId id) {
        return rig.executed.stream()
                .filter(execution -> execution.request().id().equals(id))
                .count();
    }

    static long mostExecutionsOfOneId(ReplicaRig rig) {
        Map<RequestId, Integer> counts = new HashMap<>();
        rig.executed.forEach(execution -> counts.merge(execution.request().id(), 1, Integer::sum));
        return counts.values().stream().mapToInt(count -> count).max().orElse(0);
    }

    static long entries(ReplicaRig rig) {
        return rig.replica.status().entries();
    }
}
