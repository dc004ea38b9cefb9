package org.amo.core.replica;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.amo.base.OperationAgent;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;
import org.amo.base.observe.TimeHistogram;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;

/**
 * One member for monitoring, from before it joins its group until after it has left. Any thread. A status is at most a second away, as
 * {@link ReplicatedService#status} promises; readiness needs one, liveness does not.
 */
public final class ObservedReplica implements Observed {
    /** Entries that may be delivered and not executed. A member that replays its log has more of them until it has caught up. */
    private static final long MOST_BEHIND = 1_000;

    private final String group;
    private final String id;
    private final List<Member> founders;
    private final Peers peers;
    private final Supplier<Optional<ReplicatedService>> replica;
    private volatile Optional<String> left = Optional.empty();

    /** The way to the other members. */
    @FunctionalInterface
    public interface Peers {
        /** How long one question may take. */
        int TIMEOUT_MILLIS = 500;

        /**
         * The status of a member, as JSON; waits for it. Asked by one thread at a time.
         *
         * @throws AdministrationException if there is no answer
         */
        String status(Member member) throws AdministrationException;
    }

    /**
     * One member.
     *
     * @param founders the members while the group tells no other ones
     * @param replica empty while it joins; must not wait
     * @param peers asked while a page of the group is open
     */
    public ObservedReplica(
            String group,
            String id,
            List<Member> founders,
            Supplier<Optional<ReplicatedService>> replica,
            Peers peers) {
        this.group = group;
        this.id = id;
        this.founders = List.copyOf(founders);
        this.replica = replica;
        this.peers = peers;
    }

    /** The member stops, or has ended: from now on it is not ready. The first reason stays. */
    public void leaves(String why) {
        if (left.isEmpty()) {
            left = Optional.of(why);
        }
    }

    @Override
    public String kind() {
        return "replica";
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public List<Reading> readings() {
        Optional<ReplicaStatus> status = status();
        List<Reading> all = new ArrayList<>();
        long ready = readiness(status).isReady() ? 1 : 0;
        all.add(Reading.gauge("amo_replica_ready", ready, "Whether this member serves"));
        all.addAll(ReplicaReadings.of(status.orElseGet(this::beforeItJoins)));
        all.addAll(times(ReplicatedService::commitTimes)
                .readings("amo_replica_commit_seconds", "Time from the submission of an entry to its delivery here"));
        all.addAll(times(ReplicatedService::replyTimes)
                .readings("amo_replica_reply_seconds", "Time from the arrival of an attempt to its answer"));
        all.add(Reading.gauge(
                "amo_replica_pending_timers",
                OperationAgent.pendingTimers(),
                "Timers of operations that have not fired"));
        all.add(Reading.gauge(
                "amo_replica_uninstrumented_classes",
                OperationAgent.classesLeft(),
                "Classes that the agent of deterministic execution left as they are"));
        return all;
    }

    private TimeHistogram times(Function<ReplicatedService, TimeHistogram> kind) {
        return replica.get().map(kind).orElseGet(TimeHistogram::new);
    }

    private Optional<ReplicaStatus> status() {
        return replica.get().map(ReplicatedService::status);
    }

    private ReplicaStatus beforeItJoins() {
        return new ReplicaStatus(
                id, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of(), 0, Map.of(), Map.of(), 0, 0,
                0, 0, 0, 0, 0, "", "", "", 0, 0, 0, 0, 0, "", "", "", 1, Map.of(), Map.of());
    }

    @Override
    public String statusJson() {
        // An id has letters, digits, '-' and '_' alone.
        return status().map(ObservedReplica::json).orElse("{\"id\":\"" + id + "\"}");
    }

    @Override
    public Map<String, Optional<String>> statuses() {
        List<Member> members = replica.get()
                .flatMap(ReplicatedService::members)
                .map(GroupMembers::members)
                .orElse(founders);
        Map<String, Optional<String>> statuses = new LinkedHashMap<>();
        for (Member member : members) {
            statuses.put(member.id(), member.id().equals(id) ? Optional.of(statusJson()) : ask(member));
        }
        // One that joins, or was removed, is not among them.
        statuses.computeIfAbsent(id, here -> Optional.of(statusJson()));
        return statuses;
    }

    private Optional<String> ask(Member member) {
        try {
            return Optional.of(peers.status(member));
        } catch (AdministrationException unheard) {
            return Optional.empty();
        }
    }

    /** A status as one JSON object, with the numbers of this process. */
    public static String json(ReplicaStatus status) {
        return StatusJson.write(
                status,
                Map.of(
                        "pendingTimers",
                        OperationAgent.pendingTimers(),
                        "uninstrumentedClasses",
                        OperationAgent.classesLeft()));
    }

    @Override
    public Readiness readiness() {
        return readiness(status());
    }

    private Readiness readiness(Optional<ReplicaStatus> status) {
        Optional<String> stops = left;
        if (stops.isPresent()) {
            return Readiness.not("the member stops, or has ended: " + stops.get());
        }
        return status.map(ObservedReplica::readiness).orElseGet(() -> Readiness.not("it has not joined its group yet"));
    }

    /** The gravest reason first. */
    private static Readiness readiness(ReplicaStatus now) {
        if (!now.trouble().isEmpty()) {
            return Readiness.not(now.trouble());
        }
        if (now.divergedAt() > 0) {
            return Readiness.not("it differs from the other members: " + now.divergence());
        }
        if (now.leader().isEmpty()) {
            return Readiness.not("no leader is known");
        }
        if (now.orderedTimeMillis() == 0) {
            return Readiness.not("its group has not begun");
        }
        long behind = now.position() - now.executedPosition();
        return behind > MOST_BEHIND
                ? Readiness.not("it is behind: " + behind + " entries of the log are delivered and not executed yet")
                : Readiness.READY;
    }
}
