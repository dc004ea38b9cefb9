package org.amo.core.dpg;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A site of DPG (paper 003, section 4): DPG-n with all its subprotocols.
 *
 * <p><b>What is promised.</b> Quasi order: sites that are present deliver the same messages in the same order, but for rare
 * scenarios: those in which Deliv_Cycle passes before all of them know the same successors. There is no view of the
 * membership, no agreement about one, and nobody waits for a site that has gone. A site that comes back delivers a contiguous
 * segment of the common sequence from then on ({@link DpgEffects#beginSegment}). A message is delivered at most once in the
 * life of a process. A body that no present site has is delivered as a dummy. Nothing is durable.
 *
 * <p><b>The network</b> is the 1C service with ContiguityDetector of section 3: whoever calls {@link #onMessage} and {@link
 * #onReport} does it in an order that contradicts that of no other site, and tells what its detector infers. Messages and
 * reports share that order.
 *
 * <p>One thread owns it. Inputs take the time, in microseconds of a monotonic clock; {@link #onTick} must be called no later
 * than {@link #nextDeadline}. Memory is bounded by {@link DpgOptions}.
 */
public final class DpgSite {
    private static final int MOST_LOST = 64;
    private static final int LEAST_LOST = 8;

    private final DpgOptions options;
    private final DpgEffects effects;
    private final LongSupplier origins;
    private final DpgCounters counters = new DpgCounters();
    /** What the application has seen in the life of the process. */
    private final DeliveredTags done;
    /** What is behind in this presence spell: incorporated and removed, or before the segment. */
    private DeliveredTags passed;

    private final Sites sites;
    private final FlowControl flow;

    private long origin;
    private long lastNumber;
    private long lastReport;
    private long inputMicros;
    private long reportAtMicros;
    private long removalsPaidMicros;
    private long inferFromMicros;

    private PrecedenceGraph graph;
    private IncorporatedOrder order = new IncorporatedOrder();
    /** L_REC; null after anything that breaks the sequence of receptions. */
    private @Nullable Tag latestReceived;

    private boolean anchored;
    private boolean everAnchored;
    private long listeningSinceMicros;
    private int reportsHeard;
    /** Positions of the order before it were taken over from another site: what else came before them is not known here. */
    private long inheritedEnd;
    /** Whether others were heard in this presence spell, and whether an order was forced after they had gone. */
    private boolean hadCompany;

    private boolean forcedAlone;
    private final Map<Long, Report> candidates = new LinkedHashMap<>();

    private final ArrayDeque<byte[]> admitted = new ArrayDeque<>();
    /** Own messages that were sent and that not all present sites have delivered. Invariant: nothing takes their room. */
    private final Map<Tag, OwnMessage> own = new LinkedHashMap<>();
    /** Bodies of others: of messages that are not delivered, and of delivered ones that another site may lack. */
    private final Map<Tag, byte[]> bodies = new HashMap<>();

    private final Map<Tag, Asked> askedFor = new HashMap<>();
    private final Set<Tag> requested = new LinkedHashSet<>();
    private final Suspicions suspicions = new Suspicions();
    private final Suspicions.Order known = new Suspicions.Order() {
        @Override
        public boolean precedes(Tag x, Tag y) {
            return graph.precedes(x, y);
        }

        @Override
        public boolean isIncorporated(Tag tag) {
            return DpgSite.this.isIncorporated(tag);
        }
    };
    private boolean reportWaived;

    private record Asked(long firstMicros, long lastMicros) {}

    private record OwnMessage(byte[] body, long sentMicros) {}

    /**
     * A site that starts: it listens for others, and begins a sequence of its own if there are none.
     *
     * @param origins gives a random number, not 0, for each presence spell; a number must never come twice in a group
     */
    public DpgSite(DpgOptions options, LongSupplier origins, DpgEffects effects, long nowMicros) {
        this.options = options;
        this.effects = effects;
        this.origins = origins;
        this.origin = origins.getAsLong();
        this.done = newTags();
        this.passed = newTags();
        this.sites = new Sites(options.maxSites, options.absenceMicros);
        this.flow = new FlowControl(options, nowMicros);
        this.graph = newGraph();
        this.inputMicros = nowMicros;
        this.listeningSinceMicros = nowMicros;
        this.reportAtMicros = nowMicros;
        this.removalsPaidMicros = nowMicros;
    }

    private DeliveredTags newTags() {
        return new DeliveredTags(4 * options.maxSites, 20 * options.giveUpMicros);
    }

    private PrecedenceGraph newGraph() {
        return new PrecedenceGraph(options.maxVertices + 1, options.off());
    }

    /** The origin of the tags of this site's messages in this presence spell. */
    public long origin() {
        return origin;
    }

    /** Whether the site has a place in the common sequence; until then nothing is sent or delivered. */
    public boolean isAnchored() {
        return anchored;
    }

    public DpgCounters counters() {
        return counters;
    }

    /** Vertices of G that are not incorporated. */
    public int vertices() {
        return graph.size() - (anchored ? 1 : 0);
    }

    /** Vertices and arcs of G from L_DELIV on. */
    List<Arc> arcs() {
        return graph.arcs();
    }

    IncorporatedOrder order() {
        return order;
    }

    long messageCycleMicros() {
        return flow.cycleMicros();
    }

    int bodies() {
        return bodies.size();
    }

    /**
     * Takes a message of the application.
     *
     * @return false if the admission buffers are full; then nothing was done
     * @throws IllegalArgumentException if it is too long
     */
    public boolean submit(byte[] body, long nowMicros) {
        if (body.length > options.maxBodyBytes) {
            throw new IllegalArgumentException("a body has at most " + options.maxBodyBytes + " bytes: " + body.length);
        }
        enter(nowMicros);
        if (admitted.size() + own.size() >= options.admissionBuffers) {
            return false;
        }
        admitted.add(body);
        send(nowMicros);
        return true;
    }

    /**
     * A 'message' PDU was received.
     *
     * @param contiguous whether the detector infers that nothing was sent between this message and the one received before it
     */
    public void onMessage(Message message, boolean contiguous, long nowMicros) {
        enter(nowMicros);
        Tag tag = message.tag();
        if (tag.equals(Tag.ROOT) || message.body().length > options.maxBodyBytes || !isOfLife(tag)) {
            latestReceived = null;
            return;
        }
        if (tag.origin() != origin) {
            Sites.Site site = sites.heard(tag.origin(), order.deliveredEnd(), nowMicros);
            if (site != null) {
                // Only who has a place in the order sends, whatever it last reported.
                site.anchored = true;
                hadCompany = true;
            }
            if (!done.admits(tag.origin(), nowMicros)) {
                counters.refusedOrigins++;
                latestReceived = null;
                return;
            }
        }
        suspicions.seen(tag);
        if (!isIncorporated(tag)) {
            boolean usable = contiguous && latestReceived != null && mayInfer(latestReceived, tag);
            if (!graph.receive(tag, latestReceived, usable, nowMicros)) {
                // The vertex is lost with the body: later ones say nothing about what came right before them.
                overflow();
                latestReceived = null;
                return;
            }
            attachToRoot();
        }
        latestReceived = tag;
        suspicions.received();
        store(tag, message.body());
        proceed(nowMicros);
    }

    /** A 'message' PDU came out of its turn: only its body is of use. */
    public void onLateMessage(Message message, long nowMicros) {
        enter(nowMicros);
        onRemulticast(message);
        proceed(nowMicros);
    }

    private boolean isOfLife(Tag tag) {
        return tag.origin() != origin || tag.number() <= lastNumber;
    }

    private boolean mayInfer(Tag from, Tag to) {
        return options.ownMessages != OwnMessages.SUSPENDED
                || !options.holds(DpgRule.OWN_MESSAGES_SUSPEND)
                || (inputMicros >= inferFromMicros && suspicions.infer(from, to));
    }

    /** A 'report' PDU was received, in its place among the messages. */
    public void onReport(Report report, long nowMicros) {
        enter(nowMicros);
        if (report.origin() == origin) {
            return;
        }
        Sites.Site site = sites.heard(report.origin(), order.deliveredEnd(), nowMicros);
        if (site == null || report.number() <= site.lastReport) {
            return;
        }
        hadCompany = true;
        boolean wasAnchored = site.anchored;
        site.onReport(report, nowMicros);
        flow.onReport(report.messageCycleMicros());
        if (report.anchored()) {
            if (anchored) {
                boolean newer = onSequence(report, site, nowMicros);
                report.lost().forEach(this::onRequest);
                scheduleReport(report.origin(), newer, nowMicros);
            } else {
                listen(report, nowMicros);
                scheduleReport(report.origin(), false, nowMicros);
            }
        } else {
            // It will take its place after what is incorporated here now at the earliest.
            if (anchored && wasAnchored) {
                site.deliveredEnd = order.deliveredEnd();
            }
            site.inSync = true;
            scheduleReport(report.origin(), false, nowMicros);
        }
        report.bodies().forEach(this::onRemulticast);
        proceed(nowMicros);
    }

    /** Time has passed. Calling it too often is harmless. */
    public void onTick(long nowMicros) {
        enter(nowMicros);
        sites.forgetAbsent(nowMicros);
        flow.onTime(nowMicros);
        if (!anchored && nowMicros - listeningSinceMicros >= listenMicros() && candidates.isEmpty()) {
            anchorAlone(nowMicros);
        } else if (!anchored && nowMicros - listeningSinceMicros >= 2 * listenMicros()) {
            anchor(nowMicros);
        }
        if (anchored) {
            ownUnseen(nowMicros);
        }
        proceed(nowMicros);
        if (nowMicros >= reportAtMicros) {
            report(nowMicros);
        }
    }

    /** When {@link #onTick} must be called at the latest. */
    public long nextDeadline() {
        long next = Math.min(reportAtMicros, sites.nextAbsenceMicros());
        if (!anchored) {
            return Math.min(next, listeningSinceMicros + listenMicros() * (candidates.isEmpty() ? 1 : 2));
        }
        if (!admitted.isEmpty() && !graph.isFull()) {
            next = Math.min(next, flow.nextMicros());
        }
        Tag earliest = order.earliest();
        if (earliest != null) {
            next = Math.min(next, giveUpAtMicros(earliest));
        }
        List<Tag> successors = successors();
        if (!successors.isEmpty() && !isOrderFull()) {
            long due = forceAtMicros(successors);
            boolean agreed = mayForce(successors, Math.max(inputMicros, due));
            if (agreed) {
                next = Math.min(next, due);
            } else if (sites.isGreatest(origin)) {
                long earliestMicros = listeningSinceMicros + options.absenceMicros;
                next = Math.min(next, Math.max(earliestMicros, due + options.giveUpMicros));
            }
        }
        return next;
    }

    private long listenMicros() {
        return options.absenceMicros;
    }

    private void enter(long nowMicros) {
        long gap = nowMicros - inputMicros;
        inputMicros = nowMicros;
        // Observation 4. A process that stood still for so long was absent, whoever noticed.
        if (anchored && gap > options.absenceMicros && options.holds(DpgRule.RETURN_RESETS)) {
            reset(nowMicros);
        }
    }

    private void proceed(long nowMicros) {
        if (!anchored) {
            return;
        }
        incorporate(nowMicros);
        deliver(nowMicros);
        conclude(nowMicros);
        send(nowMicros);
        counters.contradictions += graph.takeContradictions();
        counters.mostVertices = Math.max(counters.mostVertices, vertices());
    }

    private void send(long nowMicros) {
        while (anchored && !admitted.isEmpty() && nowMicros >= flow.nextMicros() && !graph.isFull()) {
            Tag tag = new Tag(origin, ++lastNumber);
            byte[] body = admitted.remove();
            own.put(tag, new OwnMessage(body, nowMicros));
            suspicions.sent(tag);
            flow.onSent(nowMicros);
            effects.multicast(new Message(tag, body));
        }
    }

    // ---- section 4.1: the graph of another site

    /** @return whether the other site knows less than this one, so that a report of this one is of use to it */
    private boolean onSequence(Report report, Sites.Site site, long nowMicros) {
        int meeting = report.order().indexOf(order.latest());
        site.inSync = meeting >= 0 || order.contains(report.latestDeliverable());
        if (forcedAlone && options.holds(DpgRule.RETURN_RESETS)) {
            if (!site.inSync || !order.agrees(report.order())) {
                reset(nowMicros);
                return true;
            }
            forcedAlone = false;
        }
        if (!site.inSync) {
            if (options.holds(DpgRule.RETURN_RESETS)
                    && ++reportsHeard >= options.returnReports
                    && sites.othersPrevail(origin)) {
                reset(nowMicros);
            }
            return true;
        }
        incorporate(nowMicros);
        if (meeting >= 0) {
            hearOfLate(report.order(), meeting, nowMicros);
            adopt(report.order().subList(meeting + 1, report.order().size()), nowMicros);
        }
        long position = order.positionOf(report.delivered());
        if (position >= 0) {
            site.deliveredEnd = position + 1;
        }
        // What a site still lacks that has not come as far as this one's segment begins may be before it.
        long reached = order.positionOf(report.latestDeliverable());
        return (reached >= 0 && reached < inheritedEnd - 1) || unite(report, nowMicros);
    }

    /** Messages that others incorporated before what is latest here, and that nobody told this site of. */
    private void hearOfLate(List<Tag> theirs, int meeting, long nowMicros) {
        boolean common = false;
        for (Tag tag : theirs.subList(0, meeting)) {
            if (order.contains(tag)) {
                common = true;
            } else if (common && !isIncorporated(tag) && !graph.contains(tag)) {
                counters.late++;
                graph.add(tag, nowMicros);
                attachToRoot();
            }
        }
    }

    private void adopt(List<Tag> theirs, long nowMicros) {
        for (Tag tag : theirs) {
            if (isIncorporated(tag)) {
                continue;
            }
            if (!graph.add(tag, nowMicros) || isOrderFull()) {
                return;
            }
            boolean torn = graph.follow(order.latest(), tag);
            suspicions.seen(tag);
            counters.adopted++;
            advance(tag, nowMicros);
            if (torn) {
                attachToRoot();
            }
        }
    }

    private boolean unite(Report report, long nowMicros) {
        boolean newer = false;
        for (Tag tag : report.vertices()) {
            if (isIncorporated(tag)) {
                newer = true;
            } else if (isOfLife(tag) && done.admits(tag.origin(), nowMicros)) {
                // Floating until an arc comes for it, which is at once but for a body that was sent alone.
                suspicions.seen(tag);
                graph.addFloating(tag, nowMicros);
            }
        }
        List<Arc> arcs = new ArrayList<>();
        for (Arc arc : report.arcs()) {
            // What ends at an incorporated message is decided; what begins before L_DELIV says no more than L_DELIV
            // does.
            if (!isIncorporated(arc.to())) {
                if (graph.contains(arc.from())) {
                    arcs.add(arc);
                } else if (isIncorporated(arc.from())) {
                    arcs.add(Arc.plain(order.latest(), arc.to()));
                }
            }
        }
        // Before the arcs: a vertex that is not known to come after L_DELIV could be put before it.
        List<Arc> after = new ArrayList<>();
        arcs.forEach(arc -> after.add(Arc.plain(order.latest(), arc.to())));
        arcs.forEach(arc -> after.add(Arc.plain(order.latest(), arc.from())));
        after.removeIf(arc -> arc.from().equals(arc.to()) || graph.precedes(arc.from(), arc.to()));
        graph.include(after);
        graph.union(arcs);
        attachToRoot();
        if (options.ownMessages == OwnMessages.SUSPENDED) {
            for (Arc arc : suspicions.certain(known)) {
                if (graph.contains(arc.from()) && graph.contains(arc.to()) && graph.mayMark(arc.from(), arc.to())) {
                    graph.include(List.of(arc));
                }
            }
        }
        for (Arc arc : arcs) {
            newer |= !graph.has(arc) && graph.contains(arc.to());
        }
        return newer;
    }

    /** What is not incorporated comes after L_DELIV, at whatever place. */
    private void attachToRoot() {
        if (!anchored) {
            return;
        }
        Tag root = order.latest();
        List<Arc> arcs = new ArrayList<>();
        for (Tag tag : graph.withoutPredecessor()) {
            if (!tag.equals(root)) {
                arcs.add(Arc.plain(root, tag));
            }
        }
        graph.include(arcs);
    }

    private boolean isIncorporated(Tag tag) {
        return order.contains(tag) || passed.contains(tag);
    }

    // ---- section 4.2: incorporation and delivery

    private boolean isOrderFull() {
        return order.size() >= options.maxOrder;
    }

    private void incorporate(long nowMicros) {
        while (!isOrderFull()) {
            Tag root = order.latest();
            Tag next = graph.markedAfter(root);
            if (next != null) {
                counters.marked++;
            } else {
                List<Tag> successors = successors();
                if (successors.isEmpty() || nowMicros < forceAtMicros(successors) || !mayForce(successors, nowMicros)) {
                    return;
                }
                if (sites.isEmpty() && hadCompany && !forcedAlone) {
                    // Whether they have gone or this site was cut off, nobody knows: it goes on by itself.
                    forcedAlone = true;
                    effects.beginSegment(order.lastDelivered());
                }
                next = greatest(successors);
                if (!graph.mark(root, next)) {
                    throw new IllegalStateException(next + " is a successor of " + root + " and cannot follow it");
                }
                counters.forced++;
                counters.chosen += successors.size() > 1 ? 1 : 0;
            }
            advance(next, nowMicros);
        }
    }

    /** Immediate successors of L_DELIV: those that arcs tell, and those of which no arc tells anything. */
    private List<Tag> successors() {
        List<Tag> successors = graph.successors(order.latest());
        successors.addAll(graph.floating());
        return successors;
    }

    /** "In any static order e.g. of decreasing tags." */
    private static Tag greatest(List<Tag> tags) {
        Tag greatest = tags.get(0);
        for (Tag tag : tags) {
            greatest = tag.compareTo(greatest) > 0 ? tag : greatest;
        }
        return greatest;
    }

    private long forceAtMicros(List<Tag> successors) {
        long youngest = Long.MIN_VALUE;
        for (Tag tag : successors) {
            youngest = Math.max(youngest, graph.sinceMicros(tag));
        }
        return youngest + options.forceMicros;
    }

    /**
     * Deliv_Cycle "should be large enough to allow formation of identical successor sets at each member site". Here that is
     * seen from the reports: every present site must have told lately that it would choose the same. A site that was cut off or stood still has no such reports and decides nothing alone, until the others
     * are absent for it. Who has just come may not yet have heard of all.
     */
    private boolean mayForce(List<Tag> successors, long nowMicros) {
        if (nowMicros - listeningSinceMicros < options.absenceMicros) {
            return false;
        }
        if (!options.holds(DpgRule.CHOSEN_AS_ALL_PLAN)) {
            return true;
        }
        // Graphs that contradict each other never come to plan alike: then one site chooses and the others adopt it.
        boolean stuck = nowMicros - forceAtMicros(successors) >= options.giveUpMicros && sites.isGreatest(origin);
        return stuck || sites.allPlan(greatest(successors), this::isIncorporated, nowMicros);
    }

    private void advance(Tag next, long nowMicros) {
        graph.removeFirst(order.latest());
        order.append(next, nowMicros);
    }

    private boolean precedes(Tag x, Tag y) {
        if (isIncorporated(x)) {
            return !isIncorporated(y) || (order.contains(x) && order.positionOf(x) < order.positionOf(y));
        }
        return graph.precedes(x, y);
    }

    /** When a body is given up: Deliv_Cycle after it became deliverable, but not before it was asked for as long. */
    private long giveUpAtMicros(Tag tag) {
        Asked asked = askedFor.get(tag);
        return asked == null
                ? Math.max(reportAtMicros, inputMicros) + options.giveUpMicros
                : Math.max(order.earliestSinceMicros(), asked.firstMicros) + options.giveUpMicros;
    }

    private void deliver(long nowMicros) {
        for (Tag tag = order.earliest(); tag != null; tag = order.earliest()) {
            byte[] body = body(tag);
            boolean seen = done.contains(tag);
            if (body == null && !seen && nowMicros < giveUpAtMicros(tag)) {
                return;
            }
            order.delivered();
            askedFor.remove(tag);
            if (seen) {
                // Delivered before an absence of this site: it stands here, and does not come again.
                continue;
            }
            if (options.holds(DpgRule.DELIVERED_IS_REMEMBERED)) {
                done.add(tag, nowMicros);
            }
            if (body != null) {
                counters.delivered++;
                effects.deliver(tag, body);
                if (bodies.size() > options.orderingBuffers) {
                    bodies.remove(tag);
                }
            } else {
                counters.dummies++;
                if (options.holds(DpgRule.GIVING_UP_IS_VISIBLE)) {
                    effects.deliverDummy(tag);
                }
            }
        }
    }

    /** Removes what all present sites have delivered, at a rate that follows Message_Cycle (section 4.5). */
    private void conclude(long nowMicros) {
        long end = order.deliveredEnd();
        if (options.holds(DpgRule.KEPT_UNTIL_ALL_DELIVERED)) {
            // The last that all have delivered stays: a site that knows no more is met there.
            end = sites.concludedEnd(end) - 1;
            long cycle = flow.cycleMicros();
            long credit = (nowMicros - removalsPaidMicros) * 2 * (1 + sites.size()) / cycle;
            for (; credit > 0 && remove(order.removeOldestBelow(end)); credit--) {
                // One at a time, while there is something to remove and a right to do so.
            }
            removalsPaidMicros = credit > 0 ? nowMicros : removalsPaidMicros;
        } else {
            while (remove(order.removeOldestBelow(end))) {
                // The planted bug: nobody else is asked.
            }
        }
        while (isOrderFull() && remove(order.removeOldestBelow(order.deliveredEnd()))) {
            counters.premature++;
            overflow();
        }
    }

    private boolean remove(@Nullable Tag tag) {
        if (tag == null) {
            return false;
        }
        if (options.holds(DpgRule.DELIVERED_IS_REMEMBERED)) {
            passed.add(tag, inputMicros);
        }
        bodies.remove(tag);
        own.remove(tag);
        requested.remove(tag);
        return true;
    }

    // ---- section 4.3: bodies

    private byte @Nullable [] body(Tag tag) {
        OwnMessage mine = own.get(tag);
        return mine != null ? mine.body : bodies.get(tag);
    }

    private void overflow() {
        counters.overflows++;
        flow.onOverflow();
    }

    /** Keeps a body that is still of use, if need be in the buffer of another. */
    private void store(Tag tag, byte[] body) {
        if (body(tag) != null || order.isDelivered(tag) || (passed.contains(tag) && !order.contains(tag))) {
            return;
        }
        if (bodies.size() >= options.orderingBuffers && !dropKept()) {
            overflow();
            Tag victim = options.holds(DpgRule.SUCCESSOR_IS_SEIZED) ? successorWithBody(tag) : null;
            if (victim != null) {
                counters.seized++;
                bodies.remove(victim);
            } else if (!isEarliest(tag)) {
                // No room, but somebody has it: it is not given up for now.
                askedFor.remove(tag);
                return;
            }
        }
        bodies.put(tag, body);
        askedFor.remove(tag);
    }

    /** E_DELIV passes through without a buffer: what it waits for may be held by sites that wait for what is held here. */
    private boolean isEarliest(Tag tag) {
        return options.holds(DpgRule.SUCCESSOR_IS_SEIZED) && tag.equals(order.earliest());
    }

    /** Drops the oldest delivered body that its sender is there to send again. */
    private boolean dropKept() {
        if (!options.holds(DpgRule.SUCCESSOR_IS_SEIZED)) {
            return false;
        }
        for (Tag tag : order.kept()) {
            if (sites.isPresent(tag.origin()) && bodies.remove(tag) != null) {
                counters.premature++;
                return true;
            }
        }
        return false;
    }

    private @Nullable Tag successorWithBody(Tag tag) {
        Tag victim = null;
        for (Tag each : graph.vertices()) {
            if (bodies.containsKey(each) && precedes(tag, each) && (victim == null || precedes(victim, each))) {
                victim = each;
            }
        }
        if (victim == null && order.contains(tag)) {
            for (Tag each : order.undelivered()) {
                if (order.positionOf(each) > order.positionOf(tag) && bodies.containsKey(each)) {
                    victim = each;
                }
            }
        }
        return victim;
    }

    /** A body without its place. Of a message that nobody has told of it is of no use: it may be from before the segment. */
    private void onRemulticast(Message message) {
        Tag tag = message.tag();
        requested.remove(tag);
        if (anchored
                && message.body().length <= options.maxBodyBytes
                && isOfLife(tag)
                && !tag.equals(Tag.ROOT)
                && (graph.contains(tag) || order.contains(tag))) {
            store(tag, message.body());
        }
    }

    private void onRequest(Tag tag) {
        if (body(tag) != null && requested.size() < Math.max(MOST_LOST, options.orderingBuffers)) {
            requested.add(tag);
        }
    }

    /** An own message that nobody reports was lost on its way, or there is nobody: it gets a place without the medium. */
    private void ownUnseen(long nowMicros) {
        long patience = sites.isEmpty() ? options.forceMicros : 2 * options.forceMicros;
        patience = options.unseenMicros > 0 ? options.unseenMicros : patience;
        for (Map.Entry<Tag, OwnMessage> each : own.entrySet()) {
            Tag tag = each.getKey();
            if (nowMicros - each.getValue().sentMicros < patience) {
                return;
            }
            if (!isIncorporated(tag) && !graph.contains(tag) && graph.addFloating(tag, nowMicros)) {
                requested.add(tag);
            }
        }
    }

    /** LM: what is missing, the earliest first; not much more than can be stored. */
    private List<Tag> lost(long nowMicros) {
        int room = Math.max(LEAST_LOST, Math.min(MOST_LOST, options.orderingBuffers - bodies.size()));
        List<Tag> lost = new ArrayList<>();
        List<Tag> missing = order.undelivered();
        missing.addAll(graph.vertices());
        for (Tag tag : missing) {
            boolean root = tag.equals(order.latest()) && order.earliest() == null;
            boolean wanted = !root && !order.isDelivered(tag) && !done.contains(tag);
            if (wanted && body(tag) == null && lost.size() < room) {
                Asked asked = askedFor.get(tag);
                if (asked == null || nowMicros - asked.lastMicros >= options.retrievalMicros) {
                    askedFor.put(tag, new Asked(asked == null ? nowMicros : asked.firstMicros, nowMicros));
                    lost.add(tag);
                }
            }
        }
        if (askedFor.size() > 2 * (graph.size() + order.size())) {
            askedFor.keySet().removeIf(tag -> !graph.contains(tag) && !order.contains(tag));
        }
        return lost;
    }

    /** RM: as much as a report takes. */
    private List<Message> remulticasts() {
        List<Message> messages = new ArrayList<>();
        int bytes = 0;
        for (Tag tag : List.copyOf(requested)) {
            byte[] body = body(tag);
            if (body == null) {
                requested.remove(tag);
            } else if (messages.isEmpty() || bytes + body.length <= options.maxRemulticastBytes) {
                bytes += body.length;
                messages.add(new Message(tag, body));
                requested.remove(tag);
            }
        }
        counters.remulticast += messages.size();
        return messages;
    }

    // ---- section 4.4: the heartbeat of reports

    private void report(long nowMicros) {
        List<Tag> vertices = new ArrayList<>();
        List<Arc> arcs = List.of();
        List<Tag> newest = List.of();
        List<Tag> lost = List.of();
        Tag delivered = Tag.ROOT;
        if (anchored) {
            newest = order.newest(options.reportOrder);
            delivered = order.lastDelivered();
            for (Tag tag : graph.vertices()) {
                if (!tag.equals(order.latest())) {
                    vertices.add(tag);
                }
            }
            arcs = graph.arcs();
            lost = lost(nowMicros);
        }
        Report report = new Report(
                origin,
                ++lastReport,
                anchored,
                nowMicros,
                flow.cycleMicros(),
                newest,
                delivered,
                vertices,
                arcs,
                lost,
                anchored ? remulticasts() : List.of());
        counters.reports++;
        reportWaived = false;
        reportAtMicros = nowMicros + options.reportMicros + staggerMicros() * sites.size();
        effects.multicast(report);
    }

    private long staggerMicros() {
        return Math.max(1, options.reportMicros / 8);
    }

    /** Another's report delays the own one, by turns; if the other site knows less, the own one comes soon instead. */
    private void scheduleReport(long reporter, boolean waive, long nowMicros) {
        long turn = staggerMicros() * sites.turn(reporter, origin);
        if (waive && !reportWaived) {
            counters.waived++;
            reportWaived = true;
            reportAtMicros = Math.min(reportAtMicros, nowMicros + options.reportMicros / 2 + turn);
        } else if (!reportWaived) {
            reportAtMicros = nowMicros + options.reportMicros + turn;
        }
    }

    // ---- absence and return (Observation 4)

    /** Begins anew: what was known of the order is forgotten, what was delivered is not. */
    private void reset(long nowMicros) {
        counters.returns++;
        Map<Tag, OwnMessage> sent = new LinkedHashMap<>(own);
        IncorporatedOrder before = order;
        origin = origins.getAsLong();
        lastNumber = 0;
        lastReport = 0;
        graph = newGraph();
        order = new IncorporatedOrder();
        passed = newTags();
        latestReceived = null;
        anchored = false;
        listeningSinceMicros = nowMicros;
        reportsHeard = 0;
        candidates.clear();
        own.clear();
        bodies.clear();
        askedFor.clear();
        requested.clear();
        inheritedEnd = 0;
        hadCompany = false;
        forcedAlone = false;
        suspicions.clear();
        // Own messages of the old spell may still be on their way, and nobody will tell where they lie.
        inferFromMicros = nowMicros + options.absenceMicros;
        sites.clear();
        reportWaived = false;
        reportAtMicros = nowMicros;
        sent.forEach((tag, message) -> {
            if (!before.isDelivered(tag) && !done.contains(tag)) {
                effects.undetermined(new Message(tag, message.body));
            }
        });
    }

    private void listen(Report report, long nowMicros) {
        boolean collides = false;
        for (Tag tag : report.order()) {
            collides |= tag.origin() == origin;
        }
        if (collides || report.origin() == origin) {
            reset(nowMicros);
            return;
        }
        if (candidates.size() < options.maxSites || candidates.containsKey(report.origin())) {
            candidates.remove(report.origin());
            candidates.put(report.origin(), report);
        }
        if (++reportsHeard >= options.returnReports) {
            anchor(nowMicros);
        }
    }

    private void anchorAlone(long nowMicros) {
        anchored = true;
        everAnchored = true;
        reportsHeard = 0;
        order = new IncorporatedOrder();
        order.append(Tag.ROOT, nowMicros);
        order.allDelivered();
        PrecedenceGraph heard = graph;
        rebuild(heard, heard.vertices(), nowMicros);
        sites.restart(order.deliveredEnd());
        removalsPaidMicros = nowMicros;
        effects.beginSegment(Tag.ROOT);
    }

    /** Takes its place in the sequence that most of the sites heard follow, as the last of them told it. */
    private void anchor(long nowMicros) {
        Report best = null;
        int most = -1;
        for (Report each : candidates.values()) {
            int together = 0;
            for (Report other : candidates.values()) {
                boolean meet = other.order().contains(each.latestDeliverable())
                        || each.order().contains(other.latestDeliverable());
                together += meet ? 1 : 0;
            }
            boolean further = best == null || each.order().contains(best.latestDeliverable());
            if (together > most || (together == most && further)) {
                most = together;
                best = each;
            }
        }
        candidates.clear();
        if (best == null) {
            anchorAlone(nowMicros);
            return;
        }
        boolean fresh = !everAnchored && best.order().get(0).equals(Tag.ROOT);
        anchored = true;
        everAnchored = true;
        reportsHeard = 0;
        order = new IncorporatedOrder();
        for (Tag tag : best.order()) {
            order.append(tag, nowMicros);
            if (!fresh) {
                passed.add(tag, nowMicros);
            }
        }
        if (fresh) {
            order.delivered();
        } else {
            order.allDelivered();
            inheritedEnd = order.end();
        }
        PrecedenceGraph heard = graph;
        rebuild(heard, keep(heard, best), nowMicros);
        sites.restart(order.deliveredEnd());
        removalsPaidMicros = nowMicros;
        effects.beginSegment(fresh ? Tag.ROOT : order.latest());
        Sites.Site site = sites.heard(best.origin(), order.deliveredEnd(), nowMicros);
        if (site != null) {
            onSequence(best, site, nowMicros);
        }
    }

    /** What was heard while listening and comes after L_DELIV; of the rest nobody knows whether it came before. */
    private List<Tag> keep(PrecedenceGraph heard, Report report) {
        Set<Tag> open = new LinkedHashSet<>(report.vertices());
        List<Tag> kept = new ArrayList<>();
        for (Tag tag : heard.vertices()) {
            boolean after = false;
            for (Tag incorporated : report.order()) {
                after = after || incorporated.equals(Tag.ROOT) || heard.precedes(incorporated, tag);
            }
            if (!isIncorporated(tag) && (after || open.contains(tag))) {
                kept.add(tag);
            }
        }
        return kept;
    }

    private void rebuild(PrecedenceGraph heard, List<Tag> kept, long nowMicros) {
        graph = newGraph();
        graph.add(order.latest(), nowMicros);
        Set<Tag> floating = new LinkedHashSet<>(heard.floating());
        for (Tag tag : kept) {
            if (floating.contains(tag)) {
                graph.addFloating(tag, heard.sinceMicros(tag));
            } else {
                graph.add(tag, heard.sinceMicros(tag));
            }
        }
        attachToRoot();
        List<Arc> arcs = new ArrayList<>();
        for (Arc arc : heard.arcs()) {
            if (!isIncorporated(arc.to())) {
                arcs.add(arc);
            }
        }
        graph.include(arcs);
        bodies.keySet().removeIf(tag -> !graph.contains(tag) && (!order.contains(tag) || order.isDelivered(tag)));
        attachToRoot();
    }
}
