package org.amo.exon.udp;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.amo.base.wire.MalformedFrameException;
import org.amo.exon.Address;
import org.amo.exon.NodeId;
import org.amo.exon.udp.NoiseHandshake.Keys;
import org.amo.exon.udp.SecureFrame.Opening;
import org.amo.exon.udp.SecureFrame.Outside;
import org.amo.exon.udp.SecureLink.Candidate;
import org.amo.exon.udp.SecureLink.Initiation;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts the datagrams between a node and its peers: it stands between {@link org.amo.exon.ExonNode} and the socket, and to the
 * node it is a part of the network, which may lose datagrams and repeats none. One thread owns it.
 *
 * <p><b>Keys.</b> Two nodes that share a secret agree on keys by {@link NoiseHandshake} when the first datagram is to leave, and on
 * others after {@code rotateBytes} or {@code rotateMicros}. The former keys take records for some time more. No key is stored, so a
 * node that starts anew agrees anew, and a record of before is good nowhere.
 *
 * <p><b>Strangers.</b> A first message without the shared key costs hashes and leaves nothing. One with it, perhaps a recording,
 * makes a candidate: at most {@link #MOST_CANDIDATES} for {@link #CANDIDATE_MICROS} each. A candidate becomes a session when its
 * first record comes, which a recording cannot send.
 *
 * <p><b>Addresses.</b> Datagrams go where the node was told to send, and to addresses at which the peer has shown that it reads: by
 * an answer to a handshake or to a challenge. Elsewhere go only the answers to a first message, to a record without a session, to
 * a challenge, and one challenge for a record: in all at most three times the bytes of the datagram that they answer.
 */
class SecureLinks {
    static final int DATA = 0;
    static final int CHALLENGE = 1;
    static final int RESPONSE = 2;

    static final int MOST_CANDIDATES = 1_024;
    static final long CANDIDATE_MICROS = 10_000_000;

    private static final long HANDSHAKE_MICROS = 10_000_000;
    private static final long FIRST_RETRY = 100_000;
    private static final long LONGEST_RETRY = 1_000_000;
    private static final long NOTICE_SPACING = 1_000_000;
    private static final long SWEEP_MICROS = 10_000_000;

    /** Datagrams that wait for keys: for one peer, and for all together. */
    private static final int MOST_WAITING = 64;

    private static final int MOST_WAITING_IN_ALL = 4_096;
    private static final byte[] NOTHING = {};

    private final SecureKeys keys;
    private final Effects effects;
    private final RandomGenerator random;
    private final Supplier<KeyPair> keyPairs;

    private final Map<NodeId, SecureLink> links = new HashMap<>();
    private final Map<Integer, SecureSession> sessions = new HashMap<>();
    // Of the sessions that were used; where two peers chose one name, of the later.
    private final Map<Integer, SecureSession> byPeersIndex = new HashMap<>();
    private final Map<Integer, SecureLink> byInitiation = new HashMap<>();
    // Every link with an initiation.
    private final Set<SecureLink> initiating = new LinkedHashSet<>();
    // Every link with a candidate, the oldest first.
    private final Map<NodeId, SecureLink> answered = new LinkedHashMap<>();
    private int attempts;
    private int waitingInAll;
    private long againMicros = Long.MAX_VALUE;
    private long sweepMicros = Long.MAX_VALUE;
    private long unauthentic;
    private long malformed;
    private long replayed;
    private long agreed;

    /** Both directions; neither may call back. */
    interface Effects {
        /** Hands a datagram to the socket. */
        void send(Address to, byte[] datagram);

        /** Hands a datagram of an authentic peer to the node. */
        void opened(Address from, byte[] datagram);
    }

    /**
     * @param random of names of sessions and of challenges; no other process can foresee it
     * @param keyPairs makes the pair of one handshake; no other process can foresee it, and none comes twice
     */
    SecureLinks(SecureKeys keys, Effects effects, RandomGenerator random, Supplier<KeyPair> keyPairs) {
        this.keys = keys;
        this.effects = effects;
        this.random = random;
        this.keyPairs = keyPairs;
    }

    /** The node sends a datagram. It leaves sealed, or waits for keys, or is dropped like one that the network loses. */
    void transmit(NodeId peer, Address to, byte[] datagram, long nowMicros) {
        SecureLink link = link(peer, nowMicros);
        SecureSession session = link.current;
        if (session == null || session.isUsedUp(keys, nowMicros)) {
            Initiation initiation = initiate(link, to, nowMicros);
            if (initiation.waiting().size() < MOST_WAITING && waitingInAll < MOST_WAITING_IN_ALL) {
                initiation.waiting().add(new Initiation.Waiting(to, datagram));
                waitingInAll++;
            }
            return;
        }
        effects.send(to, session.seal(DATA, datagram));
        if (link.onSent(to, nowMicros) || session.isDue(keys, nowMicros)) {
            initiate(link, to, nowMicros);
        }
    }

    private SecureLink link(NodeId peer, long nowMicros) {
        if (links.isEmpty()) {
            sweepMicros = nowMicros + SWEEP_MICROS;
        }
        return links.computeIfAbsent(peer, this::newLink);
    }

    SecureLink newLink(NodeId peer) {
        return new SecureLink(peer);
    }

    /** Begins a handshake, unless one is under way, which then goes to this address as well. */
    private Initiation initiate(SecureLink link, Address to, long nowMicros) {
        Initiation initiation = link.initiation;
        if (initiation == null) {
            byte[] head = SecureFrame.firstHead(link.peer(), keys.self());
            NoiseHandshake handshake =
                    new NoiseHandshake(true, SecureKeys.prologue(head), keys.psk(keys.self(), link.peer()));
            int index = newIndex();
            byte[] opening = new Opening(index, keys.incarnation(), ++attempts).toBytes();
            byte[] first = handshake.writeFirst(keyPairs.get(), opening);
            initiation = new Initiation(handshake, index, SecureFrame.join(head, first), nowMicros + HANDSHAKE_MICROS);
            initiation.onSent(nowMicros, FIRST_RETRY, LONGEST_RETRY);
            link.initiation = initiation;
            initiating.add(link);
            byInitiation.put(index, link);
            againMicros = Math.min(againMicros, initiation.againMicros());
        }
        if (initiation.addAddress(to)) {
            effects.send(to, initiation.first());
        }
        return initiation;
    }

    private int newIndex() {
        while (true) {
            int index = random.nextInt();
            if (!sessions.containsKey(index) && !byInitiation.containsKey(index)) {
                return index;
            }
        }
    }

    /** A datagram came. This returns normally for any bytes. */
    void onDatagram(Address from, byte[] datagram, long nowMicros) {
        try {
            Outside outside = SecureFrame.read(datagram);
            switch (outside.form()) {
                case SecureFrame.FIRST -> onFirst(outside, from, datagram, nowMicros);
                case SecureFrame.SECOND -> onSecond(outside, from, datagram, nowMicros);
                case SecureFrame.RECORD -> onRecord(outside, from, datagram, nowMicros);
                default -> onNotice(outside, nowMicros);
            }
        } catch (MalformedFrameException e) {
            malformed++;
        }
    }

    private void onFirst(Outside outside, Address from, byte[] datagram, long nowMicros) {
        NodeId peer = outside.from();
        if (peer == null || peer.equals(keys.self()) || !keys.self().equals(outside.to())) {
            unauthentic++;
            return;
        }
        SecureLink known = links.get(peer);
        if (known != null && known.candidate != null && Arrays.equals(datagram, known.candidate.first())) {
            onRepeated(known, known.candidate, from);
            return;
        }
        byte[] head = Arrays.copyOf(datagram, outside.bodyAt());
        byte[] message = Arrays.copyOfRange(datagram, outside.bodyAt(), datagram.length);
        NoiseHandshake handshake = new NoiseHandshake(false, SecureKeys.prologue(head), keys.psk(peer, keys.self()));
        byte[] payload = handshake.readFirst(message);
        if (payload == null) {
            unauthentic++;
            return;
        }
        Opening opening = Opening.of(payload);
        if (known != null && !opening.isAfter(known.newestOpening)) {
            replayed++;
            return;
        }
        if (!roomForCandidate(peer, nowMicros)) {
            return;
        }
        int index = newIndex();
        byte[] answer = handshake.writeSecond(
                keyPairs.get(), message, ByteBuffer.allocate(4).putInt(index).array());
        if (answer == null) {
            unauthentic++;
            return;
        }
        SecureLink link = link(peer, nowMicros);
        link.newestOpening = opening;
        byte[] second = SecureFrame.join(SecureFrame.secondHead(opening.index()), answer);
        SecureSession session = newSession(link, false, index, opening.index(), handshake.split(), nowMicros);
        forgetCandidate(link);
        link.candidate = new Candidate(session, datagram, second, from, nowMicros);
        answered.put(peer, link);
        sessions.put(index, session);
        effects.send(from, second);
    }

    SecureSession newSession(
            SecureLink link, boolean initiator, int index, int peersIndex, Keys agreedOn, long nowMicros) {
        return new SecureSession(link, initiator, index, peersIndex, agreedOn, nowMicros);
    }

    /** A copy of the first message: the answer may be lost. If it comes from elsewhere, the handshake does not tell where the peer reads. */
    private void onRepeated(SecureLink link, Candidate candidate, Address from) {
        if (!from.equals(candidate.from())) {
            link.candidate = candidate.fromSeveral();
        }
        effects.send(from, candidate.second());
    }

    private boolean roomForCandidate(NodeId peer, long nowMicros) {
        if (answered.size() < MOST_CANDIDATES || answered.containsKey(peer)) {
            return true;
        }
        SecureLink oldest = answered.values().iterator().next();
        if (oldest.candidate != null && nowMicros - oldest.candidate.bornMicros() < CANDIDATE_MICROS) {
            return false;
        }
        forgetCandidate(oldest);
        return true;
    }

    private void onSecond(Outside outside, Address from, byte[] datagram, long nowMicros) {
        SecureLink link = byInitiation.get(outside.index());
        Initiation initiation = link == null ? null : link.initiation;
        if (link == null || initiation == null) {
            return; // a copy, or too late
        }
        byte[] message = Arrays.copyOfRange(datagram, outside.bodyAt(), datagram.length);
        byte[] payload = initiation.handshake().readSecond(message);
        if (payload == null) {
            unauthentic++;
            return;
        }
        int peersIndex = ByteBuffer.wrap(payload).getInt();
        SecureSession session = newSession(
                link,
                true,
                initiation.index(),
                peersIndex,
                initiation.handshake().split(),
                nowMicros);
        if (initiation.addresses().contains(from)) {
            link.validated = from;
        } else if (link.validated == null) {
            link.validated = initiation.addresses().get(0); // this node was told of it
        }
        endInitiation(link, initiation);
        use(link, session);
        link.onHeard();
        Address address = link.validated == null ? from : link.validated;
        if (initiation.waiting().isEmpty()) {
            effects.send(address, session.seal(DATA, NOTHING)); // the responder may use the keys from now on
        }
        initiation.waiting().forEach(waiting -> effects.send(waiting.to(), session.seal(DATA, waiting.datagram())));
    }

    /** From now on records leave under these keys; those under the former ones may still come. */
    void use(SecureLink link, SecureSession session) {
        if (link.previous != null) {
            forget(link.previous);
        }
        link.previous = link.current;
        link.current = session;
        sessions.put(session.index(), session);
        byPeersIndex.put(session.peersIndex(), session);
        agreed++;
    }

    void forget(SecureSession session) {
        sessions.remove(session.index());
        byPeersIndex.remove(session.peersIndex(), session);
    }

    private void endInitiation(SecureLink link, Initiation initiation) {
        link.initiation = null;
        initiating.remove(link);
        byInitiation.remove(initiation.index());
        waitingInAll -= initiation.waiting().size();
    }

    /** The session that this node gave the name. */
    @Nullable
    SecureSession session(int index) {
        return sessions.get(index);
    }

    void onRecord(Outside outside, Address from, byte[] datagram, long nowMicros) {
        SecureSession session = session(outside.index());
        if (session == null) {
            effects.send(from, SecureFrame.notice(outside)); // this node may have been started anew
            return;
        }
        if (!session.isNew(outside)) {
            replayed++;
            return;
        }
        byte[] content = session.open(outside, datagram);
        if (content == null || content.length == 0) {
            unauthentic++;
            return;
        }
        boolean newest = session.take(outside);
        SecureLink link = session.link();
        link.onHeard();
        Candidate candidate = link.candidate;
        if (candidate != null && candidate.session() == session) {
            link.candidate = null;
            answered.remove(link.peer());
            use(link, session);
            if (candidate.from().equals(from)) {
                link.validated = from; // the answer was read there
            }
        }
        if (newest && !from.equals(link.validated)) {
            byte[] challenge = link.challenge(from, random, nowMicros);
            if (challenge.length > 0) {
                effects.send(from, session.seal(CHALLENGE, challenge));
            }
        }
        onContent(link, session, from, content);
    }

    private void onContent(SecureLink link, SecureSession session, Address from, byte[] content) {
        byte[] body = Arrays.copyOfRange(content, 1, content.length);
        switch (content[0]) {
            case DATA -> {
                if (body.length > 0 && link.validated != null) {
                    effects.opened(link.validated, body);
                }
            }
            case CHALLENGE -> effects.send(from, session.seal(RESPONSE, body));
            case RESPONSE -> link.onResponse(body);
            default -> malformed++;
        }
    }

    /** The peer says that it does not know the session. A forged notice has the same effect: a handshake, once a second at most. */
    private void onNotice(Outside outside, long nowMicros) {
        SecureSession session = byPeersIndex.get(outside.index());
        if (session == null || session != session.link().current || !session.sent(outside)) {
            return;
        }
        SecureLink link = session.link();
        if (link.lastTo != null && link.initiation == null && nowMicros - link.noticedMicros >= NOTICE_SPACING) {
            link.noticedMicros = nowMicros;
            initiate(link, link.lastTo, nowMicros);
        }
    }

    /** Sends handshakes again, and forgets keys whose time is over. */
    void onTick(long nowMicros) {
        if (nowMicros >= againMicros) {
            againMicros = Long.MAX_VALUE;
            for (SecureLink link : List.copyOf(initiating)) {
                retry(link, nowMicros);
            }
        }
        if (nowMicros >= sweepMicros) {
            sweep(nowMicros);
        }
    }

    private void retry(SecureLink link, long nowMicros) {
        Initiation initiation = link.initiation;
        if (initiation == null) {
            return;
        }
        if (initiation.isOver(nowMicros)) {
            endInitiation(link, initiation);
            return;
        }
        if (nowMicros >= initiation.againMicros()) {
            initiation.onSent(nowMicros, FIRST_RETRY, LONGEST_RETRY);
            initiation.addresses().forEach(to -> effects.send(to, initiation.first()));
        }
        againMicros = Math.min(againMicros, initiation.againMicros());
    }

    private void sweep(long nowMicros) {
        Iterator<SecureLink> all = links.values().iterator();
        while (all.hasNext()) {
            SecureLink link = all.next();
            link.current = kept(link.current, nowMicros);
            link.previous = kept(link.previous, nowMicros);
            if (link.candidate != null && nowMicros - link.candidate.bornMicros() >= CANDIDATE_MICROS) {
                forgetCandidate(link);
            }
            if (link.forgettable()) {
                all.remove();
            }
        }
        sweepMicros = links.isEmpty() ? Long.MAX_VALUE : nowMicros + SWEEP_MICROS;
    }

    private @Nullable SecureSession kept(@Nullable SecureSession session, long nowMicros) {
        if (session != null && session.isOver(keys, nowMicros)) {
            forget(session);
            return null;
        }
        return session;
    }

    private void forgetCandidate(SecureLink link) {
        if (link.candidate != null) {
            sessions.remove(link.candidate.session().index());
            link.candidate = null;
            answered.remove(link.peer());
        }
    }

    /** When {@link #onTick} must be called at the latest; {@link Long#MAX_VALUE} for never. */
    long nextDeadline() {
        return Math.min(againMicros, sweepMicros);
    }

    /** Datagrams dropped for want of a good key. */
    long unauthentic() {
        return unauthentic;
    }

    /** Datagrams dropped for their form. */
    long malformed() {
        return malformed;
    }

    /** Datagrams dropped since they came before. */
    long replayed() {
        return replayed;
    }

    /** Handshakes that ended in keys. */
    long agreed() {
        return agreed;
    }

    /** Nodes of which anything is remembered. */
    int remembered() {
        return links.size();
    }
}
