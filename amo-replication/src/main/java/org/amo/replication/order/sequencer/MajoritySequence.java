package org.amo.replication.order.sequencer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * What a member does with the entries that a sequencer orders: it hands one on only when a majority of
 * the configured members, all in its present view, have received the same entries up to it.
 *
 * <p><b>Acknowledgements.</b> A member tells the others how many entries it has received and a hash over
 * all of them. An acknowledgement counts only if the hash equals one's own at that count, so that members
 * whose sequences differ (a sequencer that dies can leave that behind) do not confirm each other: they
 * stop instead of answering differently. Who is in the minority then, or, where there is no majority,
 * stands later in the view, stops for good and has to be restarted; so does a member that lacks an
 * entry which nobody will send it any more.
 *
 * <p><b>Joining.</b> Everything is kept in memory, by everyone. A member that starts has nothing: it
 * orders a mark among the entries, drops what is ordered before its mark and keeps what comes after; an
 * established member notes how many entries it had when the mark came by, and gives the joiner just
 * those. A group is founded when all configured members are there and none is established; not by a
 * majority, for the missing member might be the one that knows the history.
 *
 * <p>One thread owns it at a time (its user holds a lock). Effects must not call back.
 */
final class MajoritySequence {

    /** How often {@link #onTick} is called; the patience below counts in ticks, so that a stopped process has none. */
    static final int TICK_MILLIS = 200;

    private static final int JOIN_PATIENCE_TICKS = 15;
    private static final int STUCK_TICKS = 25;
    private static final int DIFFERENCE_TICKS = 10;
    private static final int PIECE_BYTES = 512 << 10;

    /** What it wants done. */
    interface Effects {
        /** Order a mark among the entries. */
        void mark(long nonce);

        /** Order the founding of the group among the entries. */
        void found();

        void status(String to, long nonce, boolean established);

        void fetch(String from, long nonce, long firstPosition);

        /** Entries from {@code firstPosition} on, of {@code total} that lie before the mark. */
        void piece(String to, long nonce, long firstPosition, long total, List<byte[]> entries);

        void acknowledge(long received, long hash);

        void deliver(long position, byte[] entry);

        /** Who orders the entries; empty while this member cannot take part. */
        void leader(String member);

        /** This member must not go on; nothing more comes of it. */
        void stop(String reason);
    }

    private enum Phase {
        JOINING,
        ESTABLISHED,
        STOPPED
    }

    private final String self;
    private final Set<String> configured;
    private final int quorum;
    private final LongSupplier nonces;
    private final Effects effects;

    private Phase phase = Phase.JOINING;
    private List<String> view = List.of();
    private String reportedLeader = "";

    // Invariant: hashes[p] covers entries 1 to p; entry p is entries.get(p - 1); delivered <= entries.size().
    private final List<byte[]> entries = new ArrayList<>();
    private long[] hashes = new long[1_024];
    private long delivered;
    private final Map<String, Peer> peers = new HashMap<>();
    private final Map<String, Mark> marks = new HashMap<>();

    // While joining.
    private long nonce;
    private boolean asking;
    private boolean marked;
    private final List<byte[]> afterMark = new ArrayList<>();
    private final Map<String, Boolean> statuses = new LinkedHashMap<>();
    private Optional<String> donor = Optional.empty();
    private int idleTicks;

    // While established.
    private long receivedAtLastTick;
    private int stuckTicks;
    private int differenceTicks;

    MajoritySequence(String self, Collection<String> configured, LongSupplier nonces, Effects effects) {
        this.self = self;
        this.configured = new HashSet<>(configured);
        this.quorum = this.configured.size() / 2 + 1;
        this.nonces = nonces;
        this.effects = effects;
    }

    /** Whether entries may be submitted here: only then can they be delivered. */
    boolean takesPart() {
        return phase == Phase.ESTABLISHED && hasMajority();
    }

    void onView(List<String> members) {
        // To one that came late the mark may have been unknown; nobody else answers for it.
        boolean more = members.stream().anyMatch(member -> configured.contains(member) && !view.contains(member));
        view = List.copyOf(members);
        peers.keySet().retainAll(view);
        marks.keySet().retainAll(view);
        if (donor.isPresent() && !view.contains(donor.get())) {
            asking = false;
        }
        if (phase == Phase.JOINING && hasMajority() && (!asking || (more && donor.isEmpty()))) {
            ask();
        } else if (phase == Phase.ESTABLISHED) {
            deliverStable();
            acknowledge();
        }
        reportLeader();
    }

    /** An entry, in the order of the sequencer. */
    void onEntry(byte[] entry) {
        if (phase == Phase.ESTABLISHED) {
            append(entry);
            compareWaiting();
            deliverStable();
            acknowledge();
        } else if (phase == Phase.JOINING && marked) {
            afterMark.add(entry);
        }
    }

    /** A mark, in the order of the sequencer. */
    void onMark(String from, long theirNonce) {
        if (from.equals(self)) {
            if (phase == Phase.JOINING && asking && theirNonce == nonce) {
                marked = true;
                afterMark.clear();
                onStatus(self, nonce, false);
            }
            return;
        }
        if (phase == Phase.ESTABLISHED) {
            marks.put(from, new Mark(theirNonce, entries.size()));
        }
        if (phase != Phase.STOPPED) {
            effects.status(from, theirNonce, phase == Phase.ESTABLISHED);
        }
    }

    /** The founding of the group, in the order of the sequencer. */
    void onFound() {
        if (phase == Phase.JOINING) {
            entries.clear();
            afterMark.clear();
            establish();
        }
    }

    void onStatus(String from, long theirNonce, boolean established) {
        if (phase != Phase.JOINING || !asking || theirNonce != nonce) {
            return;
        }
        statuses.put(from, established);
        if (established && donor.isEmpty()) {
            donor = Optional.of(from);
            entries.clear();
        }
        if (marked && donor.isPresent() && (established || from.equals(self))) {
            fetch();
        } else if (self.equals(coordinator())
                && statuses.keySet().containsAll(configured)
                && !statuses.containsValue(true)) {
            effects.found();
        }
    }

    void onFetch(String from, long theirNonce, long firstPosition) {
        Mark mark = marks.get(from);
        if (phase != Phase.ESTABLISHED || mark == null || mark.nonce != theirNonce || firstPosition < 1) {
            return;
        }
        List<byte[]> piece = new ArrayList<>();
        long bytes = 0;
        for (long p = firstPosition; p <= mark.received && bytes < PIECE_BYTES; p++) {
            byte[] entry = entries.get((int) p - 1);
            piece.add(entry);
            bytes += entry.length;
        }
        effects.piece(from, theirNonce, firstPosition, mark.received, piece);
    }

    void onPiece(String from, long theirNonce, long firstPosition, long total, List<byte[]> piece) {
        if (phase != Phase.JOINING
                || !asking
                || theirNonce != nonce
                || !donor.equals(Optional.of(from))
                || firstPosition != entries.size() + 1) {
            return;
        }
        idleTicks = 0;
        for (byte[] entry : piece) {
            append(entry);
        }
        if (entries.size() < total && !piece.isEmpty()) {
            fetch();
        } else if (entries.size() == total) {
            List<byte[]> rest = List.copyOf(afterMark);
            afterMark.clear();
            for (byte[] entry : rest) {
                append(entry);
            }
            establish();
        }
    }

    void onAcknowledged(String from, long received, long hash) {
        if (phase != Phase.ESTABLISHED || from.equals(self) || !isMember(from)) {
            return;
        }
        Peer peer = peers.computeIfAbsent(from, key -> new Peer());
        peer.latest = new Acknowledged(received, hash);
        if (peer.waiting.isEmpty() || received <= entries.size()) {
            peer.waiting = Optional.of(peer.latest);
        }
        compareWaiting();
        deliverStable();
    }

    void onTick() {
        if (phase == Phase.JOINING && hasMajority()) {
            idleTicks++;
            if (!asking || idleTicks >= JOIN_PATIENCE_TICKS) {
                ask();
            }
        } else if (phase == Phase.ESTABLISHED && hasMajority()) {
            judge();
            receivedAtLastTick = entries.size();
            if (phase == Phase.ESTABLISHED) {
                acknowledge();
            }
        }
    }

    private void judge() {
        long standing = 1;
        long behindOrEqual = 1;
        boolean ahead = false;
        int differing = 0;
        boolean differingPrecedes = false;
        for (Map.Entry<String, Peer> entry : peers.entrySet()) {
            Peer peer = entry.getValue();
            if (peer.differs) {
                differing++;
                differingPrecedes |= view.indexOf(entry.getKey()) < view.indexOf(self);
            } else {
                standing++;
            }
            if (peer.latest.received <= entries.size()) {
                behindOrEqual++;
            } else {
                ahead = true;
            }
        }
        // A while of it, because the others' acknowledgements may not all have come.
        differenceTicks = differing == 0 || standing >= quorum ? 0 : differenceTicks + 1;
        boolean moves = entries.size() != receivedAtLastTick;
        stuckTicks = moves || !ahead || behindOrEqual >= quorum ? 0 : stuckTicks + 1;
        if (differenceTicks >= DIFFERENCE_TICKS && (differing >= quorum || differingPrecedes)) {
            stop("its entries differ from those of other members (a member that ordered them died or was cut off)");
        } else if (stuckTicks >= STUCK_TICKS) {
            stop("it lacks entries that others have received and that nobody sends again");
        }
    }

    private void stop(String reason) {
        phase = Phase.STOPPED;
        reportLeader();
        effects.stop(reason);
    }

    private void ask() {
        nonce = nonces.getAsLong();
        asking = true;
        marked = false;
        afterMark.clear();
        statuses.clear();
        donor = Optional.empty();
        idleTicks = 0;
        effects.mark(nonce);
    }

    private void fetch() {
        effects.fetch(donor.orElseThrow(), nonce, entries.size() + 1L);
    }

    private void establish() {
        phase = Phase.ESTABLISHED;
        asking = false;
        receivedAtLastTick = entries.size();
        acknowledge();
        reportLeader();
    }

    private void append(byte[] entry) {
        int received = entries.size();
        entries.add(entry);
        if (received + 1 == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * hashes.length);
        }
        hashes[received + 1] = chain(hashes[received], entry);
    }

    private void acknowledge() {
        effects.acknowledge(entries.size(), hashes[entries.size()]);
    }

    private void compareWaiting() {
        for (Peer peer : peers.values()) {
            while (peer.waiting.isPresent() && peer.waiting.get().received <= entries.size()) {
                Acknowledged compared = peer.waiting.get();
                if (hashes[(int) compared.received] == compared.hash) {
                    peer.agreedUpTo = Math.max(peer.agreedUpTo, compared.received);
                    peer.differs = false;
                } else {
                    peer.differs = true;
                }
                peer.waiting = compared.equals(peer.latest) ? Optional.empty() : Optional.of(peer.latest);
            }
        }
    }

    private void deliverStable() {
        if (!hasMajority()) {
            return;
        }
        long[] counts = new long[configured.size()];
        int i = 0;
        counts[i++] = entries.size();
        for (Peer peer : peers.values()) {
            counts[i++] = peer.differs ? 0 : peer.agreedUpTo;
        }
        Arrays.sort(counts);
        long stable = counts[counts.length - quorum];
        while (delivered < stable) {
            delivered++;
            effects.deliver(delivered, entries.get((int) delivered - 1));
        }
    }

    private void reportLeader() {
        String leader = takesPart() ? coordinator() : "";
        if (!leader.equals(reportedLeader)) {
            reportedLeader = leader;
            effects.leader(leader);
        }
    }

    private String coordinator() {
        return view.isEmpty() ? "" : view.get(0);
    }

    private boolean isMember(String id) {
        return configured.contains(id) && view.contains(id);
    }

    private boolean hasMajority() {
        return view.stream().filter(configured::contains).distinct().count() >= quorum;
    }

    /** FNV-1a over the entry, from the hash before it. */
    private static long chain(long before, byte[] entry) {
        long hash = (before ^ 0xcbf29ce484222325L) * 0x100000001b3L;
        for (byte b : entry) {
            hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
        }
        return hash;
    }

    private record Mark(long nonce, long received) {}

    private record Acknowledged(long received, long hash) {}

    private static final class Peer {
        private Acknowledged latest = new Acknowledged(0, 0);
        // The oldest acknowledgement that could not be compared yet, because this member has not come so far.
        private Optional<Acknowledged> waiting = Optional.empty();
        private long agreedUpTo;
        private boolean differs;
    }
}
