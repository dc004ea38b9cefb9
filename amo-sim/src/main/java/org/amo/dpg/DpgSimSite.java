package org.amo.dpg;

import java.util.HashSet;
import java.util.Set;
import org.amo.dpg.ContiguityDetector.Arrival;
import org.amo.dpg.Report.SiteStatus;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.jspecify.annotations.Nullable;

/** A process with a DPG site on the simulated medium: reception buffer, detector, core, application. */
final class DpgSimSite implements DpgEffects {
    private final SimWorld world;
    private final DpgCarrier medium;
    private final DpgLedger ledger;
    private final DpgSettings settings;
    private final int index;
    private final DpgSimClock clock;
    private final DpgReceptionBuffer buffer;
    private final DpgUnions unions = new DpgUnions(this);

    private @Nullable DpgSite core;
    private ContiguityDetector detector;
    private DpgDatagrams datagrams;
    private DpgLedger.@Nullable Segment segment;
    private Set<Tag> deliveredInLife = new HashSet<>();
    private long visibleInLife;
    private long life;
    private boolean disturbed;
    private @Nullable Tag latest;
    private long frozenUntilMicros;
    private long stoodStillMicros;
    private long cutUntilMicros;
    private long patienceAtMicros;
    private long wakeMicros = Long.MAX_VALUE;

    DpgSimSite(
            SimWorld world, DpgCarrier medium, DpgLedger ledger, DpgSettings settings, int index, DpgSimClock clock) {
        this.world = world;
        this.medium = medium;
        this.ledger = ledger;
        this.settings = settings;
        this.index = index;
        this.clock = clock;
        this.buffer = new DpgReceptionBuffer(world, settings, this);
        this.detector = settings.detector();
        this.datagrams = newDatagrams();
        ledger.contact().attach(this);
    }

    private DpgDatagrams newDatagrams() {
        return new DpgDatagrams(medium, settings, new SequencedReception.Receiver<>() {
            @Override
            public void receive(DpgCarrier.Pdu pdu, boolean contiguous) {
                takeInTurn(pdu, contiguous);
            }

            @Override
            public void late(DpgCarrier.Pdu pdu) {
                if (core != null && pdu.isMessage()) {
                    core.onLateMessage(pdu.message(), clock.nowMicros());
                }
            }
        });
    }

    /** A datagram came, in any order. */
    void arriveAnyhow(long nonce, DpgCarrier.Pdu pdu) {
        whenRunning(life, () -> datagrams.onPdu(nonce, pdu, world.nowMicros()));
    }

    void arriveNumbered(TagSequencer.Numbered numbered) {
        whenRunning(life, () -> datagrams.onNumbered(numbered, world.nowMicros()));
    }

    /** A datagram came that tells when it was sent. */
    void arriveTimed(DpgCarrier.Pdu pdu) {
        whenRunning(life, () -> datagrams.onTimed(pdu, world.nowMicros()));
    }

    private void whenRunning(long ofLife, Runnable action) {
        if (core != null && isFrozen()) {
            // It may have been stopped again by then.
            world.at(frozenUntilMicros, () -> whenRunning(ofLife, action));
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
        long deadline = datagrams.nextDeadline();
        if (deadline < Long.MAX_VALUE && (patienceAtMicros <= world.nowMicros() || deadline < patienceAtMicros)) {
            patienceAtMicros = Math.max(deadline, world.nowMicros() + 1);
            world.at(patienceAtMicros, () -> tickDatagrams(ofLife));
        }
    }

    /** A process that stood still reads the datagrams that have come, before its timers run. */
    private void tickDatagrams(long ofLife) {
        if (isFrozen()) {
            world.at(frozenUntilMicros + 1, () -> tickDatagrams(ofLife));
        } else {
            inLife(ofLife, () -> datagrams.onTick(world.nowMicros()));
        }
    }

    private void takeInTurn(DpgCarrier.Pdu pdu, boolean contiguous) {
        if (core == null) {
            return;
        }
        if (pdu.isMessage()) {
            check(pdu.message(), contiguous);
            takeMessage(core, pdu, contiguous);
        } else {
            takeReport(core, pdu);
        }
    }

    private void takeMessage(DpgSite site, DpgCarrier.Pdu pdu, boolean contiguous) {
        hear(pdu);
        site.onMessage(pdu.message(), contiguous, clock.nowMicros());
        hear(pdu);
    }

    private void takeReport(DpgSite site, DpgCarrier.Pdu pdu) {
        if (pdu.from() != this) {
            ledger.contact().take(this, pdu.report(), pdu.sentMicros());
        }
        hear(pdu);
        site.onReport(pdu.report(), clock.nowMicros());
        hear(pdu);
        if (pdu.from() != this) {
            unions.take(site, pdu.report());
        }
    }

    /** Before the core takes it, since the core may draw its conclusions at once; and after, when the core knows the time. */
    private void hear(DpgCarrier.Pdu pdu) {
        if (pdu.from() != this && pdu.life() == pdu.from().life()) {
            ledger.contact().hear(this, pdu.from());
        }
    }

    private void check(Message message, boolean contiguous) {
        if (contiguous && latest != null) {
            boolean isTrue = medium.contiguous(latest, message.tag());
            ledger.figures().onInference(isTrue);
            if (!isTrue && !medium.mayBeWrong()) {
                throw new SimViolationException(
                        DpgLedger.FALSE_CONTIGUITY, this + ": " + latest + " => " + message.tag());
            }
            if (!isTrue) {
                medium.onWrong();
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

    long frozenUntilMicros() {
        return frozenUntilMicros;
    }

    /** Whether anything kept it from the group, ever. */
    boolean wasDisturbed() {
        return disturbed || (core != null && core.counters().returns() > 0);
    }

    @Nullable
    DpgSite core() {
        return core;
    }

    /** Whether its process runs and has a place in the order. */
    boolean isPlaced() {
        return core != null && core.isAnchored();
    }

    /** Whether its place is in a spell of this origin. */
    boolean isOf(long origin) {
        return core != null && core.origin() == origin;
    }

    /** Whether its process has the message in its order. */
    boolean has(Tag tag) {
        return core != null && core.isAnchored() && core.isIncorporated(tag);
    }

    /** For how long its process has run, as its cycles count the time, pauses left out. */
    long ranMicros() {
        return core == null ? 0 : core.paceMicros() - stoodStillMicros;
    }

    /** Whether other sites take it for gone after so long. */
    boolean isAbsence(long micros) {
        return micros >= settings.options().absenceMicros();
    }

    DpgLedger.@Nullable Segment segment() {
        return segment;
    }

    private void trace(String what) {
        world.trace(() -> this + " " + what);
    }

    void start() {
        life++;
        detector = settings.detector();
        buffer.start();
        latest = null;
        datagrams = newDatagrams();
        patienceAtMicros = 0;
        deliveredInLife = new HashSet<>();
        visibleInLife = 0;
        core = MutantDpgSite.site(
                settings.rules(),
                settings.options(),
                world::bits,
                this,
                () -> ledger.contact().onForce(this),
                clock.nowMicros());
        stoodStillMicros = 0;
        ledger.contact().onStart(this);
        trace("starts as " + Long.toHexString(core.origin()));
        wake();
    }

    void crash() {
        disturbed = true;
        trace("crashes");
        countCore();
        core = null;
        ledger.contact().lose(this, world.nowMicros());
        segment = null;
        frozenUntilMicros = 0;
        buffer.drop();
        medium.drop(this);
    }

    /** Adds the core's counters to the figures of the run. */
    void countCore() {
        if (core != null) {
            ledger.figures().onEnd(core.counters());
        }
    }

    void freeze(long micros) {
        disturbed = true;
        // A stop that ends before an earlier one does not wake the process: what came since waits for the end of that
        // one.
        long until = Math.max(frozenUntilMicros, world.nowMicros() + micros);
        stoodStillMicros += until - Math.max(frozenUntilMicros, world.nowMicros());
        frozenUntilMicros = until;
        trace("stands still for " + micros + " us");
        ledger.contact().lose(this, frozenUntilMicros);
    }

    void cut(long micros) {
        disturbed = true;
        cutUntilMicros = world.nowMicros() + micros;
        trace("is cut off for " + micros + " us");
        ledger.contact().lose(this, cutUntilMicros);
    }

    void slow(long micros) {
        buffer.slow(micros);
    }

    void heal() {
        cutUntilMicros = 0;
        buffer.heal();
        ledger.contact().heal();
    }

    boolean submit(byte[] body) {
        if (core == null || isFrozen()) {
            return false;
        }
        boolean taken = core.submit(body, clock.nowMicros());
        wake();
        return taken;
    }

    /** A PDU did not come. A cut is something an interface notices; a loss is not. */
    void miss(boolean noticed) {
        buffer.miss(noticed);
    }

    void arrive(DpgCarrier.Pdu pdu, long beganMicros) {
        buffer.arrive(pdu, beganMicros);
    }

    /** A PDU was fetched from the reception buffer. */
    void take(DpgReceptionBuffer.Received received) {
        if (core != null) {
            take(core, received);
            wake();
        }
    }

    private void take(DpgSite site, DpgReceptionBuffer.Received received) {
        DpgCarrier.Pdu pdu = received.pdu();
        boolean hidden = received.own() && settings.ownMessages() == OwnMessages.SUSPENDED;
        boolean contiguous = detector.onReception(new Arrival(
                pdu.isMessage() && !hidden,
                received.overwrote(),
                pdu.sentMicros(),
                received.beganMicros(),
                received.endedMicros()));
        if (hidden) {
            return;
        }
        if (!pdu.isMessage()) {
            takeReport(site, pdu);
            return;
        }
        Message message = pdu.message();
        check(message, contiguous && settings.ownMessages() != OwnMessages.SUSPENDED);
        world.trace(() -> this + " received " + message.tag() + (contiguous ? " contiguous" : ""));
        takeMessage(site, pdu, contiguous);
    }

    private void wake() {
        if (core == null) {
            return;
        }
        long at = Math.max(clock.toWorld(core.nextDeadline()), world.nowMicros() + 1);
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
        if (clock.nowMicros() >= core.nextDeadline()) {
            core.onTick(clock.nowMicros());
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
        world.trace(() -> this + " sends " + message.tag());
        medium.send(this, message, DpgCodec.encode(message).length);
    }

    @Override
    public void multicast(Report report) {
        world.trace(() -> this + " reports " + describe(report));
        report.arcs().forEach(arc -> checkTrue(arc));
        if (core != null && segment != null && medium.isExact()) {
            unions.told(core, report, segment.after);
        }
        medium.send(this, report, DpgCodec.encode(report).length);
    }

    /** Observation 1, on every graph that is told: a mark is true of the medium. */
    private void checkTrue(Arc arc) {
        // An arc that is not marked may follow from a forced choice: then it is agreed, not true.
        if (!arc.marked() || !medium.isExact()) {
            return;
        }
        long from = medium.place(arc.from());
        long to = medium.place(arc.to());
        if (from >= 0 && to >= 0 && from + 1 != to) {
            throw new SimViolationException(
                    DpgLedger.UNTRUE, this + " tells " + arc + ", sent as " + from + " and " + to);
        }
    }

    private static String describe(Report report) {
        return report.anchored()
                ? (report.standing() == SiteStatus.ALONE ? "alone " : "") + "up to " + report.latestDeliverable()
                        + ", graph " + report.arcs() + ", lost " + report.lost() + ", bodies "
                        + report.bodies().size()
                : "that it listens";
    }

    @Override
    public void beginSegment(Tag after) {
        segment = ledger.begin(this, core == null ? 0 : core.origin(), after);
        unions.begin();
        world.trace(() -> this + " begins after " + after);
    }

    @Override
    public void deliver(Tag tag, byte[] body) {
        visibleInLife++;
        if (segment == null) {
            throw new SimViolationException(DpgLedger.BROKE, this + " delivers outside a segment");
        }
        world.trace(() -> this + " delivers " + tag);
        ledger.onDelivered(segment, deliveredInLife, tag, body);
    }

    @Override
    public void deliverDummy(Tag tag) {
        visibleInLife++;
        if (segment == null) {
            throw new SimViolationException(DpgLedger.BROKE, this + " delivers outside a segment");
        }
        world.trace(() -> this + " delivers a dummy for " + tag);
        ledger.onDummy(segment, deliveredInLife, tag);
    }

    @Override
    public void undetermined(Message own) {
        world.trace(() -> this + " does not know what became of " + own.tag());
    }

    @Override
    public String toString() {
        return "s" + index;
    }
}
