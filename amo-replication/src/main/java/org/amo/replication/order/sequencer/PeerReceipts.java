package org.amo.replication.order.sequencer;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The entries that the other members have received, as they acknowledge them, compared with the history of this member by their hashes.
 * One thread owns it at a time.
 */
final class PeerReceipts {
    private final SequenceHistory history;
    private final Map<String, Peer> peers = new HashMap<>();

    private record Acknowledged(long received, long hash) {}

    private static final class Peer {
        private Acknowledged latest = new Acknowledged(0, 0);
        // The oldest acknowledgement that could not be compared yet, because this member has not come so far.
        private Optional<Acknowledged> waiting = Optional.empty();
        private long agreedUpTo;
        private boolean differs;
    }

    PeerReceipts(SequenceHistory history) {
        this.history = history;
    }

    /** Forgets all but these members. */
    void retain(Collection<String> members) {
        peers.keySet().retainAll(members);
    }

    void onAcknowledged(String from, long received, long hash) {
        Peer peer = peers.computeIfAbsent(from, key -> new Peer());
        peer.latest = new Acknowledged(received, hash);
        if (peer.waiting.isEmpty() || received <= history.received()) {
            peer.waiting = Optional.of(peer.latest);
        }
        compareWaiting();
    }

    /** After entries were received here, too. */
    void compareWaiting() {
        for (Peer peer : peers.values()) {
            while (peer.waiting.isPresent() && peer.waiting.get().received <= history.received()) {
                Acknowledged compared = peer.waiting.get();
                if (compared.received < history.base()) {
                    // The hash there is forgotten; that of a later acknowledgement tells, since it is over all entries.
                    peer.waiting = compared.equals(peer.latest) ? Optional.empty() : Optional.of(peer.latest);
                    continue;
                }
                if (history.hash(compared.received) == compared.hash) {
                    peer.agreedUpTo = Math.max(peer.agreedUpTo, compared.received);
                    peer.differs = false;
                } else {
                    peer.differs = true;
                }
                peer.waiting = compared.equals(peer.latest) ? Optional.empty() : Optional.of(peer.latest);
            }
        }
    }

    /**
     * The last entry that a quorum has received alike, this member among them.
     *
     * @param members so many are configured
     */
    long stable(int members, int quorum) {
        long[] counts = new long[members];
        int i = 0;
        counts[i++] = history.received();
        for (Peer peer : peers.values()) {
            counts[i++] = peer.differs ? 0 : peer.agreedUpTo;
        }
        Arrays.sort(counts);
        return counts[counts.length - quorum];
    }

    /** How many members have acknowledged. */
    int count() {
        return peers.size();
    }

    /** Members with other entries than this one. */
    Set<String> differing() {
        return peers.entrySet().stream()
                .filter(each -> each.getValue().differs)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** How many members have received more entries than this one. */
    long ahead() {
        return peers.values().stream()
                .filter(peer -> peer.latest.received > history.received())
                .count();
    }
}
