package org.amo.core.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * One client of one group over connections that carry many attempts at a time. Decides which member gets which attempt, when
 * another member gets another attempt, and which outcome each caller gets. {@link ClientCall} decides which outcome is
 * certain enough to be reported.
 *
 * <p>Members are numbered from 0. New attempts go to the serving member: the one that is hinted to lead, else the first that
 * accepts a connection. The client leaves a member for the next one if that member breaks its connection, does not answer an
 * attempt for {@link #ATTEMPT_MILLIS}, has no room or drains. Silence does not end an attempt: it stays out, and another one
 * goes to another member under the same number.
 *
 * <p>{@code nowMillis} is a monotonic clock, {@code wallMillis} the wall clock. One thread owns it. Nothing survives a
 * crash, and need not: a restarted client draws a new id.
 *
 * @param <C> the shell's name for a caller
 */
public final class GroupClient<C> {
    /** A member that says nothing for that long is left. As in the CORBA client. */
    public static final long ATTEMPT_MILLIS = 3_000;

    /** How long after its time a call waits for a refusal that makes "not executed" of "unknown". */
    public static final long GRACE_MILLIS = 500;

    /** Acknowledgements wait that long for a request to ride on. */
    private static final long FLUSH_MILLIS = 1_000;

    private static final long MAX_FLUSH_MILLIS = 10_000;

    /** A oneway's deadline has passed for every member when the group's clock may differ from ours by the skew. */
    private static final long SKEW_MILLIS = 2_000;

    private static final long FIRST_PAUSE_MILLIS = 5;
    private static final long MAX_PAUSE_MILLIS = 200;
    private static final long NEVER = Long.MAX_VALUE;

    private final ClientSession session;
    private final long attemptMillis;
    private final GroupClientEffects<C> effects;
    private final MemberChoice members;

    private final Set<OpenCall<C>> open = new LinkedHashSet<>();
    private final Map<Long, OpenCall<C>> copies = new HashMap<>();

    /** Oneways without an answer, by the time at which their numbers count as finished. */
    private final ArrayDeque<PastOneway> oneways = new ArrayDeque<>();

    private long lastCopy;

    /** The member that gave the last reply; -1 before the first. */
    private int answeredBy = -1;

    private long moves;
    private long due = NEVER;
    private long connectAtMillis;
    private long pauseMillis = FIRST_PAUSE_MILLIS;
    private long carrierAtMillis;
    private long flushMillis = FLUSH_MILLIS;

    /** The clocks at one input. */
    private record Now(long millis, long wallMillis) {}

    private record PastOneway(ClientCall call, long dueMillis) {}

    /** A call without an outcome. */
    private static final class OpenCall<C> {
        final C caller;
        final byte[] body;
        final boolean oneway;
        final long endMillis;

        /** Set from the first send on: a number that is taken late gets its timestamp from the group time known by then. */
        @Nullable
        ClientCall call;

        /** Attempts that may still be answered, each with its member. */
        final Map<Long, Integer> out = new HashMap<>();

        /** When to send (again); {@link #NEVER} while it only waits. */
        long sendAtMillis;

        long overdueAtMillis = NEVER;
        boolean sendNoMore;
        private long freshPauseMillis;

        OpenCall(C caller, byte[] body, boolean oneway, long endMillis, long nowMillis) {
            this.caller = caller;
            this.body = body;
            this.oneway = oneway;
            this.endMillis = endMillis;
            this.sendAtMillis = nowMillis;
        }

        /**
         * A new number after STALE goes out at once; if that is stale as well, the group's time runs away from us, and
         * asking faster does not help.
         */
        long pauseMillis(Step step) {
            long pause = Math.max(step.delayMillis(), freshPauseMillis);
            if (step.delayMillis() == 0) {
                freshPauseMillis = Math.min(MAX_PAUSE_MILLIS, 2 * freshPauseMillis + 1);
            }
            return pause;
        }

        /** A call with an attempt that is out, or that leaves only after the deadline, may still get its outcome. */
        long limitMillis() {
            boolean last = sendAtMillis != NEVER && sendAtMillis >= endMillis;
            return out.isEmpty() && !last ? endMillis : endMillis + GRACE_MILLIS;
        }

        /** Its number; taken now if it has none yet. */
        ClientCall number(ClientSession session, Now now) {
            ClientCall taken = call;
            if (taken == null) {
                taken = session.begin(oneway, Math.max(1, endMillis - now.millis()), now.millis(), now.wallMillis());
                call = taken;
            }
            return taken;
        }
    }

    /**
     * @param memberCount at least 1
     * @param first the member to begin with
     */
    public GroupClient(ClientSession session, int memberCount, int first, GroupClientEffects<C> effects) {
        this(session, memberCount, first, ATTEMPT_MILLIS, effects);
    }

    /** @param attemptMillis a member that says nothing for that long is left, at least 1 */
    public GroupClient(
            ClientSession session, int memberCount, int first, long attemptMillis, GroupClientEffects<C> effects) {
        this.session = session;
        this.attemptMillis = attemptMillis;
        this.effects = effects;
        this.members = new MemberChoice(memberCount, first);
    }

    /**
     * A caller makes a call.
     *
     * @param timeoutMillis how long the caller waits, at least 1
     */
    public void onCall(C caller, byte[] body, boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
        if (timeoutMillis < 1) {
            throw new IllegalArgumentException("timeoutMillis must be positive: " + timeoutMillis);
        }
        OpenCall<C> each = new OpenCall<>(caller, body, oneway, nowMillis + timeoutMillis, nowMillis);
        open.add(each);
        wakeAt(each.endMillis);
        sendOrConnect(each, new Now(nowMillis, wallMillis));
    }

    /**
     * A caller wants to ask the serving member for something that is no call: connects to it if need be, as soon as
     * that may be tried again.
     *
     * @return whether there is a connection
     */
    public boolean wantsMember(long nowMillis) {
        int to = members.serving();
        if (members.isUp(to)) {
            return true;
        }
        connect(to, nowMillis);
        return false;
    }

    /** The member was asked for something that is no call, and has said nothing for long: another serves, if there is one. */
    public void onSilence(int member) {
        members.silent(member);
    }

    /** The member accepted a connection, and says that timestamps up to {@code upperMillis} are refused. */
    public void onConnected(int member, long upperMillis, long nowMillis, long wallMillis) {
        session.onGroupTime(0, upperMillis, nowMillis);
        pauseMillis = FIRST_PAUSE_MILLIS;
        connectAtMillis = nowMillis;
        members.connected(member);
        sendWaiting(new Now(nowMillis, wallMillis));
    }

    /** No connection could be made, or the one there was is gone: no answer can come over it any more. */
    public void onDisconnected(int member, long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        boolean wasUp = members.isUp(member);
        boolean allTried = members.lost(member);
        session.onCarrierLost();
        if (!wasUp && allTried) {
            connectAtMillis = nowMillis + pauseMillis;
            pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
        }
        for (OpenCall<C> each : List.copyOf(open)) {
            List<Long> lost = new ArrayList<>();
            each.out.forEach((copy, to) -> {
                if (to == member) {
                    lost.add(copy);
                }
            });
            for (Long copy : lost) {
                forget(each, copy);
                follow(each, each.number(session, now).onCopyLost(nowMillis), now);
            }
        }
        sendWaiting(now);
        wakeForFlush();
    }

    /** The member's answer to one attempt. */
    public void onAnswer(int member, long copy, Answer answer, long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        members.heard(member);
        OpenCall<C> each = copies.get(copy);
        if (each == null) {
            session.onGroupTime(answer.orderedTimeMillis(), answer.upperMillis(), nowMillis);
            return;
        }
        forget(each, copy);
        answer.refusal().ifPresent(refusal -> {
            each.sendNoMore |= refusal == Refusal.STALE || refusal == Refusal.ID_REUSED;
        });
        ClientCall call = each.number(session, now);
        Step step = call.onAnswer(answer, nowMillis, wallMillis);
        if (step.kind() == Step.Kind.REPLY) {
            end(each);
            if (answeredBy >= 0 && answeredBy != member) {
                moves++;
            }
            answeredBy = member;
            effects.replied(each.caller, call.id(), answer.reply());
            finish(call);
            return;
        }
        // An ordered refusal is the same at every member; these may be this member's trouble alone.
        if (answer.refusal().orElse(Refusal.OVERLOADED) == Refusal.OVERLOADED) {
            members.leave(member);
        }
        follow(each, step, now);
    }

    /** The member is hinted to lead: attempts cost least there. */
    public void onLeader(int member, long nowMillis, long wallMillis) {
        if (members.prefer(member)) {
            effects.connect(member);
        }
        sendWaiting(new Now(nowMillis, wallMillis));
    }

    /** The member will soon be gone: attempts that are out there are still answered, nothing else is sent to it. */
    public void onDraining(int member, long nowMillis, long wallMillis) {
        members.drain(member);
        sendWaiting(new Now(nowMillis, wallMillis));
    }

    /** To be called when {@link #nextDeadline} has come. */
    public void onTick(long nowMillis, long wallMillis) {
        if (nowMillis < due) {
            return;
        }
        Now now = new Now(nowMillis, wallMillis);
        due = NEVER;
        for (OpenCall<C> each : List.copyOf(open)) {
            if (nowMillis >= each.limitMillis()) {
                follow(each, each.number(session, now).onDeadline(), now);
                continue;
            }
            if (nowMillis >= each.overdueAtMillis) {
                hedge(each, nowMillis);
            }
            if (each.sendAtMillis <= nowMillis) {
                sendOrConnect(each, now);
            }
            wake(each, nowMillis);
        }
        while (!oneways.isEmpty() && oneways.peek().dueMillis() <= nowMillis) {
            oneways.remove().call().onOnewayPastDeadline();
        }
        if (!oneways.isEmpty()) {
            wakeAt(oneways.peek().dueMillis());
        }
        flushIfDue(nowMillis);
    }

    /** When {@link #onTick} is to be called, on the monotonic clock; {@code Long.MAX_VALUE} if never. */
    public long nextDeadline() {
        return due;
    }

    /** The client ends: every open call is given up now, and acknowledgements are sent while there is a connection. */
    public void onClose(long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        for (OpenCall<C> each : List.copyOf(open)) {
            follow(each, each.number(session, now).onDeadline(), now);
        }
        if (members.isUp(members.serving()) && session.hasUnsentFinished()) {
            effects.acknowledge(members.serving(), session.finishedToSend());
        }
    }

    /** No member will ever take a call: calls without an attempt out end now, since waiting cannot help them. */
    public void onNobodyTakesCalls(long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        for (OpenCall<C> each : List.copyOf(open)) {
            if (each.out.isEmpty()) {
                follow(each, each.number(session, now).onDeadline(), now);
            }
        }
    }

    /** Calls without an outcome. */
    public int openCalls() {
        return open.size();
    }

    /**
     * How often a call got its reply from another member than the call before. Members that were tried in between and had no
     * reply, as all are while there is no leader, do not count.
     */
    public long moves() {
        return moves;
    }

    /** The member that new attempts go to. */
    public int serving() {
        return members.serving();
    }

    private void sendWaiting(Now now) {
        for (OpenCall<C> each : List.copyOf(open)) {
            if (each.sendAtMillis <= now.millis()) {
                sendOrConnect(each, now);
            }
        }
    }

    private void sendOrConnect(OpenCall<C> each, Now now) {
        int to = members.serving();
        if (members.isUp(to)) {
            send(each, to, now);
        } else {
            connect(to, now.millis());
        }
    }

    private void connect(int to, long nowMillis) {
        if (nowMillis < connectAtMillis) {
            wakeAt(connectAtMillis);
        } else if (members.mayConnect(to)) {
            members.connecting(to);
            effects.connect(to);
        }
    }

    private void send(OpenCall<C> each, int to, Now now) {
        ClientCall call = each.number(session, now);
        long copy = ++lastCopy;
        each.sendAtMillis = NEVER;
        each.overdueAtMillis = now.millis() + attemptMillis;
        wakeAt(each.overdueAtMillis);
        each.out.put(copy, to);
        copies.put(copy, each);
        call.onCopySent();
        carrierAtMillis = now.millis();
        effects.send(
                to,
                each.caller,
                new Attempt(
                        copy,
                        call.id(),
                        call.timestampMillis(),
                        call.deadlineMillis(),
                        each.oneway,
                        session.finishedToSend(),
                        each.body));
    }

    /** Silence: the members asked are left, and another is asked as well, if any other is to be had. */
    private void hedge(OpenCall<C> each, long nowMillis) {
        each.overdueAtMillis = nowMillis + attemptMillis;
        each.out.values().forEach(members::silent);
        if (!each.sendNoMore && !each.out.isEmpty() && !each.out.containsValue(members.serving())) {
            each.sendAtMillis = nowMillis;
        }
    }

    private void follow(OpenCall<C> each, Step step, Now now) {
        ClientCall call = each.number(session, now);
        switch (step.kind()) {
            case REPLY -> throw new IllegalStateException("only an answer carries a reply");
            case WAIT -> {}
            case SEND_AGAIN -> {
                each.sendNoMore = false;
                each.sendAtMillis = now.millis() + each.pauseMillis(step);
                if (each.sendAtMillis == now.millis()) {
                    sendOrConnect(each, now);
                }
                wake(each, now.millis());
            }
            case NOT_EXECUTED -> {
                end(each);
                effects.notExecuted(each.caller, call.id(), step.reason(), step.budget());
                finish(call);
            }
            case UNKNOWN -> {
                end(each);
                effects.unknown(each.caller, call.id());
                if (each.oneway) {
                    oneways.add(new PastOneway(call, each.endMillis + SKEW_MILLIS));
                    wakeAt(oneways.peek().dueMillis());
                } else {
                    finish(call);
                }
            }
        }
    }

    private void finish(ClientCall call) {
        call.onHandedOver();
        call.onOnewayPastDeadline();
        wakeForFlush();
    }

    private void end(OpenCall<C> each) {
        open.remove(each);
        each.out.keySet().forEach(copies::remove);
    }

    private void forget(OpenCall<C> each, Long copy) {
        copies.remove(copy);
        each.out.remove(copy);
    }

    private void flushIfDue(long nowMillis) {
        if (!session.hasUnsentFinished()) {
            flushMillis = FLUSH_MILLIS;
            return;
        }
        if (nowMillis - carrierAtMillis >= flushMillis) {
            carrierAtMillis = nowMillis;
            if (members.isUp(members.serving())) {
                flushMillis = FLUSH_MILLIS;
                effects.acknowledge(members.serving(), session.finishedToSend());
            } else {
                flushMillis = Math.min(2 * flushMillis, MAX_FLUSH_MILLIS);
                connect(members.serving(), nowMillis);
            }
        }
        wakeForFlush();
    }

    private void wakeForFlush() {
        if (session.hasUnsentFinished()) {
            wakeAt(carrierAtMillis + flushMillis);
        }
    }

    private void wake(OpenCall<C> each, long nowMillis) {
        wakeAt(nowMillis < each.endMillis ? each.endMillis : each.limitMillis());
        wakeAt(each.overdueAtMillis);
        if (each.sendAtMillis > nowMillis) {
            wakeAt(each.sendAtMillis);
        }
    }

    private void wakeAt(long atMillis) {
        due = Math.min(due, atMillis);
    }
}
