package org.amo.core.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;

/**
 * One client of one group over connections that carry many attempts at a time. Decides which member gets which attempt, and
 * when a connection is needed. {@link AttemptedCall} decides after each attempt how its call goes on.
 *
 * <p>Members are numbered from 0, and come and go with the group's. New attempts go to the serving member: the one that is
 * hinted to lead, else the first that accepts a connection. The client leaves a member for the next one if that member breaks its connection, does not answer an
 * attempt for {@link AttemptedCall#ATTEMPT_MILLIS}, has no room or drains. Silence does not end an attempt: it stays out, and another one
 * goes to another member under the same number.
 *
 * <p>{@code nowMillis} is a monotonic clock, {@code wallMillis} the wall clock. One thread owns it. Nothing survives a
 * crash, and need not: a restarted client draws a new id.
 *
 * @param <C> the shell's name for a caller
 */
public final class GroupClient<C> {
    private static final long NEVER = Long.MAX_VALUE;

    private final ClientSession session;
    private final long attemptMillis;
    private final GroupClientEffects<C> effects;
    private final MemberChoice members;

    private final Set<OpenCall<C>> open = new LinkedHashSet<>();
    private final Map<Long, OpenCall<C>> copies = new HashMap<>();

    private long lastCopy;

    /** The member that gave the last reply; -1 before the first. */
    private int answeredBy = -1;

    private long moves;
    private long due = NEVER;

    /** The clocks at one input. */
    private record Now(long millis, long wallMillis) {}

    /** A call without an outcome. */
    private static final class OpenCall<C> {
        final C caller;
        final byte[] body;
        final boolean oneway;
        final AttemptedCall core;

        /** Attempts that may still be answered, each with its member. */
        final Map<Long, Integer> out = new HashMap<>();

        /** When to send (again); {@link #NEVER} while it only waits. */
        long sendAtMillis;

        long overdueAtMillis = NEVER;

        OpenCall(C caller, byte[] body, boolean oneway, AttemptedCall core, long nowMillis) {
            this.caller = caller;
            this.body = body;
            this.oneway = oneway;
            this.core = core;
            this.sendAtMillis = nowMillis;
        }

        /** A call with an attempt that is out, or that leaves only after the deadline, may still get its outcome. */
        long limitMillis() {
            boolean last = sendAtMillis != NEVER && sendAtMillis >= core.endMillis();
            return core.limitMillis(last || !out.isEmpty());
        }
    }

    /**
     * @param memberCount at least 1
     * @param first the member to begin with
     */
    public GroupClient(ClientSession session, int memberCount, int first, GroupClientEffects<C> effects) {
        this(session, memberCount, first, AttemptedCall.ATTEMPT_MILLIS, effects);
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
        AttemptedCall core = new AttemptedCall(session, oneway, timeoutMillis, AttemptedCall.GRACE_MILLIS, nowMillis);
        begin(caller, body, oneway, core, nowMillis, wallMillis);
    }

    /**
     * A caller makes a call under an identity that was allotted earlier ({@link #allot}), perhaps by another process. Its outcome is
     * NOT_EXECUTED only if no process's attempt has run or can run.
     *
     * @param timeoutMillis how long the caller waits, at least 1
     */
    public void onCallAs(
            ClientCall.Identity identity,
            C caller,
            byte[] body,
            boolean oneway,
            long timeoutMillis,
            long nowMillis,
            long wallMillis) {
        AttemptedCall core =
                new AttemptedCall(session, identity, oneway, timeoutMillis, AttemptedCall.GRACE_MILLIS, nowMillis);
        begin(caller, body, oneway, core, nowMillis, wallMillis);
    }

    /**
     * Takes an identity for a call that this or another process sends later ({@link #onCallAs}). Its number is open until
     * {@link #finished}.
     */
    public ClientCall allot(long timeoutMillis, long nowMillis, long wallMillis) {
        return session.begin(false, timeoutMillis, nowMillis, wallMillis);
    }

    /** No process sends attempts of this call any more. */
    public void finished(ClientCall allotted) {
        allotted.onHandedOver();
        wakeForSession();
    }

    private void begin(C caller, byte[] body, boolean oneway, AttemptedCall core, long nowMillis, long wallMillis) {
        OpenCall<C> each = new OpenCall<>(caller, body, oneway, core, nowMillis);
        open.add(each);
        wakeAt(core.endMillis());
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
        members.connected(member, nowMillis);
        sendWaiting(new Now(nowMillis, wallMillis));
    }

    /** No connection could be made, or the one there was is gone: no answer can come over it any more. */
    public void onDisconnected(int member, long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        members.lost(member, nowMillis);
        session.onCarrierLost();
        for (OpenCall<C> each : List.copyOf(open)) {
            List<Long> lost = new ArrayList<>();
            each.out.forEach((copy, to) -> {
                if (to == member) {
                    lost.add(copy);
                }
            });
            for (Long copy : lost) {
                forget(each, copy);
                follow(each, each.core.onBroken(true, nowMillis).step(), now);
            }
        }
        sendWaiting(now);
        wakeForSession();
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
        AttemptedCall.Next next = each.core.onAnswer(answer, nowMillis, wallMillis);
        if (next.step().kind() == Step.Kind.REPLY) {
            end(each);
            if (answeredBy >= 0 && answeredBy != member) {
                moves++;
            }
            answeredBy = member;
            try {
                effects.replied(each.caller, each.core.id(), answer.reply());
            } finally {
                finish(each, Step.Kind.REPLY);
            }
            return;
        }
        if (next.leaveMember()) {
            members.leave(member);
        }
        follow(each, next.step(), now);
    }

    /** The member is hinted to lead: attempts cost least there. */
    public void onLeader(int member, long nowMillis, long wallMillis) {
        if (members.prefer(member)) {
            effects.connect(member);
        }
        sendWaiting(new Now(nowMillis, wallMillis));
    }

    /**
     * The group has a member that this client did not know.
     *
     * @return its number: the next one, or that of a removed member to which there is no connection
     */
    public int onMemberAdded() {
        return members.add();
    }

    /**
     * The group has removed the member. It still serves while its connection lasts, and later only if all others have failed: it
     * may be a member that calls itself by another name.
     */
    public void onMemberRemoved(int member, long nowMillis, long wallMillis) {
        members.remove(member);
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
                follow(each, each.core.giveUp(nowMillis, wallMillis), now);
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
        session.finishOneways(nowMillis);
        flushIfDue(nowMillis);
        wakeForSession();
    }

    /** When {@link #onTick} is to be called, on the monotonic clock; {@code Long.MAX_VALUE} if never. */
    public long nextDeadline() {
        return due;
    }

    /**
     * An input ended in the middle, by an error of the program: at that time {@link #onTick} looks at every call. Without it a call that
     * this input was about to send, and a tick that it was about to ask for, could be missing for ever.
     */
    public void lookAgain(long atMillis) {
        wakeAt(atMillis);
    }

    /**
     * The shell could not send an attempt of this caller's call, nor tell how much of it left. The call ends now, and nothing more is sent
     * for it.
     *
     * @return whether the call was open
     */
    public boolean onSendFailed(C caller, long nowMillis, long wallMillis) {
        for (OpenCall<C> each : open) {
            if (each.caller.equals(caller)) {
                follow(each, each.core.giveUp(nowMillis, wallMillis), new Now(nowMillis, wallMillis));
                return true;
            }
        }
        return false;
    }

    /** The client ends: every open call is given up now, and acknowledgements are sent while there is a connection. */
    public void onClose(long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        for (OpenCall<C> each : List.copyOf(open)) {
            follow(each, each.core.giveUp(nowMillis, wallMillis), now);
        }
        if (members.isUp(members.serving()) && session.hasUnsentFinished()) {
            effects.acknowledge(members.serving(), session.carry(nowMillis));
        }
    }

    /** No member will ever take a call: calls without an attempt out end now, since waiting cannot help them. */
    public void onNobodyTakesCalls(long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        for (OpenCall<C> each : List.copyOf(open)) {
            if (each.out.isEmpty()) {
                follow(each, each.core.giveUp(nowMillis, wallMillis), now);
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
        if (nowMillis < members.connectAtMillis()) {
            wakeAt(members.connectAtMillis());
        } else if (members.connect(to)) {
            effects.connect(to);
        }
    }

    private void send(OpenCall<C> each, int to, Now now) {
        ClientCall number = each.core.send(now.millis(), now.wallMillis());
        long copy = ++lastCopy;
        each.sendAtMillis = NEVER;
        each.overdueAtMillis = now.millis() + attemptMillis;
        wakeAt(each.overdueAtMillis);
        each.out.put(copy, to);
        copies.put(copy, each);
        // Another client's acknowledgements are not known here.
        boolean own = number.id().client().equals(session.id());
        effects.send(
                to,
                each.caller,
                new Attempt(
                        copy,
                        number.id(),
                        number.timestampMillis(),
                        number.deadlineMillis(),
                        each.oneway,
                        own ? session.carry(now.millis()) : FinishedNumbers.NONE,
                        each.body));
    }

    /** Silence: the members asked are left, and another is asked as well, if any other is to be had. */
    private void hedge(OpenCall<C> each, long nowMillis) {
        each.overdueAtMillis = nowMillis + attemptMillis;
        each.out.values().forEach(members::silent);
        if (!each.out.isEmpty() && each.core.mayHedge() && !each.out.containsValue(members.serving())) {
            each.sendAtMillis = nowMillis;
        }
    }

    private void follow(OpenCall<C> each, Step step, Now now) {
        switch (step.kind()) {
            case REPLY -> throw new IllegalStateException("only an answer carries a reply");
            case WAIT -> {}
            case SEND_AGAIN -> {
                each.sendAtMillis = now.millis() + step.delayMillis();
                if (each.sendAtMillis == now.millis()) {
                    sendOrConnect(each, now);
                }
                wake(each, now.millis());
            }
            case NOT_EXECUTED -> {
                end(each);
                try {
                    effects.notExecuted(each.caller, each.core.id(), step.reason(), step.budget());
                } finally {
                    finish(each, step.kind());
                }
            }
            case UNKNOWN -> {
                end(each);
                try {
                    effects.unknown(each.caller, each.core.id());
                } finally {
                    finish(each, step.kind());
                }
            }
        }
    }

    private void finish(OpenCall<C> each, Step.Kind outcome) {
        each.core.finish(outcome);
        wakeForSession();
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
            session.onFlushed();
        } else if (nowMillis >= session.flushAtMillis()) {
            if (members.isUp(members.serving())) {
                session.onFlushed();
                effects.acknowledge(members.serving(), session.carry(nowMillis));
            } else {
                session.onFlushFailed(nowMillis);
                connect(members.serving(), nowMillis);
            }
        }
    }

    private void wakeForSession() {
        wakeAt(session.flushAtMillis());
        wakeAt(session.onewayAtMillis());
    }

    private void wake(OpenCall<C> each, long nowMillis) {
        wakeAt(nowMillis < each.core.endMillis() ? each.core.endMillis() : each.limitMillis());
        wakeAt(each.overdueAtMillis);
        if (each.sendAtMillis > nowMillis) {
            wakeAt(each.sendAtMillis);
        }
    }

    private void wakeAt(long atMillis) {
        due = Math.min(due, atMillis);
    }
}
