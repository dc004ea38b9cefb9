package org.amo.dpg;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Holds the result of a linearisation (section 4.1): each vertex's chain, its rank there, and the chains beyond each chain.
 * Vertices are identified by their places, a chain by the place of its first vertex.
 */
final class NormalForm {
    private final int[] chainOf;
    private final int[] rankOf;
    private final @Nullable BitSet[] beyondOf;

    private NormalForm(int[] chainOf, int[] rankOf, @Nullable BitSet[] beyondOf) {
        this.chainOf = chainOf;
        this.rankOf = rankOf;
        this.beyondOf = beyondOf;
    }

    /** Brings the arcs into the normal form. @return null if they contradict each other; then they are as they were */
    static @Nullable NormalForm of(Links links, BitSet used) {
        int capacity = links.next.length;
        int[] first = new int[capacity];
        int[] last = new int[capacity];
        int[] rank = new int[capacity];
        BitSet chains = new BitSet(capacity);
        findChains(links, used, first, last, rank, chains);
        @Nullable BitSet[] moved = new BitSet[capacity];
        int[] incoming = new int[capacity];
        for (int from = used.nextSetBit(0); from >= 0; from = used.nextSetBit(from + 1)) {
            BitSet row = links.after[from];
            for (int to = row == null ? Links.NONE : row.nextSetBit(0);
                    row != null && to >= 0;
                    to = row.nextSetBit(to + 1)) {
                int source = first[from];
                int target = first[to];
                if (source == target) {
                    if (rank[from] >= rank[to]) {
                        return null;
                    }
                } else {
                    BitSet out = moved[last[source]];
                    if (out == null) {
                        out = new BitSet(capacity);
                        moved[last[source]] = out;
                    }
                    if (!out.get(target)) {
                        out.set(target);
                        incoming[target]++;
                    }
                }
            }
        }
        int[] sorted = new int[chains.cardinality()];
        if (!sort(chains, last, moved, incoming, sorted)) {
            return null;
        }
        @Nullable BitSet[] beyond = reduce(sorted, last, moved);
        links.after = moved;
        return new NormalForm(first, rank, beyond);
    }

    /** Whether there is a path from one place to the other. */
    boolean precedes(int from, int to) {
        int chain = chainOf[from];
        if (chain == chainOf[to]) {
            return rankOf[from] < rankOf[to];
        }
        BitSet beyond = beyondOf[chain];
        return beyond != null && beyond.get(chainOf[to]);
    }

    /** The chain that begins at the one place now goes on from the other, which alone led to it. */
    void join(int from, int to, Links links) {
        int chain = chainOf[from];
        int rank = rankOf[from];
        beyondOf[chain] = beyondOf[to];
        for (int at = to; at != Links.NONE; at = links.next[at]) {
            chainOf[at] = chain;
            rankOf[at] = ++rank;
        }
    }

    private static void findChains(Links links, BitSet used, int[] first, int[] last, int[] rank, BitSet chains) {
        for (int place = used.nextSetBit(0); place >= 0; place = used.nextSetBit(place + 1)) {
            if (links.previous[place] == Links.NONE) {
                chains.set(place);
                int end = place;
                for (int at = place, length = 0; at != Links.NONE; at = links.next[at], length++) {
                    first[at] = place;
                    rank[at] = length;
                    end = at;
                }
                last[place] = end;
            }
        }
    }

    /** Chains in an order that agrees with the arcs. @return false if there is a cycle */
    private static boolean sort(BitSet chains, int[] last, @Nullable BitSet[] after, int[] incoming, int[] sorted) {
        int known = 0;
        for (int chain = chains.nextSetBit(0); chain >= 0; chain = chains.nextSetBit(chain + 1)) {
            if (incoming[chain] == 0) {
                sorted[known++] = chain;
            }
        }
        for (int done = 0; done < known; done++) {
            BitSet row = after[last[sorted[done]]];
            for (int to = row == null ? Links.NONE : row.nextSetBit(0);
                    row != null && to >= 0;
                    to = row.nextSetBit(to + 1)) {
                if (--incoming[to] == 0) {
                    sorted[known++] = to;
                }
            }
        }
        return known == sorted.length;
    }

    /** Removes each arc beside which there is a path. @return the chains beyond each chain */
    private static @Nullable BitSet[] reduce(int[] sorted, int[] last, @Nullable BitSet[] after) {
        @Nullable BitSet[] reach = new BitSet[after.length];
        for (int i = sorted.length - 1; i >= 0; i--) {
            BitSet row = after[last[sorted[i]]];
            if (row != null) {
                BitSet beyond = new BitSet(after.length);
                for (int to = row.nextSetBit(0); to >= 0; to = row.nextSetBit(to + 1)) {
                    BitSet further = reach[to];
                    if (further != null) {
                        beyond.or(further);
                    }
                }
                row.andNot(beyond);
                beyond.or(row);
                reach[sorted[i]] = beyond;
            }
        }
        return reach;
    }
}
