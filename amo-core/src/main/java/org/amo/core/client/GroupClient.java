package org.amo.core.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * <p>While there is no connection, an attempt may leave as a datagram ({@link Datagrams}). It is sent again until an answer comes, and is
 * one attempt all the time. An attempt that follows it carries the same number, timestamp and deadline.
 *
 * <p>{@code nowMillis} is a monotonic clock, {@code wallMillis} the wall clock. One thread owns it. Nothing survives a
 * crash, and need not: a restarted client draws a new id. A shell that has noted the calls of a former life asks for their outcomes
 * with a client of that life's id ({@link #onCallAs}).
 *
 * @param <C> the shell's name for a caller
 */
public final class GroupClient<C> {
    private static final long NEVER = Long.MAX_VALUE;

    private final ClientSession session;
    private final long attemptMillis;
    private final GroupClientEffects<C> effects;
    private final MemberChoice members;
    private final DatagramChoice datagrams;

    private final Set<OpenCall<C>> open = new LinkedHashSet<>();
    private final Map<Long, OpenCall<C>> copies = new HashMap<>();

    /** Calls with an outcome that the application has yet to handle. Their numbers are open, so that the group keeps the replies. */
    private final Map<C, Ended> unhandled = new HashMap<>();

    private long lastCopy;
    private long calls;

    /** The member that gave the last reply; -1 before the first. */
    private int answeredBy = -1;

    private long moves;
    private long due = NEVER;

    /** Which attempts leave as datagrams, if they fit. */
    public enum Datagrams {
        NEVER,
        /**
         * The first attempt of a call, while there is no connection and members answer datagrams. A connection is opened for the
         * second call of the client, and for the second attempt of a call.
         */
        FIRST,
        /** All, unless the reply was too large for one. */
        ALWAYS
    }

    /** The clocks at one input. */
    private record Now(long millis, long wallMillis) {}

    /** A call with an outcome. */
    private record Ended(AttemptedCall core, Step.Kind outcome) {}

    /** A call without an outcome. */
    private static final class OpenCall<C> {
        final C caller;
        final byte[] body;
        final boolean oneway;
        final AttemptedCall core;

        /** Attempts over connections that may still be answered, each with its member. */
        final Map<Long, Integer> out = new HashMap<>();

        /** Attempts that left as datagrams and may still be answered, each with its member. */
        final Map<Long, Integer> loose = new HashMap<>();

        /** The datagram that is sent again while no answer comes. */
        Optional<SentDatagram> datagram = Optional.empty();

        /** Datagrams are of no use to it any more. */
        boolean needsConnection;

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
            return core.limitMillis(last || !out.isEmpty() || !loose.isEmpty());
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
        this(session, memberCount, first, attemptMillis, Datagrams.NEVER, effects);
    }

    /**
     * @param attemptMillis a member that says nothing for that long is left, at least 1
     * @param datagrams asked of the effects where they are to leave
     */
    public GroupClient(
            ClientSession session,
            int memberCount,
            int first,
            long attemptMillis,
            Datagrams datagrams,
            GroupClientEffects<C> effects) {
        this.session = session;
        this.attemptMillis = attemptMillis;
        this.effects = effects;
        this.members = new MemberChoice(memberCount, first);
        this.datagrams = new DatagramChoice(datagrams);
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

    /**
     * No process sends attempts of this call any more. A former life of this client took its number, in another process, and this client
     * has the same id.
     */
    public void finished(ClientCall.Identity former) {
        if (!former.id().client().equals(session.id())) {
            throw new IllegalArgumentException(former.id() + " is no call of client " + session.id());
        }
        session.finish(former.id().number());
        wakeForSession();
    }

    /** The application needs nothing more of a call for which the effects said that it is not handled. Once, after its outcome. */
    public void onHandled(C caller) {
        Ended ended = unhandled.remove(caller);
        if (ended != null) {
            ended.core.finish(ended.outcome);
            wakeForSession();
        }
    }

    /** Calls for which {@link #onHandled} is awaited. */
    public Set<C> unhandled() {
        return Collections.unmodifiableSet(unhandled.keySet());
    }

    private void begin(C caller, byte[] body, boolean oneway, AttemptedCall core, long nowMillis, long wallMillis) {
        OpenCall<C> each = new OpenCall<>(caller, body, oneway, core, nowMillis);
        open.add(each);
        calls++;
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
        if (each.loose.containsKey(copy)) {
            datagrams.answered(each.datagram.filter(sent -> sent.attempt().copy() == copy), nowMillis);
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

    /**
     * The member got the attempt as a datagram, and sends no answer by one: the reply is too large, or it takes no more calls. The
     * next attempt goes over a connection.
     *
     * @param stays whether the same member may serve
     */
    public void onDatagramTurnedAway(int member, long copy, boolean stays, long nowMillis, long wallMillis) {
        OpenCall<C> each = copies.get(copy);
        if (each == null || !each.loose.containsKey(copy)) {
            return;
        }
        forget(each, copy);
        each.needsConnection = true;
        if (!stays) {
            members.leave(member);
        }
        follow(each, each.core.onBroken(true, nowMillis).step(), new Now(nowMillis, wallMillis));
    }

    /** No process takes datagrams there, as it seems: calls that wait for an answer to one go on elsewhere at once. */
    public void onDatagramsRefused(int member, long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        datagrams.unanswered();
        for (OpenCall<C> each : List.copyOf(open)) {
            if (each.loose.containsValue(member) && each.sendAtMillis == NEVER) {
                hedge(each, nowMillis);
                if (each.sendAtMillis <= nowMillis) {
                    sendOrConnect(each, now);
                }
                wake(each, nowMillis);
            }
        }
    }

    /** The shell did not let an attempt leave that it was told to send: it certainly has not left. */
    public void onNotSent(long copy, long nowMillis, long wallMillis) {
        OpenCall<C> each = copies.get(copy);
        if (each != null) {
            forget(each, copy);
            follow(each, each.core.onBroken(false, nowMillis).step(), new Now(nowMillis, wallMillis));
        }
    }

    /** The shell did not let acknowledgements leave that it was told to send. */
    public void onNotAcknowledged(long nowMillis) {
        session.onFlushFailed(nowMillis);
        wakeForSession();
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
            each.datagram
                    .filter(sent -> nowMillis >= sent.againAtMillis())
                    .ifPresent(sent -> sendAgain(each, sent, nowMillis));
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
        if (session.hasUnsentFinished()) {
            boolean unused = acknowledge(nowMillis);
        }
    }

    /** No member will ever take a call: calls without an attempt out end now, since waiting cannot help them. */
    public void onNobodyTakesCalls(long nowMillis, long wallMillis) {
        Now now = new Now(nowMillis, wallMillis);
        for (OpenCall<C> each : List.copyOf(open)) {
            if (each.out.isEmpty() && each.loose.isEmpty()) {
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
        boolean up = members.isUp(to);
        if (leavesAsDatagram(each, to, up)) {
            sendDatagram(each, to, now);
            if (calls > 1 && datagrams.endWithConnection()) {
                connect(to, now.millis());
            }
        } else if (up) {
            send(each, to, now);
        } else {
            connect(to, now.millis());
        }
    }

    private boolean leavesAsDatagram(OpenCall<C> each, int to, boolean up) {
        return !each.needsConnection
                && datagrams.mayLeave(up, open.stream().anyMatch(other -> !other.loose.isEmpty()))
                && effects.fitsDatagram(to, each.caller);
    }

    private void connect(int to, long nowMillis) {
        if (nowMillis < members.connectAtMillis()) {
            wakeAt(members.connectAtMillis());
        } else if (members.connect(to)) {
            effects.connect(to);
        }
    }

    private void send(OpenCall<C> each, int to, Now now) {
        Attempt attempt = attempt(each, Delivery.AT_MOST_ONCE, now);
        each.overdueAtMillis = now.millis() + attemptMillis;
        wakeAt(each.overdueAtMillis);
        each.out.put(attempt.copy(), to);
        effects.send(to, each.caller, attempt);
    }

    private void sendDatagram(OpenCall<C> each, int to, Now now) {
        Attempt attempt = attempt(each, Delivery.MAY_REPEAT, now);
        SentDatagram sent = datagrams.sent(attempt, to, now.millis());
        each.overdueAtMillis = now.millis() + datagrams.awaitedMillis(attemptMillis);
        each.needsConnection = datagrams.endWithConnection();
        wakeAt(each.overdueAtMillis);
        wakeAt(sent.againAtMillis());
        each.loose.put(attempt.copy(), to);
        each.datagram = Optional.of(sent);
        effects.sendDatagram(to, each.caller, attempt);
    }

    /** The same attempt once more, which is still one attempt. */
    private void sendAgain(OpenCall<C> each, SentDatagram sent, long nowMillis) {
        each.datagram = Optional.of(datagrams.again(sent, nowMillis));
        effects.sendDatagram(sent.member(), each.caller, sent.attempt());
    }

    private Attempt attempt(OpenCall<C> each, Delivery way, Now now) {
        ClientCall number = each.core.send(way, now.millis(), now.wallMillis());
        long copy = ++lastCopy;
        each.sendAtMillis = NEVER;
        copies.put(copy, each);
        // Another client's acknowledgements are not known here.
        boolean own = number.id().client().equals(session.id());
        return new Attempt(
                copy,
                number.id(),
                number.timestampMillis(),
                number.deadlineMillis(),
                each.oneway,
                own ? session.carry(now.millis()) : FinishedNumbers.NONE,
                each.body);
    }

    /** Silence: the members asked are left, and another is asked as well, if any other is to be had. */
    private void hedge(OpenCall<C> each, long nowMillis) {
        each.overdueAtMillis = nowMillis + attemptMillis;
        each.out.values().forEach(members::silent);
        each.loose.values().forEach(members::silent);
        if (!each.loose.isEmpty()) {
            datagrams.unanswered();
        }
        if (!(each.out.isEmpty() && each.loose.isEmpty())
                && each.core.mayHedge()
                && !each.out.containsValue(members.serving())
                && (each.needsConnection || !each.loose.containsValue(members.serving()))) {
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
                    effects.unknown(each.caller, each.core.id(), step.reason());
                } finally {
                    finish(each, step.kind());
                }
            }
        }
    }

    private void finish(OpenCall<C> each, Step.Kind outcome) {
        if (effects.isHandled(each.caller)) {
            each.core.finish(outcome);
        } else {
            unhandled.put(each.caller, new Ended(each.core, outcome));
        }
        wakeForSession();
    }

    private void end(OpenCall<C> each) {
        open.remove(each);
        each.out.keySet().forEach(copies::remove);
        each.loose.keySet().forEach(copies::remove);
    }

    private void forget(OpenCall<C> each, Long copy) {
        copies.remove(copy);
        each.out.remove(copy);
        each.loose.remove(copy);
        each.datagram = each.datagram.filter(sent -> sent.attempt().copy() != copy);
    }

    private void flushIfDue(long nowMillis) {
        if (!session.hasUnsentFinished()) {
            session.onFlushed();
        } else if (nowMillis >= session.flushAtMillis()) {
            if (acknowledge(nowMillis)) {
                session.onFlushed();
            } else {
                session.onFlushFailed(nowMillis);
                connect(members.serving(), nowMillis);
            }
        }
    }

    /** Returns whether acknowledgements could leave. If a datagram with them gets lost, the group forgets the calls at their deadlines. */
    private boolean acknowledge(long nowMillis) {
        int to = members.serving();
        if (members.isUp(to)) {
            effects.acknowledge(to, session.carry(nowMillis));
        } else if (datagrams.mayLeave(false, false)) {
            // Some member has answered, or there would be nothing to acknowledge: the wall clock is not asked.
            effects.acknowledgeByDatagram(to, session.stamp(nowMillis, 0), session.carry(nowMillis));
        } else {
            return false;
        }
        return true;
    }

    private void wakeForSession() {
        wakeAt(session.flushAtMillis());
        wakeAt(session.onewayAtMillis());
    }

    private void wake(OpenCall<C> each, long nowMillis) {
        wakeAt(nowMillis < each.core.endMillis() ? each.core.endMillis() : each.limitMillis());
        wakeAt(each.overdueAtMillis);
        each.datagram.ifPresent(sent -> wakeAt(sent.againAtMillis()));
        if (each.sendAtMillis > nowMillis) {
            wakeAt(each.sendAtMillis);
        }
    }

    private void wakeAt(long atMillis) {
        due = Math.min(due, atMillis);
    }
}
