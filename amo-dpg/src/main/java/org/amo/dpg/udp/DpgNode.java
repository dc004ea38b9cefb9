package org.amo.dpg.udp;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;
import org.amo.dpg.DpgCodec;
import org.amo.dpg.DpgEffects;
import org.amo.dpg.DpgSite;
import org.amo.dpg.Message;
import org.amo.dpg.PduTag;
import org.amo.dpg.Report;
import org.amo.dpg.SequencedReception;
import org.amo.dpg.Tag;
import org.amo.dpg.TagSequencer.Numbered;

/**
 * Runs a site of DPG in datagrams: the protocol, its reception in the order of a tag sequencer's numbers, the tags of its
 * own PDUs until they are numbered, the seals, and the comparison of sites' deliveries. Its shell provides the socket, the
 * clock and the thread; for UDP that is {@link DpgEndpoint}.
 *
 * <p>One thread owns it. Inputs take microseconds of a monotonic clock that began at 0 or later. After inputs {@link #flush} must be
 * called, and {@link #onTick} no later than {@link #nextDeadline}. Effects must not call back.
 */
public final class DpgNode {
    /**
     * No more is sent while so much has no place in the order yet, or no number: a graph that grows costs all sites time, which
     * makes it grow (section 6: "the graph G growing too large to be processed in real time").
     */
    private static final int MOST_VERTICES = 64;

    private static final int MOST_UNNUMBERED = 32;
    private static final long HELLO_MICROS = 500_000;
    /** Longer than an own message counts as on its way. */
    private static final long TAG_LIFE_MICROS = 10_000_000;

    private final DpgNodeOptions options;
    private final DpgReceiver receiver;
    private final DpgNodeEffects effects;
    private final LongSupplier random;

    private final Seal seal;
    private final Seal sequencerSeal;
    private final Seal proofs;
    private final DpgSite site;
    private SequencedReception<Pdu> reception;
    private final OwnTags ownTags;
    private final OrderDigest digest = new OrderDigest();
    private final long instance;

    /** Own PDUs that left and have not yet been handed to the reception; the protocol must not be entered while it sends. */
    private final ArrayDeque<Own> sent = new ArrayDeque<>();

    private long nowMicros;
    /**
     * The clock of the reception's patience: it advances by a step at most for each batch of inputs, so that PDUs that wait
     * unread in a socket while this process is paused do not count as lost.
     */
    private long patienceMicros;

    private long steppedMicros;
    private long helloAtMicros;
    private long toSequencers;
    private long messageBytes;
    private long reportBytes;
    private long messagesSent;
    private long unauthentic;
    private long malformed;
    private long oversize;

    /** A PDU that the reception puts into order. */
    private record Pdu(Optional<Message> message, Optional<Report> report, Optional<OrderDigest.Digest> digest) {}

    private record Own(long nonce, Pdu pdu) {}

    /** @param random gives 64 unpredictable bits */
    public DpgNode(
            DpgNodeOptions options, DpgReceiver receiver, DpgNodeEffects effects, LongSupplier random, long nowMicros) {
        this.options = options;
        this.receiver = receiver;
        this.effects = effects;
        this.random = random;
        this.nowMicros = nowMicros;
        this.instance = random.getAsLong();
        this.seal = DpgFrames.seal(options.secret(), "group");
        this.sequencerSeal = DpgFrames.sequencerSeal(options.sequencerSecret());
        this.proofs = DpgFrames.seal(options.secret(), "tag");
        this.ownTags =
                new OwnTags(options.sequencers(), options.repeatMicros(), options.silenceMicros(), TAG_LIFE_MICROS);
        this.reception = newReception();
        this.site = new DpgSite(options.core(), this::newOrigin, new SiteEffects(), nowMicros);
        this.helloAtMicros = nowMicros;
        this.steppedMicros = nowMicros;
    }

    private SequencedReception<Pdu> newReception() {
        return new SequencedReception<>(
                nonce -> DpgFrames.proof(proofs, nonce), options.patienceMicros(), options.window(), new InOrder());
    }

    /**
     * This site was not run for longer than an absence, and its shell drops the datagrams that came meanwhile. This method
     * drops PDUs that had come before and were not in order yet: the site begins anew with later PDUs.
     */
    public void onStoodStill(long now) {
        nowMicros = now;
        step(now);
        reception = newReception();
        site.onTick(now);
        settle();
    }

    private long stepMicros() {
        return Math.max(1, options.patienceMicros() / 8);
    }

    private void step(long now) {
        patienceMicros += Math.min(now - steppedMicros, stepMicros());
        steppedMicros = now;
    }

    private long newOrigin() {
        long origin = random.getAsLong();
        while (origin == 0) {
            origin = random.getAsLong();
        }
        return origin;
    }

    /**
     * Takes a message of the application.
     *
     * @return false if the admission buffers are full, or too much waits for its place in the order; then nothing was done
     * @throws IllegalArgumentException in one line, if it is too long
     */
    public boolean submit(byte[] body, long now) {
        checkLength(options, body.length);
        nowMicros = now;
        if (!site.isAnchored() || site.vertices() >= MOST_VERTICES || ownTags.size() >= MOST_UNNUMBERED) {
            return false;
        }
        boolean taken = site.submit(body, now);
        settle();
        return taken;
    }

    /** Whether it is meant for a sequencer, and not for a site; for networks that cannot tell the two apart. */
    public static boolean isForSequencer(byte[] datagram) {
        return DpgFrames.kind(datagram) == DpgFrames.TAGS;
    }

    static void checkLength(DpgNodeOptions options, int length) {
        if (length > options.maxMessageBytes()) {
            throw new IllegalArgumentException("a message of " + length + " bytes is too long: at most "
                    + options.maxMessageBytes() + " here; raise maxBodyBytes (a datagram has at most "
                    + options.maxDatagramBytes() + ") or split it");
        }
    }

    /** A datagram came, from any sender. This returns normally for any content. */
    public void onDatagram(byte[] datagram, long now) {
        nowMicros = now;
        try {
            switch (DpgFrames.kind(datagram)) {
                case DpgFrames.PDU -> onPdu(datagram);
                case DpgFrames.NUMBERED -> onNumbered(datagram);
                default -> malformed++;
            }
        } catch (MalformedFrameException e) {
            malformed++;
        }
        settle();
    }

    private void onPdu(byte[] datagram) {
        if (DpgFrames.instance(datagram) == instance) {
            return; // the network's copy of an own one
        }
        if (!DpgFrames.isSealed(seal, datagram)) {
            unauthentic++;
            return;
        }
        DpgFrames.Envelope envelope = DpgFrames.decodeEnvelope(datagram);
        boolean isMessage = DpgCodec.isMessage(envelope.pdu());
        Pdu pdu = isMessage
                ? new Pdu(Optional.of(DpgCodec.decodeMessage(envelope.pdu())), Optional.empty(), Optional.empty())
                : new Pdu(Optional.empty(), Optional.of(DpgCodec.decodeReport(envelope.pdu())), envelope.digest());
        reception.onPdu(envelope.nonce(), pdu, isMessage, patienceMicros);
    }

    private void onNumbered(byte[] datagram) {
        if (!DpgFrames.isSealed(sequencerSeal, datagram)) {
            unauthentic++;
            return;
        }
        Numbered numbered = DpgFrames.decodeNumbered(datagram);
        ownTags.onNumbered(numbered.epoch(), numbered.tags());
        reception.onNumbered(numbered, patienceMicros);
    }

    /** Time has passed. Calling it too often is harmless. */
    public void onTick(long now) {
        nowMicros = now;
        step(now);
        reception.onTick(patienceMicros);
        if (now >= site.nextDeadline()) {
            site.onTick(now);
        }
        settle();
    }

    /** When {@link #onTick} must be called at the latest. */
    public long nextDeadline() {
        long waits = reception.nextDeadline() == Long.MAX_VALUE ? Long.MAX_VALUE : nowMicros + stepMicros();
        return Math.min(
                Math.min(site.nextDeadline(), waits),
                Math.min(ownTags.nextDeadline(), options.sequencers() > 1 ? helloAtMicros : Long.MAX_VALUE));
    }

    /** After inputs: sends all tags that are due to the sequencer together. */
    public void flush(long now) {
        nowMicros = now;
        step(now);
        List<PduTag> due = ownTags.due(now);
        for (int from = 0; from < due.size(); from += DpgFrames.TAGS_AT_ONCE) {
            List<PduTag> some = due.subList(from, Math.min(due.size(), from + DpgFrames.TAGS_AT_ONCE));
            toSequencer(ownTags.current(), some);
        }
        if (now >= helloAtMicros) {
            helloAtMicros = now + HELLO_MICROS;
            // Tells this site's address to the sequencers that may take over.
            for (int index = 0; index < options.sequencers(); index++) {
                if (index != ownTags.current()) {
                    toSequencer(index, List.of());
                }
            }
        }
    }

    private void toSequencer(int index, List<PduTag> tags) {
        toSequencers++;
        byte[] content =
                DpgFrames.encode(new DpgFrames.Tags(index, instance, toSequencers, ownTags.heardEpoch(), tags));
        effects.toSequencer(index, sequencerSeal.sealed(content));
    }

    /** Own PDUs come back without the network: this site has them, and waits for their numbers like all others. */
    private void settle() {
        for (Own own = sent.poll(); own != null; own = sent.poll()) {
            reception.onPdu(own.nonce, own.pdu, own.pdu.message.isPresent(), patienceMicros);
        }
    }

    /** Whether the site has a place in the common sequence; until then nothing is sent or delivered. */
    public boolean isAnchored() {
        return site.isAnchored();
    }

    /** Figures at this moment. */
    public DpgMetrics figures() {
        return new DpgMetrics(
                site.counters().delivered(),
                site.counters().dummies(),
                digest.compared(),
                digest.different(),
                site.counters().contradictions(),
                site.counters().forced(),
                site.counters().chosen(),
                site.counters().returns(),
                site.counters().astray(),
                messagesSent,
                site.counters().reports(),
                messageBytes,
                reportBytes,
                site.counters().remulticast(),
                site.counters().overflows(),
                site.counters().mostVertices(),
                ownTags.heardEpoch(),
                unauthentic,
                malformed,
                oversize);
    }

    /** PDUs in the order of their numbers. */
    private final class InOrder implements SequencedReception.Receiver<Pdu> {
        @Override
        public void receive(Pdu pdu, boolean contiguous) {
            pdu.message.ifPresent(message -> site.onMessage(message, contiguous, nowMicros));
            // This site's deliveries, of this spell or an earlier one, are not compared with themselves.
            pdu.report.filter(report -> !site.isOwn(report.origin())).ifPresent(report -> {
                site.onReport(report, nowMicros);
                pdu.digest.ifPresent(digest::onDigest);
            });
        }

        @Override
        public void late(Pdu pdu) {
            pdu.message.ifPresent(message -> site.onLateMessage(message, nowMicros));
        }
    }

    private final class SiteEffects implements DpgEffects {
        @Override
        public void multicast(Message message) {
            byte[] pdu = DpgCodec.encode(message);
            messagesSent++;
            messageBytes += pdu.length;
            send(pdu, new Pdu(Optional.of(message), Optional.empty(), Optional.empty()));
        }

        @Override
        public void multicast(Report report) {
            byte[] pdu = DpgCodec.encode(report);
            reportBytes += pdu.length;
            Optional<OrderDigest.Digest> last =
                    report.anchored() && !digest.isEmpty() ? Optional.of(digest.digest()) : Optional.empty();
            send(pdu, new Pdu(Optional.empty(), Optional.of(report), last));
        }

        private void send(byte[] bytes, Pdu pdu) {
            if (bytes.length + DpgFrames.MOST_AROUND_PDU > options.maxDatagramBytes()) {
                oversize++; // only a report can be; the next one, when bodies and graph have shrunk, tells as much
                return;
            }
            long nonce = random.getAsLong();
            byte[] content = DpgFrames.encode(new DpgFrames.Envelope(instance, nonce, pdu.digest, bytes));
            effects.toGroup(seal.sealed(content));
            ownTags.add(new PduTag(nonce, DpgFrames.proof(proofs, nonce)), pdu.message.isPresent(), nowMicros);
            sent.add(new Own(nonce, pdu));
        }

        @Override
        public void beginSegment(Tag after) {
            digest.begin();
            receiver.onSegment(after);
        }

        @Override
        public void deliver(Tag tag, byte[] body) {
            digest.delivered(tag);
            receiver.onMessage(tag, body, site.isOwn(tag.origin()));
        }

        @Override
        public void deliverDummy(Tag tag) {
            digest.delivered(tag);
            receiver.onDummy(tag);
        }

        @Override
        public void undetermined(Message own) {
            receiver.onUndetermined(own.body());
        }
    }
}
