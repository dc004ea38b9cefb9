package org.amo.replication.order.sequencer;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
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
 * Delivers the entries that a sequencer orders: each only when a majority of the configured members, all in this member's
 * present view, have received the same entries up to it.
 *
 * <p><b>Acknowledgements.</b> A member tells the others how many entries it has received and a hash over
 * all of them. An acknowledgement counts only if the hash equals the receiver's own at that count. So members
 * with different sequences (a sequencer that dies can leave that behind) do not confirm each other: they
 * stop instead of answering differently. A member in the minority then, or, where there is no majority, one
 * that stands later in the view, stops for good and has to be restarted; so does a member that lacks an
 * entry which no member will send it any more.
 *
 * <p><b>Joining.</b> Every member keeps everything in memory: a snapshot, and the entries behind it. A member that
 * starts has nothing: it orders a mark among the entries, drops the entries before its mark and keeps those
 * after it. An established member notes how many entries it had when the mark came by, and gives the joiner just those, the
 * first of them as its snapshot. That may be of a later position than the mark, for snapshots are taken meanwhile: then
 * the joiner leaves out as many of the entries that it kept. If the entries behind its mark exceed a number of bytes
 * meanwhile, the joiner drops them and sets a new mark; after some such attempts it stops. A group is founded when all
 * configured members are there and none is established; not by a majority, for the missing member might be the one that
 * knows the history.
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
    /** So many times a joiner begins anew because too much was ordered meanwhile. */
    static final int MOST_OVERFLOWS = 3;

    /** Of memory, for each entry behind the mark. */
    private static final int ENTRY_OVERHEAD = 64;

    /** The actions that it asks for. */
    interface Effects {
        /** Order a mark among the entries. */
        void mark(long nonce);

        /** Order the founding of the group among the entries. */
        void found();

        void status(String to, long nonce, boolean established);

        /** @param offset into the snapshot, if the entry is one that it stands for */
        void fetch(String from, long nonce, long firstPosition, long offset);

        /** Of the snapshot's content, the bytes from an offset on. */
        void snapshotPiece(String to, long nonce, SequenceHistory.Snapshot snapshot, int offset, int length);

        /** Entries from {@code firstPosition} on, of {@code total} that lie before the mark. */
        void piece(String to, long nonce, long firstPosition, long total, List<byte[]> entries);

        void acknowledge(long received, long hash);

        void deliver(long position, byte[] entry);

        /** In the place of all entries up to its position; deliveries go on behind it. */
        void install(long position, byte[] snapshot);

        /** The member that orders the entries; empty while this member cannot take part. */
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
    private final long mostAfterMarkBytes;
    private final LongSupplier nonces;
    private final Effects effects;

    private Phase phase = Phase.JOINING;
    private List<String> view = List.of();
    private String reportedLeader = "";

    // Invariant, once established: history.base() <= delivered <= history.received().
    private final SequenceHistory history = new SequenceHistory();
    private long delivered;
    private final PeerReceipts peers = new PeerReceipts(history);
    private final Map<String, Mark> marks = new HashMap<>();

    // While joining.
    private long nonce;
    private boolean asking;
    private boolean marked;
    private final List<byte[]> afterMark = new ArrayList<>();
    private long afterMarkBytes;
    private int overflows;
    private Optional<Gathering> gathering = Optional.empty();
    private final Map<String, Boolean> statuses = new LinkedHashMap<>();
    private Optional<String> donor = Optional.empty();
    private int idleTicks;

    // While established.
    private long receivedAtLastTick;
    private int stuckTicks;
    private int differenceTicks;

    /** @param mostAfterMarkBytes most bytes of entries that a joiner keeps until it has those before its mark */
    MajoritySequence(
            String self, Collection<String> configured, long mostAfterMarkBytes, LongSupplier nonces, Effects effects) {
        this.self = self;
        this.configured = new HashSet<>(configured);
        this.quorum = this.configured.size() / 2 + 1;
        this.mostAfterMarkBytes = mostAfterMarkBytes;
        this.nonces = nonces;
        this.effects = effects;
    }

    /** Whether entries may be submitted here: only then can they be delivered. */
    boolean takesPart() {
        return phase == Phase.ESTABLISHED && hasMajority();
    }

    /**
     * Keeps a snapshot of the deliveries here, and forgets the entries that it stands for.
     *
     * @return false if it is no later one, or this member does not take part
     */
    boolean compact(long position, byte[] snapshot) {
        return phase == Phase.ESTABLISHED && position <= delivered && history.cut(position, snapshot);
    }

    void onView(List<String> members) {
        // A member that came late may not know the mark; no other member answers for it.
        boolean more = members.stream().anyMatch(member -> configured.contains(member) && !view.contains(member));
        view = List.copyOf(members);
        peers.retain(view);
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
            history.append(entry);
            peers.compareWaiting();
            deliverStable();
            acknowledge();
        } else if (phase == Phase.JOINING && marked) {
            keepBehindMark(entry);
        }
    }

    /** One entry is always kept. If there is no room for the next one, the join begins anew, with nothing of this one. */
    private void keepBehindMark(byte[] entry) {
        afterMarkBytes += entry.length + ENTRY_OVERHEAD;
        if (afterMark.isEmpty() || afterMarkBytes <= mostAfterMarkBytes) {
            afterMark.add(entry);
            return;
        }
        overflows++;
        if (overflows <= MOST_OVERFLOWS) {
            ask();
        } else {
            clearAfterMark();
            stop("more than " + mostAfterMarkBytes + " bytes were ordered while it fetched the entries before, "
                    + overflows + " times; it needs a larger heap, a faster network or less load");
        }
    }

    private void clearAfterMark() {
        afterMark.clear();
        afterMarkBytes = 0;
    }

    /** A mark, in the order of the sequencer. */
    void onMark(String from, long theirNonce) {
        if (from.equals(self)) {
            if (phase == Phase.JOINING && asking && theirNonce == nonce) {
                marked = true;
                clearAfterMark();
                onStatus(self, nonce, false);
            }
            return;
        }
        if (phase == Phase.ESTABLISHED) {
            marks.put(from, new Mark(theirNonce, history.received()));
        }
        if (phase != Phase.STOPPED) {
            effects.status(from, theirNonce, phase == Phase.ESTABLISHED);
        }
    }

    /** The founding of the group, in the order of the sequencer. */
    void onFound() {
        if (phase == Phase.JOINING) {
            beginAnew();
            clearAfterMark();
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
            beginAnew();
        }
        if (marked && donor.isPresent() && (established || from.equals(self))) {
            fetch();
        } else if (self.equals(coordinator())
                && statuses.keySet().containsAll(configured)
                && !statuses.containsValue(true)) {
            effects.found();
        }
    }

    void onFetch(String from, long theirNonce, long firstPosition, long offset) {
        Mark mark = marks.get(from);
        if (phase != Phase.ESTABLISHED || mark == null || mark.nonce != theirNonce || firstPosition < 1) {
            return;
        }
        if (firstPosition > history.base()) {
            List<byte[]> piece = history.entries(firstPosition, mark.received, PIECE_BYTES);
            effects.piece(from, theirNonce, firstPosition, mark.received, piece);
            return;
        }
        SequenceHistory.Snapshot snapshot = history.snapshot().orElseThrow();
        if (offset >= 0) {
            int length = snapshot.content().length;
            // Beyond the end of this one: it gathers an older one, which was longer.
            int start = offset < length ? (int) offset : 0;
            effects.snapshotPiece(from, theirNonce, snapshot, start, Math.min(PIECE_BYTES, length - start));
        }
    }

    /**
     * Of a snapshot of the donor.
     *
     * @param total bytes of it all
     */
    void onSnapshotPiece(
            String from, long theirNonce, long position, long hash, long total, long offset, byte[] piece) {
        if (!isFromDonor(from, theirNonce) || position <= history.received() || piece.length == 0) {
            return;
        }
        boolean isAnother = gathering.isEmpty() || gathering.get().position != position;
        if (isAnother) {
            gathering = Optional.of(new Gathering(position));
        }
        ByteArrayOutputStream gathered = gathering.orElseThrow().bytes;
        if (offset != gathered.size()) {
            if (isAnother) {
                fetch();
            }
            return;
        }
        idleTicks = 0;
        gathered.writeBytes(piece);
        if (gathered.size() == total) {
            history.begin(new SequenceHistory.Snapshot(position, hash, gathered.toByteArray()));
            gathering = Optional.empty();
        }
        fetch();
    }

    void onPiece(String from, long theirNonce, long firstPosition, long total, List<byte[]> piece) {
        if (!isFromDonor(from, theirNonce) || firstPosition != history.received() + 1) {
            return;
        }
        idleTicks = 0;
        for (byte[] entry : piece) {
            history.append(entry);
        }
        if (history.received() < total && !piece.isEmpty()) {
            fetch();
        } else if (history.received() >= total) {
            goOnBehind(total);
        }
    }

    private boolean isFromDonor(String from, long theirNonce) {
        return phase == Phase.JOINING && asking && theirNonce == nonce && donor.equals(Optional.of(from));
    }

    /** @param mark how many entries lay before it */
    private void goOnBehind(long mark) {
        // A snapshot may stand for entries behind the mark.
        long known = history.received() - mark;
        if (known > afterMark.size()) {
            ask();
            return;
        }
        List<byte[]> rest = List.copyOf(afterMark.subList((int) known, afterMark.size()));
        clearAfterMark();
        rest.forEach(history::append);
        establish();
    }

    void onAcknowledged(String from, long received, long hash) {
        if (phase != Phase.ESTABLISHED || from.equals(self) || !isMember(from)) {
            return;
        }
        peers.onAcknowledged(from, received, hash);
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
            receivedAtLastTick = history.received();
            if (phase == Phase.ESTABLISHED) {
                acknowledge();
            }
        }
    }

    private void judge() {
        Set<String> differing = peers.differing();
        boolean differingPrecedes = differing.stream().anyMatch(member -> view.indexOf(member) < view.indexOf(self));
        int standing = 1 + peers.count() - differing.size();
        long ahead = peers.ahead();
        long behindOrEqual = 1 + peers.count() - ahead;
        // A while of it, because the others' acknowledgements may not all have come.
        differenceTicks = differing.isEmpty() || standing >= quorum ? 0 : differenceTicks + 1;
        boolean moves = history.received() != receivedAtLastTick;
        stuckTicks = moves || ahead == 0 || behindOrEqual >= quorum ? 0 : stuckTicks + 1;
        if (differenceTicks >= DIFFERENCE_TICKS && (differing.size() >= quorum || differingPrecedes)) {
            stop("its entries differ from those of other members (a member that ordered them died or was cut off)");
        } else if (stuckTicks >= STUCK_TICKS) {
            stop("it lacks entries that others have received and no member sends again");
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
        clearAfterMark();
        statuses.clear();
        donor = Optional.empty();
        idleTicks = 0;
        effects.mark(nonce);
    }

    private void fetch() {
        long offset = gathering.map(snapshot -> (long) snapshot.bytes.size()).orElse(0L);
        effects.fetch(donor.orElseThrow(), nonce, history.received() + 1, offset);
    }

    private void beginAnew() {
        history.clear();
        gathering = Optional.empty();
    }

    private void establish() {
        phase = Phase.ESTABLISHED;
        asking = false;
        receivedAtLastTick = history.received();
        history.snapshot().ifPresent(snapshot -> {
            delivered = snapshot.position();
            effects.install(snapshot.position(), snapshot.content());
        });
        acknowledge();
        reportLeader();
    }

    private void acknowledge() {
        effects.acknowledge(history.received(), history.hash(history.received()));
    }

    private void deliverStable() {
        if (!hasMajority()) {
            return;
        }
        long stable = peers.stable(configured.size(), quorum);
        while (delivered < stable) {
            delivered++;
            effects.deliver(delivered, history.entry(delivered));
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

    private record Mark(long nonce, long received) {}

    /** Of a snapshot that comes in pieces. */
    private static final class Gathering {
        private final long position;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        private Gathering(long position) {
            this.position = position;
        }
    }
}
