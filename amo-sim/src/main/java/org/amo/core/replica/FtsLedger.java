package org.amo.core.replica;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.sim.SimViolationException;

/**
 * Records the complete history of a run, seen from outside: every execution at every replica, every answer that a
 * client took. Holds all the checks on safety.
 */
final class FtsLedger {
    static final String EXECUTED_TWICE = "executed twice";
    static final String DIVERGED = "replicas decide differently";
    static final String NOT_EXECUTED_RAN = "NOT_EXECUTED of something that ran";
    static final String NEEDLESS_UNKNOWN = "UNKNOWN of something that certainly did not run";
    static final String WRONG_REPLY = "wrong reply";
    static final String LOST = "lost";
    static final String LOCKED_OUT = "a correct client is locked out";
    static final String UNANSWERED = "a copy is not answered exactly once";
    static final String STAYS = "records that stay";
    static final String STARVED = "a greedy client takes what is another's";
    static final String GROWS = "ranges that grow";
    static final String SKIPPED_RAN = "a skipped request has an effect";
    static final String UNDONE_RAN = "an undone request has an effect";
    static final String WRONGLY_ACCUSED = "a member is said to have diverged that has not";
    static final String DIVERGED_SERVES = "a diverged member answers after the verdict";
    static final String NESTED_TWICE = "a nested call runs twice";
    static final String STALE_READ = "a read misses what was there before";
    static final String UNRECOVERED = "a call of a crashed client has no outcome";
    static final String UNSPOKEN = "a level that a member does not speak";
    static final String UNEQUAL_LEVELS = "levels that differ or fall";
    static final String BROKE = "the core stopped";

    private static final String SKIPPED = "SKIPPED";

    /** @param tainted whether the reply is that of a member that had diverged */
    private record Execution(int life, long position, RequestId id, byte[] reply, boolean tainted) {}

    private record Id(int life, RequestId id) {}

    private record Position(int life, long position) {}

    private final Map<Long, Execution> byCall = new HashMap<>();
    private final Map<Id, Long> byId = new HashMap<>();
    private final Map<Position, Long> digests = new HashMap<>();
    private final Map<Position, byte[]> tables = new HashMap<>();
    private final Map<Long, String> notExecuted = new HashMap<>();
    private final Set<Long> foreign = new HashSet<>();
    private final Map<Long, byte[]> replies = new HashMap<>();
    private final Map<Long, List<byte[]>> taintedReplies = new HashMap<>();
    private final Map<Integer, Set<Long>> okByLife = new HashMap<>();

    private Answered onAnswered = (life, call, position) -> {};

    /** The life of the group in which it has undone a call. */
    private final Map<Long, Integer> undone = new HashMap<>();

    /** Is told of each answered call. */
    @FunctionalInterface
    interface Answered {
        /** @param life of the group in which the call ran */
        void answered(int life, long call, long position);
    }

    void onAnswered(Answered told) {
        onAnswered = told;
    }

    /** A call of a client that no bound protects across the loss of all state (docs/decisions/0004). */
    void foreignCall(long call) {
        foreign.add(call);
    }

    void executed(int life, String replica, long position, Request request, byte[] reply, boolean tainted) {
        long call = FtsServant.call(request.body());
        String reason = notExecuted.get(call);
        // A new member may run a request that the group skipped further on; it begins anew when it hears of the skip.
        if (reason != null && !reason.equals(SKIPPED)) {
            throw new SimViolationException(
                    NOT_EXECUTED_RAN,
                    "call " + call + " (" + request.id() + ") runs at " + position + " of " + replica + " after "
                            + reason);
        }
        if (isUndone(life, call)) {
            throw new SimViolationException(
                    UNDONE_RAN, "call " + call + " counts as executed at " + replica + ", and the group has undone it");
        }
        if (tainted) {
            taintedReplies.computeIfAbsent(call, first -> new ArrayList<>()).add(reply);
        }
        Execution before = byCall.get(call);
        if (before == null || (before.life != life && foreign.contains(call))) {
            byCall.put(call, new Execution(life, position, request.id(), reply, tainted));
            Long other = byId.put(new Id(life, request.id()), call);
            if (other != null && other != call) {
                throw new SimViolationException(
                        EXECUTED_TWICE, "id " + request.id() + " ran as call " + other + " and as call " + call);
            }
            return;
        }
        if (before.life != life || before.position != position || !before.id.equals(request.id())) {
            throw new SimViolationException(
                    EXECUTED_TWICE,
                    "call " + call + " ran in life " + before.life + " at " + before.position + " as " + before.id
                            + " and in life " + life + " at " + position + " of " + replica + " as " + request.id());
        }
        if (before.tainted) {
            byCall.put(call, new Execution(life, position, request.id(), reply, tainted));
        } else if (!tainted && !Arrays.equals(before.reply, reply)) {
            throw new SimViolationException(
                    DIVERGED, "call " + call + " has another reply at " + replica + ", position " + position);
        }
    }

    /** The group has undone the run of a call: no member has its effects. */
    void undone(int life, String replica, long call) {
        undone.put(call, life);
        Execution execution = byCall.get(call);
        if (execution != null && execution.life == life) {
            throw new SimViolationException(
                    UNDONE_RAN,
                    "call " + call + " is undone at " + replica + ", and counts as executed at another member");
        }
    }

    private boolean isUndone(int life, long call) {
        return undone.getOrDefault(call, -1) == life;
    }

    void digest(int life, String replica, long position, long digest) {
        Long before = digests.putIfAbsent(new Position(life, position), digest);
        if (before != null && before != digest) {
            throw new SimViolationException(DIVERGED, "digest of " + replica + " at position " + position);
        }
    }

    void table(int life, String replica, long position, byte[] snapshot) {
        byte[] before = tables.putIfAbsent(new Position(life, position), snapshot);
        if (before != null && !Arrays.equals(before, snapshot)) {
            throw new SimViolationException(DIVERGED, "client records of " + replica + " at position " + position);
        }
    }

    /** A client took a reply. */
    void replied(long call, byte[] reply, boolean oneLife) {
        if (FtsServant.isSkipped(reply)) {
            if (replies.containsKey(call)) {
                throw new SimViolationException(SKIPPED_RAN, "call " + call + " was answered, and then skipped");
            }
            notExecuted.put(call, SKIPPED);
            return;
        }
        if (FtsServant.isUndone(reply)) {
            boolean answeredOtherwise = replies.containsKey(call) && !foreign.contains(call);
            if (!undone.containsKey(call) || answeredOtherwise) {
                throw new SimViolationException(
                        WRONG_REPLY, "call " + call + " got the reply of an undone call, and is none");
            }
            return;
        }
        if (SKIPPED.equals(notExecuted.get(call))) {
            throw new SimViolationException(SKIPPED_RAN, "call " + call + " was skipped, and then answered");
        }
        Execution execution = byCall.get(call);
        if (execution == null || reply.length != 24 || FtsServant.call(reply) != call) {
            throw new SimViolationException(WRONG_REPLY, "call " + call + " got a reply that is not its own");
        }
        okByLife.computeIfAbsent(execution.life, life -> new HashSet<>()).add(call);
        onAnswered.answered(execution.life, call, execution.position);
        if (taintedReplies.getOrDefault(call, List.of()).stream().anyMatch(wrong -> Arrays.equals(wrong, reply))) {
            // It left a diverged member before the verdict.
            return;
        }
        if (oneLife && !Arrays.equals(execution.reply, reply)) {
            throw new SimViolationException(WRONG_REPLY, "call " + call + " got another reply than its execution gave");
        }
        byte[] before = replies.putIfAbsent(call, reply);
        if (before != null && !Arrays.equals(before, reply)) {
            throw new SimViolationException(WRONG_REPLY, "call " + call + " got two different replies");
        }
    }

    /** A client was told that its call certainly did not run. */
    void notExecuted(long call, String reason) {
        notExecuted.put(call, reason);
        if (byCall.containsKey(call)) {
            throw new SimViolationException(
                    NOT_EXECUTED_RAN,
                    "call " + call + " had run at " + byCall.get(call).position + ", then: " + reason);
        }
        if (undone.containsKey(call)) {
            throw new SimViolationException(
                    NOT_EXECUTED_RAN, "call " + call + " had run and was undone, then: " + reason);
        }
    }

    /** At the end of a life: every call that gave a client its reply is in the state of this replica. */
    void allThere(int life, String replica, FtsServant servant) {
        notExecuted.forEach((call, reason) -> {
            if (reason.equals(SKIPPED) && servant.hasRun(call)) {
                throw new SimViolationException(
                        SKIPPED_RAN, "call " + call + " was skipped and is in the state of " + replica);
            }
        });
        undone.forEach((call, in) -> {
            if (in == life && servant.hasRun(call)) {
                throw new SimViolationException(
                        UNDONE_RAN, "call " + call + " was undone and is in the state of " + replica);
            }
        });
        for (Long call : okByLife.getOrDefault(life, Set.of())) {
            if (!servant.hasRun(call)) {
                throw new SimViolationException(
                        LOST, "call " + call + " was answered and is not in the state of " + replica);
            }
        }
    }
}
