package org.amo.dpg;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A site of DPG (Konorski, section 4): DPG-n with all its subprotocols.
 *
 * <p><b>Promises.</b> Quasi order: sites that are present deliver the same messages in the same order, except in rare
 * scenarios, in which Deliv_Cycle passes before all of them know the same successors. There is no membership view and no
 * agreement on one, and no site waits for a site that has gone. A site that comes back delivers a contiguous segment of the
 * common sequence from then on ({@link DpgEffects#beginSegment}). A message is delivered at most once in the life of a
 * process. A body that no present site has is delivered as a dummy. Nothing is durable.
 *
 * <p><b>The network</b> is the 1C service with ContiguityDetector of section 3: the caller of {@link #onMessage} and
 * {@link #onReport} passes PDUs in an order that contradicts the order at no other site, and passes the inferences of its
 * detector. Messages and reports share that order.
 *
 * <p>One thread owns it. Inputs take the time, in microseconds of a monotonic clock; {@link #onTick} must be called no later
 * than {@link #nextDeadline}: a delay beyond Report_Cycle counts as a pause of this site. Memory is bounded by
 * {@link DpgOptions}.
 *
 * <p>This class has the inputs and the deadlines. A {@link Spell} processes them: {@link Reception} of messages and
 * {@link ReportIntake} of reports build the graph, {@link Incorporation} and {@link LocalDelivery} derive the order,
 * {@link PayloadBuffers} and {@link Recovery} manage the bodies, {@link Heartbeat} times the reports, and {@link Listening} brings a
 * site back.
 */
public class DpgSite {
    private final DpgOptions options;
    private final DpgEffects effects;
    private final LongSupplier origins;
    private final SiteContext life;
    private final CycleClock pace;
    /** Taken from the application and not sent. */
    private final ArrayDeque<byte[]> admitted = new ArrayDeque<>();

    private Spell spell;
    private long inputMicros;

    /**
     * A site that starts: it listens for others, and begins a sequence of its own if there are none.
     *
     * @param origins gives a random number, not 0, for each presence spell; a number must never come twice in a group
     */
    public DpgSite(DpgOptions options, LongSupplier origins, DpgEffects effects, long nowMicros) {
        this(options, origins, effects, new SpellParts(), nowMicros);
    }

    DpgSite(DpgOptions options, LongSupplier origins, DpgEffects effects, SpellParts parts, long nowMicros) {
        this.options = options;
        this.effects = effects;
        this.origins = origins;
        this.life = new SiteContext(options, effects, parts, nowMicros);
        this.pace = new CycleClock(options.messageMicros(), options.idleMicros(), nowMicros);
        this.spell = new Spell(life, origins.getAsLong(), Long.MIN_VALUE, nowMicros);
        this.inputMicros = nowMicros;
    }

    /** The origin of the tags of this site's messages in this presence spell. */
    public long origin() {
        return spell.knowledge.origin;
    }

    /** Whether it is an origin of this site: of its present spell, or of one of the last before. Effects may ask, too. */
    public boolean isOwn(long origin) {
        return origin == origin() || life.isFormer(origin);
    }

    /** Whether the site has a place in the common sequence; until then nothing is sent or delivered. */
    public boolean isAnchored() {
        return spell.isAnchored();
    }

    /**
     * Whether a site that was heard lately counts here as following the same sequence: only then are its reports united with
     * this site's graph. If the orders of the two sites diverged, they stay apart until one of them begins anew.
     */
    public boolean isInSyncWith(long origin) {
        return spell.sites.isInSync(origin);
    }

    public DpgCounters counters() {
        return life.counters;
    }

    /** Vertices of G that are not incorporated. */
    public int vertices() {
        return spell.knowledge.vertices();
    }

    /** Vertices and arcs of G from L_DELIV on. */
    List<Arc> arcs() {
        return spell.knowledge.graph.arcs();
    }

    boolean isIncorporated(Tag tag) {
        return spell.knowledge.isIncorporated(tag);
    }

    long messageCycleMicros() {
        return life.flow.cycleMicros();
    }

    int bodies() {
        return spell.bodies.ofOthers();
    }

    /** The time that this site's cycles run by. */
    long paceMicros() {
        return pace.micros();
    }

    /**
     * Takes a message of the application.
     *
     * @return false if the admission buffers are full; then nothing was done
     * @throws IllegalArgumentException if it is too long
     */
    public boolean submit(byte[] body, long nowMicros) {
        if (body.length > options.maxBodyBytes()) {
            throw new IllegalArgumentException(
                    "a body has at most " + options.maxBodyBytes() + " bytes: " + body.length);
        }
        long now = enter(nowMicros);
        if (admitted.size() + spell.bodies.inFlightCount() >= options.admissionBuffers()
                || admitted.size() + spell.bodies.ownCount() >= options.keptBuffers()) {
            return false;
        }
        admitted.add(body);
        send(now);
        return true;
    }

    /**
     * A 'message' PDU was received.
     *
     * @param contiguous whether the detector infers that nothing was sent between this message and the one received before it
     */
    public void onMessage(Message message, boolean contiguous, long nowMicros) {
        long now = enter(nowMicros);
        if (pace.countsMessages()) {
            now = pace.onMessage();
            inputMicros = now;
        }
        if (spell.reception.onMessage(message, contiguous, now)) {
            proceed(now);
        }
        if (pace.countsMessages()) {
            // Whether the clock ticks or not.
            onTime(now);
        }
    }

    /** A 'message' PDU came out of its turn: only its body is of use. */
    public void onLateMessage(Message message, long nowMicros) {
        long now = enter(nowMicros);
        spell.recovery.onRemulticast(message);
        proceed(now);
    }

    /** A 'report' PDU was received, in its place among the messages. */
    public void onReport(Report report, long nowMicros) {
        long now = enter(nowMicros);
        if (isOwn(report.origin())) {
            return;
        }
        IncorporatedOrder order = spell.knowledge.order;
        Sites.Site site = spell.sites.heard(report.origin(), order.deliveredEnd(), now);
        if (site == null || report.number() <= site.lastReport) {
            return;
        }
        boolean hadPlace = site.anchored;
        spell.sites.onReport(site, report);
        if (options.rateWindowMicros() > 0) {
            pace.setRate(spell.sites.clockRateMillionths());
        }
        life.flow.onReport(report.messageCycleMicros());
        boolean waive = false;
        if (!report.anchored()) {
            // At the earliest, the site takes its place after the messages that are incorporated here now.
            if (isAnchored() && hadPlace) {
                site.deliveredEnd = order.deliveredEnd();
            }
            site.inSync = true;
        } else if (isAnchored()) {
            ReportIntake.Outcome outcome = spell.intake.onReport(report, site, now);
            waive = outcome != ReportIntake.Outcome.ABREAST;
            if (outcome == ReportIntake.Outcome.ASTRAY) {
                life.counters.astray++;
                beginAnew(now);
            }
            report.lost().forEach(spell.recovery::onRequest);
            if (isAnchored()) {
                spell.writer.onReport(report);
            }
        } else if (!spell.listening.onReport(report, now)) {
            beginAnew(now);
        }
        spell.heartbeat.onReport(report.origin(), waive, !site.inSync, now);
        report.bodies().forEach(spell.recovery::onRemulticast);
        proceed(now);
    }

    /** Time has passed. Calling it too often is harmless. */
    public void onTick(long nowMicros) {
        onTime(enter(nowMicros));
    }

    private void onTime(long now) {
        life.flow.onTime(now);
        if (!isAnchored()) {
            spell.listening.onTime(now);
        }
        if (isAnchored()) {
            spell.recovery.onTime(now);
        }
        proceed(now);
        if (now >= spell.heartbeat.dueMicros()) {
            Report report = spell.writer.next(now, spell.sites.clockMicros());
            spell.heartbeat.onSent(now);
            effects.multicast(report);
        }
    }

    /** When {@link #onTick} must be called at the latest. */
    public long nextDeadline() {
        long next = spell.nextMicros(inputMicros);
        if (isAnchored() && !admitted.isEmpty() && !spell.knowledge.graph.isFull()) {
            next = Math.min(next, life.flow.nextMicros());
        }
        return pace.toClock(next);
    }

    /** @return the time of the input, as the cycles count it */
    private long enter(long nowMicros) {
        long now = pace.onInput(nowMicros);
        long gap = now - inputMicros;
        long overdue = now - Math.max(inputMicros, spell.heartbeat.dueMicros());
        inputMicros = now;
        spell.sites.onClock(nowMicros);
        if (isAnchored() && wasAbsent(gap)) {
            beginAnew(now);
        } else if (overdue > options.reportMicros()) {
            // Only a listening site can tell that others are silent: time in which this site did not run does not
            // count.
            spell.excuse(overdue, now);
        }
        spell.sites.forgetAbsent(now);
        return now;
    }

    /** Observation 4: a process that stood still for so long was absent, whether or not another site noticed. */
    boolean wasAbsent(long gapMicros) {
        return gapMicros > options.absenceMicros();
    }

    private void proceed(long now) {
        if (isAnchored()) {
            spell.proceed(now);
            send(now);
        }
    }

    private void send(long now) {
        while (isAnchored()
                && !admitted.isEmpty()
                && now >= life.flow.nextMicros()
                && !spell.knowledge.graph.isFull()) {
            Message message = new Message(spell.knowledge.newTag(), admitted.remove());
            spell.bodies.onSent(message, now);
            spell.reception.onSent(message.tag());
            life.flow.onSent(now);
            effects.multicast(message);
        }
    }

    /** Starts a new spell: forgets the order, but not the delivered messages. */
    private void beginAnew(long now) {
        Spell before = spell;
        life.counters.returns++;
        life.ended(before.knowledge.origin);
        // Own messages of the old spell may still be on their way, and no site will tell where they lie.
        spell = new Spell(life, origins.getAsLong(), now + options.absenceMicros(), now);
        spell.sites.follow(before.sites);
        for (PayloadBuffers.Own each : before.bodies.own()) {
            Tag tag = each.message().tag();
            if (!before.knowledge.order.isDelivered(tag) && !life.delivered.contains(tag)) {
                effects.undetermined(each.message());
            }
        }
    }
}
