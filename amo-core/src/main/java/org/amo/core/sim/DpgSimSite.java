package org.amo.core.sim;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.amo.core.dpg.Arc;
import org.amo.core.dpg.ContiguityDetector;
import org.amo.core.dpg.ContiguityDetector.Arrival;
import org.amo.core.dpg.DpgEffects;
import org.amo.core.dpg.DpgRule;
import org.amo.core.dpg.DpgSite;
import org.amo.core.dpg.Message;
import org.amo.core.dpg.OwnMessages;
import org.amo.core.dpg.Report;
import org.amo.core.dpg.SequencedReception;
import org.amo.core.dpg.Tag;
import org.amo.core.dpg.TagSequencer;
import org.jspecify.annotations.Nullable;

/** A process with a DPG site on the simulated medium: reception buffer, detector, core, application. */
final class DpgSimSite implements DpgEffects {
    private final SimWorld world;
    private final DpgCarrier medium;
    private final DpgLedger ledger;
    private final DpgSettings settings;
    private final int index;
    private final ArrayDeque<Received> buffer = new ArrayDeque<>();

    private @Nullable DpgSite core;
    private ContiguityDetector detector;
    private SequencedReception<DpgCarrier.Pdu> sequenced;
    private DpgLedger.@Nullable Segment segment;
    private Set<Tag> deliveredInLife = new HashSet<>();
    private long visibleInLife;
    private long life;
    private boolean disturbed;
    private boolean overwrote;
    private boolean fetching;
    private @Nullable Tag latest;
    private long frozenUntilMicros;
    private long slowUntilMicros;
    private long cutUntilMicros;
    private long patienceAtMicros;
    private long wakeMicros = Long.MAX_VALUE;

    private record Received(DpgCarrier.Pdu pdu, boolean own, boolean overwrote, long beganMicros, long endedMicros) {}

    DpgSimSite(SimWorld world, DpgCarrier medium, DpgLedger ledger, DpgSettings settings, int index) {
        this.world = world;
        this.medium = medium;
        this.ledger = ledger;
        this.settings = settings;
        this.index = index;
        this.detector = settings.detector();
        this.sequenced = newReception();
    }

    private SequencedReception<DpgCarrier.Pdu> newReception() {
        return new SequencedReception<>(
                DpgSequencedNetwork::proof,
                settings.patienceMicros(),
                256,
                new SequencedReception.Receiver<>() {
                    @Override
                    public void receive(DpgCarrier.Pdu pdu, boolean contiguous) {
                        takeInTurn(pdu, contiguous);
                    }

                    @Override
                    public void late(DpgCarrier.Pdu pdu) {
                        if (core != null && pdu.isMessage()) {
                            core.onLateMessage(pdu.message(), world.nowMicros());
                        }
                    }
                },
                settings.options().holds(DpgRule.GAP_IS_NOT_CONTIGUOUS));
    }

    /** A datagram came, in any order. */
    void arriveAnyhow(long nonce, DpgCarrier.Pdu pdu) {
        whenRunning(() -> sequenced.onPdu(nonce, pdu, pdu.isMessage(), world.nowMicros()));
    }

    void arriveNumbered(TagSequencer.Numbered numbered) {
        whenRunning(() -> sequenced.onNumbered(numbered, world.nowMicros()));
    }

    private void whenRunning(Runnable action) {
        long ofLife = life;
        if (core != null && isFrozen()) {
            world.at(frozenUntilMicros, () -> inLife(ofLife, action));
        } else {
            inLife(ofLife, action);
        }
    }

    private void inLife(long ofLife, Runnable action) {
        if (core == null || ofLife != life) {
            return;
        }
        action.run();
        wake();
        long deadline = sequenced.nextDeadline();
        if (deadline < Long.MAX_VALUE && patienceAtMicros <= world.nowMicros()) {
            patienceAtMicros = Math.max(deadline, world.nowMicros() + 1);
            world.at(patienceAtMicros, () -> whenRunning(() -> sequenced.onTick(world.nowMicros())));
        }
    }

    private void takeInTurn(DpgCarrier.Pdu pdu, boolean contiguous) {
        if (core == null) {
            return;
        }
        if (pdu.isMessage()) {
            check(pdu.message(), contiguous);
            core.onMessage(pdu.message(), contiguous, world.nowMicros());
        } else {
            core.onReport(pdu.report(), world.nowMicros());
        }
    }

    private void check(Message message, boolean contiguous) {
        if (contiguous && latest != null) {
            settings.inferred();
            if (!medium.contiguous(latest, message.tag())) {
                throw new SimViolationException(
                        DpgLedger.FALSE_CONTIGUITY, this + ": " + latest + " => " + message.tag());
            }
        }
        latest = message.tag();
    }

    int index() {
        return index;
    }

    long life() {
        return life;
    }

    boolean isUp() {
        return core != null;
    }

    boolean isFrozen() {
        return world.nowMicros() < frozenUntilMicros;
    }

    boolean isCut() {
        return world.nowMicros() < cutUntilMicros;
    }

    /** Whether anything kept it from the group, ever. */
    boolean wasDisturbed() {
        return disturbed || (core != null && core.counters().returns() > 0);
    }

    @Nullable
    DpgSite core() {
        return core;
    }

    DpgLedger.@Nullable Segment segment() {
        return segment;
    }

    void start() {
        life++;
        detector = settings.detector();
        buffer.clear();
        overwrote = true;
        latest = null;
        sequenced = newReception();
        patienceAtMicros = 0;
        deliveredInLife = new HashSet<>();
        visibleInLife = 0;
        core = new DpgSite(settings.options(), world::bits, this, world.nowMicros());
        wake();
    }

    void crash() {
        disturbed = true;
        core = null;
        segment = null;
        frozenUntilMicros = 0;
        buffer.clear();
        medium.drop(this);
    }

    void freeze(long micros) {
        disturbed = true;
        frozenUntilMicros = world.nowMicros() + micros;
    }

    void cut(long micros) {
        disturbed = true;
        cutUntilMicros = world.nowMicros() + micros;
    }

    void slow(long micros) {
        slowUntilMicros = world.nowMicros() + micros;
    }

    void heal() {
        cutUntilMicros = 0;
        slowUntilMicros = 0;
    }

    boolean submit(byte[] body) {
        if (core == null || isFrozen()) {
            return false;
        }
        boolean taken = core.submit(body, world.nowMicros());
        wake();
        return taken;
    }

    /** A PDU did not come. A cut is something an interface notices; a loss is not. */
    void miss(boolean noticed) {
        overwrote |= noticed;
    }

    void arrive(DpgCarrier.Pdu pdu, long beganMicros) {
        if (core == null) {
            return;
        }
        boolean own = pdu.from() == this;
        if (own && settings.ownMessages() == OwnMessages.MISSED) {
            // The interface does not receive while it transmits.
            overwrote |= pdu.isMessage();
            return;
        }
        if (buffer.size() >= settings.receptionBuffers()) {
            world.fault("PDU overwritten");
            overwrote = true;
            buffer.removeLast();
        }
        buffer.add(new Received(pdu, own, overwrote, beganMicros, world.nowMicros()));
        overwrote = false;
        fetchLater();
    }

    private void fetchLater() {
        if (fetching || buffer.isEmpty() || core == null) {
            return;
        }
        fetching = true;
        long ofLife = life;
        boolean slow = world.nowMicros() < slowUntilMicros;
        long at = world.nowMicros() + (slow ? 20 : 1) * settings.fetchMicros();
        world.at(Math.max(at, frozenUntilMicros), () -> fetch(ofLife));
    }

    private void fetch(long ofLife) {
        fetching = false;
        if (core == null || ofLife != life || buffer.isEmpty()) {
            fetchLater();
            return;
        }
        if (isFrozen()) {
            fetchLater();
            return;
        }
        take(core, buffer.remove());
        wake();
        fetchLater();
    }

    private void take(DpgSite site, Received received) {
        DpgCarrier.Pdu pdu = received.pdu;
        boolean hidden = received.own && settings.ownMessages() == OwnMessages.SUSPENDED;
        boolean contiguous = detector.onReception(new Arrival(
                pdu.isMessage() && !hidden,
                received.overwrote,
                pdu.sentMicros(),
                received.beganMicros,
                received.endedMicros));
        if (hidden) {
            return;
        }
        if (!pdu.isMessage()) {
            site.onReport(pdu.report(), world.nowMicros());
            return;
        }
        Message message = pdu.message();
        check(message, contiguous && settings.ownMessages() != OwnMessages.SUSPENDED);
        if (world.tracing()) {
            world.trace(this + " received " + message.tag() + (contiguous ? " contiguous" : ""));
        }
        site.onMessage(message, contiguous, world.nowMicros());
    }

    private void wake() {
        if (core == null) {
            return;
        }
        long at = Math.max(core.nextDeadline(), world.nowMicros() + 1);
        if (at < wakeMicros) {
            wakeMicros = at;
            long ofLife = life;
            world.at(at, () -> tick(at, ofLife));
        }
    }

    private void tick(long at, long ofLife) {
        if (wakeMicros == at) {
            wakeMicros = Long.MAX_VALUE;
        }
        if (core == null || ofLife != life) {
            return;
        }
        if (isFrozen()) {
            world.at(frozenUntilMicros, () -> tick(at, ofLife));
            return;
        }
        if (world.nowMicros() >= core.nextDeadline()) {
            core.onTick(world.nowMicros());
        }
        wake();
    }

    void checkVisible() {
        if (core != null && core.counters().delivered() + core.counters().dummies() != visibleInLife) {
            throw new SimViolationException(
                    DpgLedger.SILENT,
                    this + ": the application saw " + visibleInLife + " of "
                            + core.counters().delivered() + " messages and "
                            + core.counters().dummies() + " dummies");
        }
    }

    @Override
    public void multicast(Message message) {
        ledger.onSent(message.tag(), message.body());
        if (world.tracing()) {
            world.trace(this + " sends " + message.tag());
        }
        medium.send(this, message, settings.bytes(message));
    }

    @Override
    public void multicast(Report report) {
        if (world.tracing()) {
            world.trace(this + " reports " + describe(report));
        }
        report.arcs().forEach(arc -> checkTrue(arc));
        medium.send(this, report, settings.bytes(report));
    }

    /** Observation 1, on every graph that is told: a mark is true of the medium. */
    private void checkTrue(Arc arc) {
        long from = medium.place(arc.from());
        long to = medium.place(arc.to());
        // An arc that is not marked may follow from a forced choice: then it is agreed, not true.
        if (from >= 0 && to >= 0 && arc.marked() && from + 1 != to) {
            throw new SimViolationException(
                    DpgLedger.UNTRUE, this + " tells " + arc + ", sent as " + from + " and " + to);
        }
    }

    private static String describe(Report report) {
        return report.anchored()
                ? "up to " + report.latestDeliverable() + ", graph " + report.arcs() + ", lost " + report.lost()
                        + ", bodies " + report.bodies().size()
                : "that it listens";
    }

    @Override
    public void beginSegment(Tag after) {
        segment = ledger.begin(this, core == null ? 0 : core.origin(), after);
        if (world.tracing()) {
            world.trace(this + " begins after " + after);
        }
    }

    @Override
    public void deliver(Tag tag, byte[] body) {
        visibleInLife++;
        if (segment == null) {
            throw new SimViolationException(DpgLedger.BROKE, this + " delivers outside a segment");
        }
        if (world.tracing()) {
            world.trace(this + " delivers " + tag);
        }
        ledger.onDelivered(segment, deliveredInLife, tag, body);
    }

    @Override
    public void deliverDummy(Tag tag) {
        visibleInLife++;
        if (segment == null) {
            throw new SimViolationException(DpgLedger.BROKE, this + " delivers outside a segment");
        }
        if (world.tracing()) {
            world.trace(this + " delivers a dummy for " + tag);
        }
        ledger.onDummy(segment, deliveredInLife, tag);
    }

    @Override
    public void undetermined(Message own) {
        if (world.tracing()) {
            world.trace(this + " does not know what became of " + own.tag());
        }
    }

    @Override
    public String toString() {
        return "s" + index;
    }
}
