package org.amo.replication;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.FirstDifference;
import org.amo.core.replica.Place;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ServantPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs this member after it diverged (docs/decisions/0085-divergence.md): tells where it differed first, takes the state of a member of the
 * majority, and ends; the next start goes on from that state. A service that offers no state is run anew from the log. Without a
 * majority it only tells.
 *
 * <p>The owner of the replica owns it.
 */
final class Repair {
    private static final Logger LOG = LoggerFactory.getLogger(Repair.class);
    private static final long ASK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_UNANSWERED = 10;

    private final ReplicaSettings settings;
    private final OrderedLog log;
    private final Replica replica;
    private final ServantPort servant;
    private final DivergenceNote note;
    private final LongSupplier nanos;
    private final Consumer<OrderedLogException> end;

    private Optional<Asking> asking = Optional.empty();
    private String dispute = "";

    /** Of the latest verdict on this member; 0 if it was repaired. */
    private long differsAt;

    private Optional<String> lost = Optional.empty();
    private boolean toldOfTimers;

    private static final class Asking {
        private final List<String> donors;
        private final long position;
        private int asked;
        /** Since a donor last said why it gives no state yet, if there is nothing to do but to wait. */
        private int unanswered;

        private long askedNanos;

        private Asking(List<String> donors, long position) {
            this.donors = donors;
            this.position = position;
        }
    }

    /**
     * @param nanos a monotonic clock
     * @param end ends this member, in one line for the operator
     */
    Repair(
            ReplicaSettings settings,
            OrderedLog log,
            Replica replica,
            ServantPort servant,
            DivergenceNote note,
            LongSupplier nanos,
            Consumer<OrderedLogException> end) {
        this.settings = settings;
        this.log = log;
        this.replica = replica;
        this.servant = servant;
        this.note = note;
        this.nanos = nanos;
        this.end = end;
    }

    /** An earlier process of this member may have diverged. Before the first delivery. */
    void begin() {
        differsAt = note.diverged().orElse(0L);
        showNote();
        if (note.diverged().isEmpty() && settings.divergence() != ReplicaSettings.Divergence.OFF) {
            // The snapshot that repaired it may be lost.
            replica.wasRepaired(note.mark());
        }
        note.diverged().ifPresent(mark -> {
            replica.distrust(mark);
            if (settings.divergence() == ReplicaSettings.Divergence.OFF) {
                String line = note.line()
                        + "; with --divergence off its state is not compared, so it answers no client: start"
                        + " all members with --divergence stop, or replace this one by a member with another id";
                replica.onDivergence(line, mark);
                LOG.error("member {} of group {} had diverged: {}", settings.id(), settings.group(), line);
            } else {
                LOG.warn(
                        "member {} of group {} had diverged, and serves again once its state is that of the majority",
                        settings.id(),
                        settings.group());
            }
        });
    }

    void onDiverged(long mark, List<String> majority) {
        tell(mark, mark, "differs from " + String.join(", ", majority) + " at position " + mark + " of the log");
        LOG.error(
                "member {} of group {} has diverged: its digest at position {} of the log is not that of {}; it answers no"
                        + " client any more",
                settings.id(),
                settings.group(),
                mark,
                majority);
    }

    void onFirstDifference(FirstDifference difference, List<String> majority) {
        String where = where(difference);
        tell(difference.mark(), position(difference), where);
        LOG.error(
                "member {} of group {} {}; it takes the state of {}", settings.id(), settings.group(), where, majority);
        asking = Optional.of(new Asking(majority, replica.position()));
        onTick();
    }

    /** This process cannot bring its state behind that position: it takes the state of another member, and ends. */
    void onStateLost(long position, String line) {
        replica.onDivergence(line, position);
        List<String> others = log.members().map(GroupMembers::members).orElse(settings.members()).stream()
                .map(Member::id)
                .filter(member -> !member.equals(settings.id()))
                .toList();
        lost = Optional.of(line);
        asking = Optional.of(new Asking(others, position));
        onTick();
    }

    /**
     * A member that was asked for its state gives none while timers of operations are pending there. A diverged member runs its log
     * anew once, since the cause may have been an accident. If it differs again, it asks on and waits. The core lets a member
     * go on that holds a request or a timer.
     */
    void onTimersPending(String donor) {
        String next;
        if (asking.isEmpty()) {
            next = "; else it soon runs again what it holds";
        } else if (note.hasReplayed()) {
            next = ", or start this member again, and it runs its log anew";
        } else {
            next = "; else it soon ends, and its next start runs its log anew";
        }
        String cause = "it waits for the state of another member: timers of operations are pending at member " + donor
                + ", and a timer cannot be in a snapshot; let timers of operations end" + next;
        asking.ifPresent(now -> {
            if (note.hasReplayed()) {
                now.unanswered = 0;
            }
            replica.onDivergence(lost.orElseGet(note::line) + "; " + cause, differsAt);
        });
        if (!toldOfTimers) {
            toldOfTimers = true;
            LOG.warn("member {} of group {}: {}", settings.id(), settings.group(), cause);
        }
    }

    private void tell(long mark, long at, String line) {
        differsAt = at;
        note.diverged(mark, line);
        showNote();
    }

    private void showNote() {
        replica.onDivergence(note.line(), differsAt);
    }

    private static long position(FirstDifference difference) {
        return difference.place().map(Place::position).orElse(difference.mark());
    }

    private String where(FirstDifference difference) {
        if (difference.place().isEmpty()) {
            return "differs first between positions " + difference.after() + " and " + difference.mark()
                    + " of the log, and no reply in its notes tells where";
        }
        String operation = difference
                .request()
                .map(request -> "operation " + name(servant.operation(request)) + ", request "
                        + request.id().number() + " of client " + request.id().client())
                .orElse("a request that it did not run");
        return "differs first" + (difference.earliest() ? "" : ", or earlier,") + " at position "
                + difference.place().get().position() + " of the log, " + operation;
    }

    private static String name(String operation) {
        return operation.isEmpty() ? "unknown" : "'" + operation + "'";
    }

    void onTrusted() {
        asking = Optional.empty();
        differsAt = 0;
        if (note.diverged().isPresent()) {
            note.repaired("was repaired; it had diverged: " + note.line());
        }
        showNote();
        LOG.warn("member {} of group {} is equal to the majority again, and serves", settings.id(), settings.group());
    }

    void onDisputed(long mark, String votes) {
        boolean stops = settings.divergence() == ReplicaSettings.Divergence.STOP;
        dispute = "no majority of the members has the same digest at position " + mark + " of the log (" + votes + ")"
                + (stops ? ", so the group takes no requests" : "")
                + "; find the member with the right state, and start the others with empty folders under new ids";
        replica.onDivergence(dispute, mark);
        LOG.error("group {}: {}", settings.group(), dispute);
    }

    /** Some time after {@link #onDisputed}. */
    void onFirstDisputed(FirstDifference difference, String other) {
        String where = where(difference);
        replica.onDivergence(dispute + "; compared with " + other + ", this member " + where, position(difference));
        LOG.error("member {} of group {}, compared with {}, {}", settings.id(), settings.group(), other, where);
    }

    void onAgreed() {
        showNote();
        LOG.warn("group {}: a majority of the members agrees again", settings.group());
    }

    void onTick() {
        // The state that it asks for ends this process, and the next one must know what happened.
        if (!note.keep() || asking.isEmpty()) {
            return;
        }
        Asking now = asking.get();
        if (now.asked > 0 && nanos.getAsLong() - now.askedNanos < ASK_EVERY_NANOS) {
            return;
        }
        if (now.unanswered == MOST_UNANSWERED
                || now.donors.isEmpty()
                || !log.takeStateOf(now.donors.get(now.asked % now.donors.size()), now.position)) {
            asking = Optional.empty();
            if (note.diverged().isPresent()) {
                note.replays();
            }
            end.accept(new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "member " + settings.id() + " of group " + settings.group() + " ends, since it "
                            + lost.orElseGet(note::line)
                            + ", and no other member gave it a state; start it again, and it runs its log anew"));
            return;
        }
        now.asked++;
        now.unanswered++;
        now.askedNanos = nanos.getAsLong();
    }
}
