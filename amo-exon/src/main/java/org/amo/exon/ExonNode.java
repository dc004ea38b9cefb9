package org.amo.exon;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;
import org.amo.base.wire.WireReader;
import org.amo.exon.ExonCodec.Header;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.Arrived;
import org.amo.exon.Frame.Refused;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Seen;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.amo.exon.Frame.Unknown;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages, each of which is delivered exactly once if both nodes live: a node of Exon (Kassam, Almeida and Shoker,
 * Algorithm 1 as corrected), for all its peers. The network may lose, double, delay and reorder datagrams, for any length of time.
 *
 * <p><b>Crashes.</b> Only the clock is durable. When a receiver crashes, messages that had left for it are reported
 * {@link Outcome#UNKNOWN} and never delivered by its next life; messages that had not left go to the next life. When a
 * sender crashes, its messages are delivered at most once.
 *
 * <p>One thread owns the node. Inputs take the time, in microseconds of a monotonic clock; after a batch of inputs the shell
 * calls {@link #flush}, and {@link #onTick} no later than {@link #nextDeadline}.
 */
public class ExonNode {
    /** Below this many peers, tables that are too large cost little. */
    private static final int MANY = 1_000;

    private final NodeId self;
    private final Function<NodeId, Seal> secrets;
    private final ExonOptions options;
    private final ExonEffects effects;
    private final NodeClock clock;
    private final ReceiveBudget budget;

    private Map<NodeId, Peer> peers = new HashMap<>();
    private Map<Integer, Peer> byHandle = new HashMap<>();
    private final Map<NodeId, Address> hints = new HashMap<>();
    private Set<Peer> dirty = new LinkedHashSet<>();
    private final Set<Peer> waitingForRoom = new LinkedHashSet<>();
    private PriorityQueue<Appointment> agenda = new PriorityQueue<>();
    private final ExonCounters counters = new ExonCounters();
    private int receiveRecords;

    /** What unfinished messages to all peers take: the sum of {@link Peer#countedMemory}. */
    private long queuedMemory;

    /** When silent senders are looked for next, if a peer waits for room. */
    private long reclaimAtMicros;

    private int lastHandle;

    /** The most peers since the tables were last made to fit. */
    private int tablesFor;

    private long firstPacket = 1;

    /**
     * A token of an incarnation below this bound is answered UNKNOWN, not ACK, if its slot is not open: the node no longer
     * knows whether it was delivered. The bound rises when a record with open slots is abandoned.
     */
    private long unknownBelow;

    private record Appointment(long atMicros, Peer peer) implements Comparable<Appointment> {
        @Override
        public int compareTo(Appointment other) {
            return Long.compare(atMicros, other.atMicros);
        }
    }

    /**
     * A node that starts.
     *
     * @param incarnation the bound that was stored on disk, or 1 if there is none
     * @param reserved the bound that is stored on disk now, above the incarnation
     * @param secret shared by all nodes; any node that has it can take part
     */
    public ExonNode(
            NodeId self, long incarnation, long reserved, byte[] secret, ExonOptions options, ExonEffects effects) {
        this(self, incarnation, reserved, always(Seal.ofKey(secret)), options, effects);
    }

    private static Function<NodeId, Seal> always(Seal shared) {
        return node -> shared;
    }

    /**
     * A node that starts and shares secrets with its peers one by one.
     *
     * @param incarnation the bound that was stored on disk, or 1 if there is none
     * @param reserved the bound that is stored on disk now, above the incarnation
     * @param secrets the seal under the secret that this node shares with another
     */
    public ExonNode(
            NodeId self,
            long incarnation,
            long reserved,
            Function<NodeId, Seal> secrets,
            ExonOptions options,
            ExonEffects effects) {
        this.self = self;
        this.secrets = secrets;
        this.options = options;
        this.effects = effects;
        this.clock = new NodeClock(incarnation, reserved, options.clockRange());
        this.budget = new ReceiveBudget(options.maxSlotsPerNode());
        this.unknownBelow = incarnation;
        this.lastHandle = Long.hashCode(incarnation * 0x9E3779B97F4A7C15L);
    }

    /** Where a node was last known to be; used until it is heard, and again when it is silent. */
    public void hint(NodeId node, Address address) {
        hints.put(node, address);
    }

    /**
     * Sends a message. Its outcome is told once, by {@link ExonEffects#completed}, at the deadline at the latest.
     *
     * @param number the shell's name for it
     * @return false if too many bytes wait for that node, or for all nodes; then nothing was done
     * @throws IllegalArgumentException if it is too long, or addressed to this node
     */
    public boolean send(NodeId to, long number, byte[] body, long deadlineMicros, long nowMicros) {
        if (body.length > options.maxMessageBytes()) {
            throw new IllegalArgumentException(
                    "a message has at most " + options.maxMessageBytes() + " bytes: " + body.length);
        }
        if (to.equals(self)) {
            throw new IllegalArgumentException("a node sends nothing to itself: " + to);
        }
        if (queuedMemory + body.length + OutgoingMessage.OVERHEAD > options.maxQueuedBytesInAll()) {
            return false;
        }
        Peer peer = peer(to, nowMicros);
        if (peer.send == null) {
            peer.send = newSendRecord(options, clock, effects);
        } else if (peer.send.pendingBytes() + body.length > options.maxQueuedBytes()) {
            return false;
        }
        peer.onWork(nowMicros);
        peer.send.send(new OutgoingMessage(number, body, deadlineMicros, options.fragmentBytes()));
        dirty.add(peer);
        count(peer);
        return true;
    }

    /** After each input that may have begun or ended messages of the peer. */
    private void count(Peer peer) {
        long memory = peer.send == null ? 0 : peer.send.pendingMemory();
        queuedMemory += memory - peer.countedMemory;
        peer.countedMemory = memory;
    }

    /** A datagram came. This returns normally for any contents; a datagram without a good seal leaves only a count. */
    public void onDatagram(Address from, byte[] datagram, int length, long nowMicros) {
        try {
            if (length <= Seal.BYTES) {
                throw new MalformedFrameException("exon datagram: length " + length);
            }
            WireReader reader = new WireReader("exon datagram", datagram, 0, length - Seal.BYTES);
            Header header = ExonCodec.readHeader(reader);
            Peer peer = authentic(header, datagram, length, nowMicros);
            if (peer == null) {
                counters.unauthentic++;
                return;
            }
            if (header.named() && header.incarnation() < peer.session().peerIncarnation()) {
                counters.formerLife++;
                return;
            }
            List<Frame> frames = ExonCodec.readFrames(reader, peer.session().numbersOf(header));
            enroll(peer);
            if (header.named() && header.incarnation() > peer.session().peerIncarnation()) {
                forgetReceive(peer);
                peer.onNewLife(header.incarnation());
                peer.session().newLife(header.incarnation());
            }
            if (peer.session().onHeard(header, from, nowMicros)) {
                peer.onHeard(nowMicros);
            }
            onFrames(peer, frames, nowMicros);
        } catch (MalformedFrameException e) {
            counters.malformed++;
        }
    }

    /** The peer that sent it, perhaps one without state yet; null if the seal is not good or it is not for us. */
    private @Nullable Peer authentic(Header header, byte[] datagram, int length, long nowMicros) {
        Peer known = header.named() ? peers.get(header.from()) : byHandle.get(header.handle());
        if (known != null) {
            boolean ours = !header.named() || header.to().equals(self);
            return ours && known.session().verify(header, datagram, length) ? known : null;
        }
        boolean genuine = header.named()
                && header.to().equals(self)
                && !header.from().equals(self)
                && Session.isSealed(
                        Session.seal(secrets.apply(header.from()), header.from(), header.incarnation(), self),
                        datagram,
                        length);
        return genuine ? newPeer(header.from(), nowMicros) : null;
    }

    private void onFrames(Peer peer, List<Frame> frames, long nowMicros) {
        dirty.add(peer);
        List<Frame> ofTokens = new ArrayList<>();
        Set<Long> unknown = new HashSet<>();
        @Nullable Seen seen = null;
        boolean tokens = false;
        boolean told = false;
        boolean repeated = false;
        int lastRequest = lastRequest(frames);
        for (int i = 0; i < frames.size(); i++) {
            Frame frame = frames.get(i);
            if (frame instanceof Token token) {
                tokens = true;
                repeated |= !onToken(peer, token, nowMicros);
            } else if (frame instanceof RequestSlots request) {
                if (i == lastRequest) {
                    onRequest(peer, request, nowMicros);
                }
            } else if (frame instanceof Slots slots) {
                told = true;
                onSlots(peer, slots, nowMicros);
            } else if (frame instanceof Ack || frame instanceof Arrived || frame instanceof Refused) {
                ofTokens.add(frame);
            } else if (frame instanceof Seen seenFrame) {
                seen = seenFrame;
            } else if (frame instanceof Unknown ofOne) {
                unknown.add(ofOne.incarnation());
            }
        }
        if (told || !unknown.isEmpty()) {
            peer.onGone(unknown);
        }
        if (tokens || lastRequest >= 0) {
            peer.tellWhatWasSeen();
        }
        if (tokens) {
            peer.onTokensEnd(repeated, nowMicros);
        }
        if (seen != null || !ofTokens.isEmpty()) {
            peer.onFeedback(ofTokens, seen, nowMicros);
        }
        reserveClock(peer);
    }

    /**
     * The place of the request that stands for all of a datagram, or -1. A sender's frontier only rises, and requests before
     * the last ask for nothing.
     */
    private static int lastRequest(List<Frame> frames) {
        int last = frames.size() - 1;
        while (last >= 0 && !(frames.get(last) instanceof RequestSlots)) {
            last--;
        }
        return last;
    }

    /** Lines 48 to 60. */
    private void onRequest(Peer peer, RequestSlots request, long nowMicros) {
        ReceiveRecord record = peer.receive;
        if (record == null) {
            // The paper makes a record for n = 0, too; there is nothing that it could hold.
            if (request.count() == 0 || receiveRecords >= options.maxRecords() || !clock.canAdvance()) {
                return;
            }
            record = newReceiveRecord(options, budget, request.from(), clock.takeIncarnation());
            peer.beginReceiving(record, nowMicros);
            receiveRecords++;
        }
        Slots slots = record.onRequest(request);
        if (request.count() > 0) {
            peer.answer(slots);
        }
        if (record.empty()) {
            forgetReceive(peer);
        } else if (record.wants()) {
            if (waitingForRoom.isEmpty()) {
                reclaimAtMicros = nowMicros + options.idleMicros() / 2;
            }
            waitingForRoom.add(peer);
        } else {
            waitingForRoom.remove(peer);
        }
    }

    private void forgetReceive(Peer peer) {
        if (peer.receive != null) {
            peer.dropReceive();
            receiveRecords--;
            waitingForRoom.remove(peer);
        }
    }

    /** Lines 61 to 63. */
    private void onSlots(Peer peer, Slots slots, long nowMicros) {
        if (peer.send == null) {
            // Everything below ck is dead. A record that closed while it asked may have left slots above ck:
            // the paper's answer would never free them. The clock goes past them first, or a later record would be hit.
            long end = slots.from() + slots.count();
            if (end <= clock.reserved()) {
                clock.raise(end);
            }
            peer.answer(new RequestSlots(clock.value(), 0, clock.value(), 0));
        } else {
            peer.onSlots(slots, nowMicros);
        }
    }

    /** Lines 75 to 81. Returns whether the token was consumed now. */
    private boolean onToken(Peer peer, Token token, long nowMicros) {
        ReceiveRecord record = peer.receive;
        ReceiveRecord.Verdict verdict = record == null ? ReceiveRecord.Verdict.GONE : record.onToken(token);
        if (verdict == ReceiveRecord.Verdict.CONSUMED && record != null) {
            peer.acknowledgeSoon(nowMicros);
            byte[] message = record.messageOf(token);
            if (message != null) {
                counters.delivered++;
                MessageName delivery =
                        new MessageName(peer.session().peer(), record.incarnation(), token.slot(), token.pieces());
                effects.deliver(delivery, message);
            }
            return true;
        }
        counters.repeated++;
        if (verdict == ReceiveRecord.Verdict.UNSETTLED && record != null) {
            peer.acknowledgeSoon(nowMicros); // at the datagram's end: the sender asks
            if (record.isRefused(token.slot())) {
                peer.answer(record.refusal(token.slot()));
            }
        }
        if (verdict == ReceiveRecord.Verdict.GONE) {
            onGone(peer, token);
        }
        return false;
    }

    SendRecord newSendRecord(ExonOptions ofNode, NodeClock clockOfNode, ExonEffects to) {
        return new SendRecord(ofNode, clockOfNode, to);
    }

    ReceiveRecord newReceiveRecord(ExonOptions ofNode, ReceiveBudget budgetOfNode, long from, long incarnation) {
        return new ReceiveRecord(ofNode, budgetOfNode, from, incarnation);
    }

    Reordering newReordering() {
        return new Reordering();
    }

    /** Line 81: a token without an open slot is acknowledged, if its slot was consumed in this life. */
    private void onGone(Peer peer, Token token) {
        if (isUnknown(peer, token)) {
            peer.answer(new Unknown(token.incarnation()));
        } else {
            acknowledgeGone(peer, token);
        }
    }

    /** Whether the token may have been delivered in a life, or under a record, of which this node knows nothing any more. */
    boolean isUnknown(Peer peer, Token token) {
        return token.incarnation() < unknownBelow && !isCurrent(peer, token);
    }

    static boolean isCurrent(Peer peer, Token token) {
        return peer.receive != null && peer.receive.incarnation() == token.incarnation();
    }

    void acknowledgeGone(Peer peer, Token token) {
        peer.answer(new Ack(token.incarnation(), token.slot(), token.slot() + 1, new long[0]));
    }

    /**
     * The message counts as delivered: its sender may be told. Whatever that means, it must be so before this call, since the
     * acknowledgement leaves with the next datagram. Twice is the same as once.
     */
    public void onAccepted(MessageName delivery, long nowMicros) {
        Peer peer = peers.get(delivery.from());
        ReceiveRecord record = waitingFor(delivery, peer);
        // Without such a record the sender has given up, or it is a new one: none waits for the acknowledgement.
        if (peer == null || record == null || !record.accept(delivery.slot())) {
            return;
        }
        peer.onAccepted(nowMicros);
        dirty.add(peer);
        if (record.empty()) {
            forgetReceive(peer);
        } else if (record.wants() && record.room() >= options.maxSlotsPerRecord() / 8 && muchRoom()) {
            if (!grant(peer)) {
                waitingForRoom.remove(peer);
            }
        }
    }

    /**
     * The application failed at the message, and may have done a part of it: its sender hears UNKNOWN. No one gets the message
     * again.
     */
    public void onRefused(MessageName delivery, long nowMicros) {
        Peer peer = peers.get(delivery.from());
        ReceiveRecord record = waitingFor(delivery, peer);
        if (peer != null && record != null && record.refuse(delivery.slot())) {
            peer.answer(record.refusal(delivery.slot()));
            dirty.add(peer);
        }
    }

    private static @Nullable ReceiveRecord waitingFor(MessageName delivery, @Nullable Peer peer) {
        ReceiveRecord record = peer == null ? null : peer.receive;
        return record != null && record.incarnation() == delivery.incarnation() ? record : null;
    }

    /** Messages of a former life take room, until {@link #onTaken}. Before the first datagram. */
    public void onKept(int units) {
        budget.kept(units);
    }

    /** Whether a peer waits for room that {@link #onTaken} would make. */
    public boolean wantsRoom() {
        return !waitingForRoom.isEmpty();
    }

    /** The application has taken messages of so many units. */
    public void onTaken(int units, long nowMicros) {
        budget.released(units);
        if (muchRoom()) {
            grantWaiting();
        }
    }

    private boolean muchRoom() {
        return budget.room() >= options.maxSlotsPerNode() / 4;
    }

    private void grantWaiting() {
        Iterator<Peer> waiting = waitingForRoom.iterator();
        while (waiting.hasNext() && budget.room() > 0) {
            if (!grant(waiting.next())) {
                waiting.remove();
            }
        }
    }

    /** Grants what there is room for. Returns whether the peer waits for more. */
    private boolean grant(Peer peer) {
        ReceiveRecord record = peer.receive;
        Slots slots = record == null ? null : record.grantWanted();
        if (slots != null) {
            peer.answer(slots);
            dirty.add(peer);
        }
        return record != null && record.wants();
    }

    /** The clock's bound is on disk. */
    public void onClockReserved(long bound, long nowMicros) {
        clock.onReserved(bound);
        peers.values().forEach(peer -> {
            if (peer.send != null && peer.send.starving()) {
                peer.send.requestAgain();
                dirty.add(peer);
            }
        });
    }

    private void reserveClock(Peer peer) {
        long bound = clock.boundToStore(peer.send == null ? 0 : peer.send.sck());
        if (bound > 0) {
            effects.reserveClock(bound);
        }
    }

    /** Sends the datagrams that result from the inputs since the last call. */
    public void flush(long nowMicros) {
        if (dirty.isEmpty()) {
            return;
        }
        for (Peer peer : dirty) {
            peer.flush(effects, hints.get(peer.session().peer()), nowMicros);
            count(peer);
            if (peer.forgettable()) {
                forget(peer);
            } else {
                schedule(peer);
            }
        }
        if (dirty.size() > MANY) {
            dirty = new LinkedHashSet<>(); // to clear a large table takes as long as it is large, each time
        } else {
            dirty.clear();
        }
    }

    /**
     * The node is to end: receivers hear which slots it gives back. Otherwise they keep the room for a sender that is gone, until
     * it is silent for long. Messages without an outcome are left alone.
     */
    public void close(long nowMicros) {
        peers.values().stream().filter(Peer::closeIdle).forEach(dirty::add);
        flush(nowMicros);
    }

    /** Does the work that is due, and sends. */
    public void onTick(long nowMicros) {
        while (!agenda.isEmpty() && agenda.peek().atMicros <= nowMicros) {
            Appointment due = agenda.remove();
            Peer peer = due.peer;
            if (!current(due)) {
                continue;
            }
            peer.scheduledMicros = Long.MAX_VALUE;
            if (peer.deadline() <= nowMicros) {
                peer.onTick(nowMicros);
                if (peer.abandoned(nowMicros)) {
                    giveUp(peer, nowMicros);
                }
            }
            dirty.add(peer);
        }
        if (nowMicros >= reclaimMicros()) {
            reclaim(nowMicros);
        }
        flush(nowMicros);
    }

    private void giveUp(Peer peer, long nowMicros) {
        if (peer.isLost(nowMicros) || missingRoom() > 0) {
            abandon(peer);
            grantWaiting();
        } else {
            peer.spare();
        }
    }

    /** When {@link #reclaim} is due; it takes a pass over all peers. */
    private long reclaimMicros() {
        return waitingForRoom.isEmpty() ? Long.MAX_VALUE : reclaimAtMicros;
    }

    /**
     * While messages of living senders wait for room, silent senders are asked a last time, the longest silent first, and no more
     * than hold the room that is missing.
     */
    private void reclaim(long nowMicros) {
        reclaimAtMicros = nowMicros + options.idleMicros() / 2;
        long missing = missingRoom();
        if (missing <= 0) {
            return;
        }
        List<Peer> silent = new ArrayList<>();
        for (Peer peer : peers.values()) {
            if (peer.isAskedLast() && peer.receive != null) {
                missing -= peer.receive.openSlots();
            } else if (peer.isSilent()) {
                silent.add(peer);
            }
        }
        silent.sort(Comparator.comparingLong(Peer::heardMicros));
        for (Peer peer : silent) {
            if (missing > 0 && peer.receive != null) {
                missing -= peer.receive.openSlots();
                peer.askLast(nowMicros);
                dirty.add(peer);
            }
        }
    }

    /** Slots that senders would get if there was room, if the next message of one of them waits; 0 or less if none does. */
    private long missingRoom() {
        long wanted = 0;
        boolean starves = false;
        for (Peer peer : waitingForRoom) {
            if (peer.receive != null && peer.answers()) {
                wanted += peer.receive.wanted();
                starves |= peer.receive.starves();
            }
        }
        return starves ? wanted - Math.max(0, budget.room()) : 0;
    }

    void raiseUnknownBelow(long incarnation) {
        unknownBelow = Math.max(unknownBelow, incarnation);
    }

    /** A sender that left slots open has been silent for too long. */
    private void abandon(Peer peer) {
        if (peer.receive != null) {
            raiseUnknownBelow(peer.receive.incarnation() + 1);
            forgetReceive(peer);
            counters.abandoned++;
        }
    }

    /** When {@link #onTick} must be called at the latest; {@link Long#MAX_VALUE} for never. */
    public long nextDeadline() {
        while (!agenda.isEmpty() && !current(agenda.peek())) {
            agenda.remove();
        }
        long next = agenda.isEmpty() ? Long.MAX_VALUE : agenda.peek().atMicros;
        return Math.min(next, reclaimMicros());
    }

    private void schedule(Peer peer) {
        long at = peer.deadline();
        if (at < peer.scheduledMicros) {
            peer.scheduledMicros = at;
            agenda.add(new Appointment(at, peer));
        }
    }

    private Peer peer(NodeId node, long nowMicros) {
        Peer known = peers.get(node);
        if (known != null) {
            return known;
        }
        Peer peer = newPeer(node, nowMicros);
        enroll(peer);
        return peer;
    }

    private Peer newPeer(NodeId node, long nowMicros) {
        do {
            lastHandle++;
        } while (lastHandle == 0 || byHandle.containsKey(lastHandle));
        Session session = new Session(self, clock.incarnation(), node, secrets.apply(node), lastHandle, firstPacket);
        return new Peer(options, session, newReordering(), nowMicros);
    }

    private void enroll(Peer peer) {
        if (peers.putIfAbsent(peer.session().peer(), peer) == null) {
            byHandle.put(peer.session().handle(), peer);
            tablesFor = Math.max(tablesFor, peers.size());
        }
    }

    private void forget(Peer peer) {
        peers.remove(peer.session().peer());
        byHandle.remove(peer.session().handle());
        firstPacket = Math.max(firstPacket, peer.session().nextPacket());
        if (tablesFor > MANY && peers.size() < tablesFor / 8) {
            // Java's tables never shrink, and past peers shall cost nothing.
            peers = new HashMap<>(peers);
            byHandle = new HashMap<>(byHandle);
            agenda.removeIf(appointment -> !current(appointment));
            agenda = new PriorityQueue<>(agenda);
            tablesFor = peers.size();
        }
    }

    /** Whether it is the next of a peer that is still known. */
    private boolean current(Appointment appointment) {
        return appointment.atMicros == appointment.peer.scheduledMicros
                && peers.get(appointment.peer.session().peer()) == appointment.peer;
    }

    /** Live figures. */
    public ExonCounters counters() {
        counters.peers = peers.size();
        counters.openSlots = budget.open();
        counters.heldUnits = budget.held();
        counters.receiveRecords = receiveRecords;
        counters.sendRecords = 0;
        counters.mostSlotsOfARecord = 0;
        counters.reorderingMicros = 0;
        for (Peer peer : peers.values()) {
            counters.sendRecords += peer.send == null ? 0 : 1;
            int slots = peer.receive == null ? 0 : peer.receive.openSlots();
            counters.mostSlotsOfARecord = Math.max(counters.mostSlotsOfARecord, slots);
            counters.reorderingMicros = Math.max(counters.reorderingMicros, peer.reorderingMicros());
        }
        return counters;
    }
}
