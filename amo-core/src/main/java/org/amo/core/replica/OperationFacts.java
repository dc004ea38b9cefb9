package org.amo.core.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Makes the nested calls of operations once for the group (docs/decisions/0086-nested-calls-in-the-order.md): which member
 * sends a call, and its result, are facts that the group orders. The first claim of a call names the member that sends it, the
 * first result is the result at every member and in every replay.
 *
 * <p>Invariant: nothing is sent before its claim is delivered here, and a call without an identity is sent by the process of the
 * first claim alone, once. A call with an identity may be sent by any member, always under the identity of the first claim.
 *
 * <p>The facts of executed requests are dropped, so that no snapshot needs them: a snapshot at a position has executed all
 * requests up to there. One thread owns it.
 */
class OperationFacts {
    private static final long RESUBMIT_AFTER_MILLIS = 2_000;

    /** No word of a member for that long: it is taken for gone. Members report their clocks every second. */
    private static final long GONE_AFTER_MILLIS = 3_000;

    /** In a replay the missing fact mostly stands a few entries behind. */
    private static final long LEADER_PATIENCE_MILLIS = 200;

    /** A leader may be unable to act, because it executes an earlier request or holds one. */
    private static final long FOLLOWER_PATIENCE_MILLIS = 1_500;

    /** The member that sends a call ends it at the deadline, and its result may be under way. */
    private static final long DEADLINE_GRACE_MILLIS = 1_000;

    private final String self;
    private final long incarnation;
    private final ReplicaEffects effects;
    private final GroupState group;
    private final ExecutionProgress progress;

    /** Of requests that have not been executed here. */
    private final TreeMap<Key, Facts> calls = new TreeMap<>();

    /** By member: the process that submitted its latest entry, unless that entry left open whether it is the latest process. */
    private final Map<String, Long> incarnations = new HashMap<>();

    /** When a member was heard last. */
    private final Map<String, Long> heardAtMillis = new HashMap<>();

    /** Facts that this member wants ordered, and when each is submitted next. */
    private final Map<NestedFact, Long> proposals = new LinkedHashMap<>();

    /** The call in which the running operation waits. */
    private Optional<Waiting> waiting = Optional.empty();

    private boolean leads;

    /** A call of an operation. */
    record Key(Place place, int number) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return Comparator.comparing(Key::place).thenComparing(Key::number).compare(this, other);
        }
    }

    /**
     * The first claim of a call.
     *
     * @param stampMillis the member's group clock when it submitted the claim
     * @param identity under which any member may send the call; empty if the claimant alone may
     */
    record Claim(String member, long incarnation, long stampMillis, Optional<byte[]> identity) {}

    /** @param bytes empty if the result is unknown */
    record Result(Optional<byte[]> bytes) {}

    /** The ordered facts of a call. */
    private static final class Facts {
        private Optional<Claim> claim = Optional.empty();
        private Optional<Result> result = Optional.empty();
        /** Whether the claimant's process has ended: a later one of that member has submitted an entry. */
        private boolean claimantGone;
        /** Whether this process sends the call, or has sent it. */
        private boolean sent;
    }

    /** Its deadline is that of the request, in the group's time. */
    private static final class Waiting {
        private final Key key;
        private final long deadlineMillis;
        private final long sinceMillis;
        private boolean identifying;

        Waiting(Key key, long deadlineMillis, long sinceMillis) {
            this.key = key;
            this.deadlineMillis = deadlineMillis;
            this.sinceMillis = sinceMillis;
        }
    }

    OperationFacts(ReplicaOptions options, ReplicaEffects effects, GroupState group, ExecutionProgress progress) {
        this.self = options.id();
        this.incarnation = options.incarnation();
        this.effects = effects;
        this.group = group;
        this.progress = progress;
    }

    // ------------------------------------------------- the running operation

    /** The operation that runs here waits for its call. */
    void onCall(Place place, int number, long deadlineMillis, long nowMillis) {
        waiting = Optional.of(new Waiting(new Key(place, number), deadlineMillis, nowMillis));
        goOn(nowMillis);
    }

    /**
     * @param identity empty if the callee cannot tell a repetition from a new call. One that is too long for an entry is dropped,
     *     and the call is never sent
     */
    void onIdentity(Place place, int number, Optional<byte[]> identity) {
        Key key = new Key(place, number);
        boolean fits = identity.filter(bytes -> bytes.length > NestedFact.MAX_IDENTITY_BYTES)
                .isEmpty();
        if (fits && isWaiting(key) && facts(key).claim.isEmpty()) {
            propose(NestedFact.claim(place, number, identity));
        }
    }

    /**
     * This member has sent the call.
     *
     * @param result empty if it is unknown
     */
    void onSent(Place place, int number, Optional<byte[]> result) {
        Key key = new Key(place, number);
        if (!progress.isExecuted(place) && facts(key).result.isEmpty()) {
            propose(NestedFact.result(
                    place, number, result.filter(bytes -> bytes.length <= NestedFact.MAX_RESULT_BYTES)));
        }
    }

    // ------------------------------------------------- the order

    /**
     * An entry of a member is delivered.
     *
     * @param stampMillis that member's group clock when it submitted the entry
     */
    void onEntry(String origin, long itsIncarnation, long stampMillis, List<NestedFact> delivered, long nowMillis) {
        onHeard(origin, nowMillis);
        Long before = incarnations.get(origin);
        // A member that lags holds many calls; claims are of processes that submitted entries.
        if (before == null || before != itsIncarnation) {
            if (endsClaims(origin, itsIncarnation, stampMillis)) {
                incarnations.put(origin, itsIncarnation);
            } else {
                incarnations.remove(origin);
            }
        }
        for (NestedFact fact : delivered) {
            // Each member has the result of an executed request's calls, or does not need it.
            if (!progress.isExecuted(fact.place()) && fact.place().position() < group.position()) {
                onFact(new Claim(origin, itsIncarnation, stampMillis, fact.bytes()), fact);
            }
        }
        goOn(nowMillis);
    }

    /**
     * Another process of a member has submitted an entry, so those with claims have ended, unless the entry is a late one of a process
     * before them: incarnations have no order, but a later process has a later clock.
     *
     * @return whether a further entry of that process tells no more
     */
    private boolean endsClaims(String origin, long itsIncarnation, long stampMillis) {
        boolean all = true;
        for (Facts each : calls.values()) {
            Optional<Claim> ofAnother =
                    each.claim.filter(claim -> claim.member().equals(origin) && claim.incarnation() != itsIncarnation);
            if (ofAnother.isPresent()) {
                boolean later = stampMillis >= ofAnother.get().stampMillis();
                each.claimantGone |= later;
                all &= later;
            }
        }
        return all;
    }

    private void onFact(Claim by, NestedFact fact) {
        Key key = new Key(fact.place(), fact.number());
        if (!remembers(key)) {
            return;
        }
        Facts known = calls.computeIfAbsent(key, first -> new Facts());
        if (fact.isClaim()) {
            if (known.claim.isEmpty() && known.result.isEmpty()) {
                known.claim = Optional.of(by);
            }
            forget(key, true);
        } else {
            if (decides(known.result)) {
                known.result = Optional.of(new Result(fact.bytes()));
            }
            forget(key, false);
        }
    }

    /** Whether a fact of this call is kept: this member may execute its request much later. */
    boolean remembers(Key key) {
        return true;
    }

    /** Whether a result that is delivered is the call's. */
    boolean decides(Optional<Result> earlier) {
        return earlier.isEmpty();
    }

    /**
     * The request has been executed here: its calls have their results. So have those of all requests before it, which a snapshot may
     * have executed.
     */
    void executed(Place place) {
        if (calls.isEmpty() && proposals.isEmpty()) {
            return;
        }
        Key last = new Key(place, Integer.MAX_VALUE);
        calls.headMap(last, true).clear();
        proposals.keySet().removeIf(fact -> fact.place().compareTo(place) <= 0);
    }

    // ------------------------------------------------- the group

    void onLeader(boolean isSelf, long nowMillis) {
        leads = isSelf;
        submitAgain();
        goOn(nowMillis);
    }

    /** A word of a member has come. */
    void onHeard(String member, long nowMillis) {
        heardAtMillis.put(member, nowMillis);
    }

    void onTick(long nowMillis) {
        goOn(nowMillis);
    }

    // ------------------------------------------------- submissions

    /** The facts to submit now, each in an entry of its own; again after a while if they are not delivered. */
    List<NestedFact> due(long nowMillis) {
        List<NestedFact> due = new ArrayList<>();
        for (Map.Entry<NestedFact, Long> each : proposals.entrySet()) {
            if (each.getValue() <= nowMillis) {
                due.add(each.getKey());
                each.setValue(nowMillis + RESUBMIT_AFTER_MILLIS);
            }
        }
        return due;
    }

    /** Submissions may have been lost. */
    void submitAgain() {
        proposals.replaceAll((fact, at) -> Long.MIN_VALUE);
    }

    private void propose(NestedFact fact) {
        Key key = new Key(fact.place(), fact.number());
        boolean replaces = fact.kind() == NestedFact.Kind.RESULT;
        if (replaces) {
            forget(key, false);
        }
        boolean proposed =
                proposals.keySet().stream().anyMatch(other -> isOf(other, key) && other.isClaim() == fact.isClaim());
        if (!proposed) {
            proposals.put(fact, Long.MIN_VALUE);
        }
    }

    private void forget(Key key, boolean claimOnly) {
        proposals.keySet().removeIf(fact -> isOf(fact, key) && (fact.isClaim() || !claimOnly));
    }

    private static boolean isOf(NestedFact fact, Key key) {
        return fact.place().equals(key.place()) && fact.number() == key.number();
    }

    // ------------------------------------------------- decisions

    private Facts facts(Key key) {
        return calls.getOrDefault(key, new Facts());
    }

    final boolean isWaiting(Key key) {
        return waiting.filter(call -> call.key.equals(key)).isPresent();
    }

    /** The next step of the call in which the operation waits. */
    private void goOn(long nowMillis) {
        if (waiting.isEmpty()) {
            return;
        }
        Waiting call = waiting.get();
        Facts facts = calls.computeIfAbsent(call.key, first -> new Facts());
        if (facts.result.isPresent()) {
            conclude(call.key, facts.result.get().bytes());
        } else if (group.isCaughtUp()) {
            goOn(call, facts, nowMillis);
        }
    }

    private void goOn(Waiting call, Facts facts, long nowMillis) {
        long leftMillis = call.deadlineMillis - group.clock().read(nowMillis);
        long patience = leads ? LEADER_PATIENCE_MILLIS : FOLLOWER_PATIENCE_MILLIS;
        boolean waitedLong = nowMillis - call.sinceMillis >= patience;
        if (leftMillis < -DEADLINE_GRACE_MILLIS) {
            if (waitedLong) {
                propose(NestedFact.result(call.key.place(), call.key.number(), Optional.empty()));
            }
        } else if (facts.claim.isEmpty()) {
            if ((leads || waitedLong) && leftMillis > 0 && !call.identifying) {
                call.identifying = true;
                effects.identifyNested(call.key.place(), call.key.number(), leftMillis);
            }
        } else if (isOwn(facts.claim.get())) {
            sendOnce(call.key, facts.claim.get().identity(), leftMillis);
        } else if (waitedLong) {
            Claim claim = facts.claim.get();
            boolean gone = isGone(call, facts, claim, nowMillis);
            if (claim.identity().isPresent()) {
                if (leads || gone) {
                    sendOnce(call.key, identityToRepeat(claim), leftMillis);
                }
            } else if (gone) {
                exclusiveClaimantIsGone(call.key);
            }
        }
    }

    /** The identity under which this member sends a call that another process has claimed. */
    Optional<byte[]> identityToRepeat(Claim claim) {
        return claim.identity();
    }

    /** The only process that may send the call is gone: it ran once or not at all. */
    void exclusiveClaimantIsGone(Key key) {
        propose(NestedFact.result(key.place(), key.number(), Optional.empty()));
    }

    /** The operation that waits here goes on with this result. */
    final void conclude(Key key, Optional<byte[]> result) {
        waiting = Optional.empty();
        effects.nestedResult(key.place(), key.number(), result);
    }

    /** This process sends the call in which the operation waits, unless it has. */
    final void sendOnce(Key key, Optional<byte[]> identity, long leftMillis) {
        Facts facts = calls.computeIfAbsent(key, first -> new Facts());
        if (!facts.sent) {
            facts.sent = true;
            effects.sendNested(key.place(), key.number(), identity, Math.max(1, leftMillis));
        }
    }

    private boolean isOwn(Claim claim) {
        return claim.member().equals(self) && claim.incarnation() == incarnation;
    }

    private boolean isGone(Waiting call, Facts facts, Claim claim, long nowMillis) {
        long heard = Math.max(call.sinceMillis, heardAtMillis.getOrDefault(claim.member(), Long.MIN_VALUE));
        // A claim of this member that is not of this process is of an ended one.
        return facts.claimantGone || claim.member().equals(self) || nowMillis - heard >= GONE_AFTER_MILLIS;
    }
}
