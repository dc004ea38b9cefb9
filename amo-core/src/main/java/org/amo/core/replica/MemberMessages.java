package org.amo.core.replica;

import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.replica.PeerMessage.Results;
import org.amo.core.replica.PeerMessage.Settings;
import org.amo.core.replica.PeerMessage.TimersPending;
import org.amo.core.replica.PeerMessage.Trail;
import org.amo.core.replica.PeerMessage.TrailQuestion;
import org.amo.core.replica.PeerMessage.WallClock;

/**
 * Takes each message of another member to the part that it is for, and tells the other members the wall clock of this one, every second.
 * Volatile; one thread owns it.
 */
final class MemberMessages {
    private static final long CLOCK_REPORT_EVERY_MILLIS = 1_000;

    private final String self;
    private final ReplicaEffects effects;
    private final ReplicaCounters counters;
    private final GroupState group;
    private final HeldRequests held;
    private final DivergenceMarks marks;
    private final OperationFacts facts;
    private final EqualSettings settings;
    private final Submitter submitter;

    private List<String> members;
    private long nextClockReportMillis = Long.MIN_VALUE;

    MemberMessages(
            ReplicaOptions options,
            ReplicaEffects effects,
            ReplicaCounters counters,
            GroupState group,
            HeldRequests held,
            DivergenceMarks marks,
            OperationFacts facts,
            EqualSettings settings,
            Submitter submitter) {
        this.self = options.id();
        this.effects = effects;
        this.counters = counters;
        this.group = group;
        this.held = held;
        this.marks = marks;
        this.facts = facts;
        this.settings = settings;
        this.submitter = submitter;
        this.members = options.members();
    }

    void onMembers(List<String> now) {
        members = now;
    }

    void onMessage(String member, byte[] bytes, long nowMillis) {
        PeerMessage message;
        try {
            message = PeerMessage.decode(bytes);
        } catch (MalformedFrameException e) {
            counters.malformedMessage();
            return;
        }
        settings.onHeard(member, nowMillis);
        facts.onHeard(member, nowMillis);
        if (message instanceof WallClock reported && members.contains(member)) {
            group.clock().onWallClock(member, reported.wallMillis(), nowMillis);
        } else if (message instanceof Results results) {
            submitter.onResults(results, nowMillis);
        } else if (message instanceof TrailQuestion question && members.contains(member)) {
            marks.onQuestion(member, question);
        } else if (message instanceof Trail trail) {
            marks.onTrail(member, trail);
        } else if (message instanceof Settings told) {
            settings.onSettings(member, told, nowMillis);
        } else if (message instanceof TimersPending && members.contains(member)) {
            held.onTimersPending(member);
            effects.timersPending(member);
        }
    }

    /** @param wall this machine's clock */
    void onTick(long nowMillis, long wall) {
        boolean due = nowMillis >= nextClockReportMillis;
        if (due) {
            nextClockReportMillis = nowMillis + CLOCK_REPORT_EVERY_MILLIS;
        }
        if (!WallClock.isPossible(wall)) {
            return;
        }
        group.clock().onWallClock(self, wall, nowMillis);
        if (due) {
            byte[] report = new WallClock(wall).encode();
            members.stream().filter(member -> !member.equals(self)).forEach(member -> effects.send(member, report));
        }
    }
}
