package org.amo.dpg;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The precedence graph G of section 4.1, kept linearised after every change.
 *
 * <p>Marked arcs make chains: nothing was sent between two neighbours of one. The printed linearisation works arc by arc;
 * for any order of its steps the result is this: an arc (X,Y) leaves from the last of X's chain and ends at the first of
 * Y's; of the arcs between chains those stay to which there is no longer path (Observation 3; {@code LinearisationTest}
 * compares this with the printed steps).
 *
 * <p>A statement that would close a cycle, or say of two neighbours of a chain that something lies between them, contradicts
 * the graph. Such a statement is counted and left out. If all statements are true, there are none.
 *
 * <p>Bounded by {@code maxVertices}. One thread owns it. Equal calls give equal graphs, in equal order.
 */
class PrecedenceGraph {
    private static final int NONE = Links.NONE;

    private final int maxVertices;

    private final Map<Tag, Integer> places = new HashMap<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final BitSet used = new BitSet();
    private @Nullable Tag[] tags = new Tag[16];
    private long[] since = new long[16];
    private final BitSet floating = new BitSet();

    /** Replaced as a whole, so that an attempt can be undone. */
    private Links links = new Links(16);

    private long contradictions;

    /** False only if every vertex but one, the floating ones left out, is known to have a predecessor. */
    private boolean mayLackPredecessors = true;

    /** Null if something has changed since the last linearisation. */
    private @Nullable NormalForm form;

    PrecedenceGraph(int maxVertices) {
        this.maxVertices = maxVertices;
    }

    int size() {
        return places.size();
    }

    boolean isFull() {
        return places.size() >= maxVertices;
    }

    boolean contains(Tag tag) {
        return places.containsKey(tag);
    }

    /** Statements that were left out since they contradict others. */
    long contradictions() {
        return contradictions;
    }

    /** The same, and counts from zero again. */
    long takeContradictions() {
        long taken = contradictions;
        contradictions = 0;
        return taken;
    }

    /** When the vertex came into G, as {@link #add} was told. */
    long sinceMicros(Tag tag) {
        return since[place(tag)];
    }

    /** Floating vertices, in the order of their places. */
    List<Tag> floating() {
        return tags(floating);
    }

    private List<Tag> tags(BitSet set) {
        List<Tag> tags = new ArrayList<>(set.cardinality());
        for (int place = set.nextSetBit(0); place >= 0; place = set.nextSetBit(place + 1)) {
            tags.add(tag(place));
        }
        return tags;
    }

    /** Adds a vertex without arcs. Does nothing if it is there. */
    boolean add(Tag tag, long nowMicros) {
        if (places.containsKey(tag)) {
            return true;
        }
        if (isFull()) {
            return false;
        }
        int place = free.isEmpty() ? places.size() : free.pop();
        if (place >= tags.length) {
            int capacity = 2 * tags.length;
            tags = Arrays.copyOf(tags, capacity);
            since = Arrays.copyOf(since, capacity);
            links.grow(capacity);
        }
        places.put(tag, place);
        used.set(place);
        form = null;
        mayLackPredecessors = true;
        tags[place] = tag;
        since[place] = nowMicros;
        return true;
    }

    /**
     * Adds a vertex of which no site has told the place in the order of the medium: it need not come after the vertices
     * present. It ceases to float when an arc comes for it, be it from a later reception.
     */
    boolean addFloating(Tag tag, long nowMicros) {
        boolean isNew = !contains(tag);
        if (!add(tag, nowMicros)) {
            return false;
        }
        if (isNew) {
            floating.set(place(tag));
        }
        return true;
    }

    /**
     * Reception of Z: arcs (X,Z) from all X without a successor; (latest,Z) is marked if it is contiguous. All that is in G
     * was sent before Z, since the medium carries reports in the same order as messages.
     *
     * <p>Nothing is marked while some other X has no successor: that one has no place between marked messages, and would go
     * before all of them or, where they are incorporated, nowhere. Unmarked, Z gives it a place.
     *
     * @param latest L_REC, if it is in G
     * @return false if there is no room; then nothing was done
     */
    boolean receive(Tag received, @Nullable Tag latest, boolean contiguous, long nowMicros) {
        if (contains(received)) {
            mayLackPredecessors |= floating.get(place(received));
            floating.clear(place(received));
            if (latest != null && contains(latest)) {
                include(List.of(new Arc(latest, received, contiguous && mayMark(latest, received))));
            }
            return true;
        }
        BitSet ends = ends();
        boolean lacked = mayLackPredecessors || ends.isEmpty() || ends.intersects(floating);
        if (!add(received, nowMicros)) {
            return false;
        }
        mayLackPredecessors = lacked;
        int last = latest == null ? NONE : places.getOrDefault(latest, NONE);
        if (contiguous && last != NONE && !ends.get(last)) {
            // The latest has another successor, so something was sent between: the inference was wrong.
            contradictions++;
        }
        boolean marked = contiguous && last != NONE && ends.get(last) && ends.cardinality() == 1;
        append(ends, received, marked);
        return true;
    }

    private BitSet ends() {
        BitSet ends = new BitSet(tags.length);
        for (int x = used.nextSetBit(0); x >= 0; x = used.nextSetBit(x + 1)) {
            if (links.isEnd(x)) {
                ends.set(x);
            }
        }
        return ends;
    }

    /** Arcs from all ends to a vertex that has none: these are in the normal form already. */
    void append(BitSet ends, Tag received, boolean marked) {
        int added = place(received);
        for (int end = ends.nextSetBit(0); end >= 0; end = ends.nextSetBit(end + 1)) {
            if (marked) {
                links.next[end] = added;
                links.previous[added] = end;
            } else {
                links.after(end).set(added);
            }
        }
        floating.andNot(ends);
    }

    /** Whether a mark would leave all others where they are. */
    boolean mayMark(Tag from, Tag to) {
        int first = place(from);
        int second = place(to);
        for (int x = used.nextSetBit(0); x >= 0; x = used.nextSetBit(x + 1)) {
            boolean before = links.next[x] == second || links.leads(x, second);
            boolean astray = x != second && x != first && links.isEnd(x) && !precedes(second, x);
            if ((before && x != first) || astray) {
                return false;
            }
        }
        return true;
    }

    /** G := lin(G with these arcs). Arcs to vertices that are not in G are left out. */
    void union(Collection<Arc> arcs) {
        include(arcs);
    }

    /** States a decision: nothing comes between the two any more. */
    boolean mark(Tag from, Tag to) {
        long before = contradictions;
        include(List.of(Arc.marked(from, to)));
        return contradictions == before;
    }

    /**
     * Others have decided that {@code decided} comes right after {@code first}, which no arc leads to. Vertices that are
     * known to come before {@code decided}, and did not, are left where they are: behind.
     *
     * @return whether that contradicted the graph; then some vertices may have lost their predecessors
     */
    boolean follow(Tag first, Tag decided) {
        if (mark(first, decided)) {
            return false;
        }
        mayLackPredecessors = true;
        int to = place(decided);
        if (links.previous[to] != NONE) {
            links.next[links.previous[to]] = NONE;
            links.previous[to] = NONE;
        }
        for (BitSet row : links.after) {
            if (row != null) {
                row.clear(to);
            }
        }
        int from = place(first);
        if (links.next[from] != NONE) {
            links.previous[links.next[from]] = NONE;
            links.next[from] = NONE;
        }
        form = null;
        if (!mark(first, decided)) {
            throw new IllegalStateException(decided + " has no predecessor and cannot follow " + first);
        }
        return true;
    }

    /** G := lin(G with these arcs), which this site itself knows. */
    void include(Collection<Arc> arcs) {
        List<Arc> news = new ArrayList<>(0);
        for (Arc arc : arcs) {
            Integer from = places.get(arc.from());
            Integer to = places.get(arc.to());
            if (from != null && to != null && !isKnown(from, to, arc.marked())) {
                news.add(arc);
                floating.clear(from);
                floating.clear(to);
            }
        }
        if (news.isEmpty() || (news.size() == 1 && news.get(0).marked() && join(news.get(0)))) {
            return;
        }
        mayLackPredecessors = true;
        Links before = links.copy();
        if (attempt(news, true) && attempt(news, false) && lineariseAll()) {
            return;
        }
        form = null;
        // Something contradicts: one by one, marks first, so that all sites leave the same out.
        links = before;
        for (boolean marked : new boolean[] {true, false}) {
            for (Arc arc : news) {
                if (arc.marked() == marked) {
                    Links undo = links.copy();
                    if (!attempt(List.of(arc), marked) || !lineariseAll()) {
                        links = undo;
                        form = null;
                        contradictions++;
                    }
                }
            }
        }
    }

    private boolean isKnown(int from, int to, boolean marked) {
        return links.next[from] == to
                || (!marked && from != to && (links.leads(from, to) || (form != null && form.precedes(from, to))));
    }

    /** Marks the only arc that leaves the one and leads to the other: nothing else changes its place. @return whether it was */
    private boolean join(Arc arc) {
        int from = place(arc.from());
        int to = place(arc.to());
        BitSet row = links.after[from];
        if (row == null || !row.get(to) || row.cardinality() != 1 || links.previous[to] != NONE) {
            return false;
        }
        for (int x = used.nextSetBit(0); x >= 0; x = used.nextSetBit(x + 1)) {
            if (x != from && links.leads(x, to)) {
                return false;
            }
        }
        links.next[from] = to;
        links.previous[to] = from;
        links.after[from] = null;
        if (form != null) {
            form.join(from, to, links);
        }
        return true;
    }

    private boolean attempt(Collection<Arc> arcs, boolean marked) {
        for (Arc arc : arcs) {
            if (arc.marked() == marked) {
                int from = place(arc.from());
                int to = place(arc.to());
                if (marked && links.next[from] != to) {
                    boolean taken = links.next[from] != NONE || links.previous[to] != NONE;
                    if (from == to || taken || links.last(to) == from) {
                        return false;
                    }
                    links.next[from] = to;
                    links.previous[to] = from;
                } else if (!marked) {
                    if (from == to) {
                        return false;
                    }
                    links.after(from).set(to);
                }
            }
        }
        return true;
    }

    private boolean lineariseAll() {
        form = NormalForm.of(links, used);
        return form != null;
    }

    /** The message of which is known that it comes right after this one. */
    @Nullable
    Tag markedAfter(Tag tag) {
        int next = links.next[place(tag)];
        return next == NONE ? null : tag(next);
    }

    /** Immediate successors without a mark. */
    List<Tag> successors(Tag tag) {
        BitSet row = links.after[place(tag)];
        return row == null ? new ArrayList<>(0) : tags(row);
    }

    /** Whether {@link #withoutPredecessor} may find more than one. */
    boolean mayLackPredecessors() {
        return mayLackPredecessors;
    }

    /** Vertices that do not float and that no arc leads to, in the order of their places. */
    List<Tag> withoutPredecessor() {
        BitSet targets = new BitSet();
        for (int place = used.nextSetBit(0); place >= 0; place = used.nextSetBit(place + 1)) {
            BitSet row = links.after[place];
            if (row != null) {
                targets.or(row);
            }
        }
        List<Tag> firsts = new ArrayList<>();
        for (int place = used.nextSetBit(0); place >= 0; place = used.nextSetBit(place + 1)) {
            if (links.previous[place] == NONE && !targets.get(place) && !floating.get(place)) {
                firsts.add(tag(place));
            }
        }
        mayLackPredecessors = firsts.size() > 1;
        return firsts;
    }

    /** Whether there is a path from one to the other. */
    boolean precedes(Tag from, Tag to) {
        Integer start = places.get(from);
        Integer end = places.get(to);
        return start != null && end != null && !start.equals(end) && precedes(start.intValue(), end.intValue());
    }

    private boolean precedes(int start, int end) {
        if (form == null) {
            form = NormalForm.of(links, used);
        }
        if (form == null) {
            throw new IllegalStateException("the graph contradicts itself");
        }
        return form.precedes(start, end);
    }

    /** Whether this arc is in G as it stands. */
    boolean has(Arc arc) {
        Integer from = places.get(arc.from());
        Integer to = places.get(arc.to());
        return from != null && to != null && (links.next[from] == to || (!arc.marked() && links.leads(from, to)));
    }

    /** Takes out a vertex that no arc leads to. Its marked successor, if there is one, takes over all its arcs. */
    void removeFirst(Tag tag) {
        int place = place(tag);
        if (links.previous[place] != NONE) {
            throw new IllegalStateException(tag + " is not the first of its chain");
        }
        for (BitSet row : links.after) {
            if (row != null && row.get(place)) {
                throw new IllegalStateException("an arc leads to " + tag);
            }
        }
        int next = links.next[place];
        if (next != NONE) {
            links.previous[next] = NONE;
        }
        links.next[place] = NONE;
        links.after[place] = null;
        places.remove(tag);
        tags[place] = null;
        used.clear(place);
        form = null;
        floating.clear(place);
        free.push(place);
    }

    /** All vertices, in the order of their places. */
    List<Tag> vertices() {
        return tags(used);
    }

    /** The arcs of the linearised graph. */
    List<Arc> arcs() {
        List<Arc> arcs = new ArrayList<>();
        for (int place = used.nextSetBit(0); place >= 0; place = used.nextSetBit(place + 1)) {
            if (links.next[place] != NONE) {
                arcs.add(Arc.marked(tag(place), tag(links.next[place])));
            }
            for (Tag to : successors(tag(place))) {
                arcs.add(Arc.plain(tag(place), to));
            }
        }
        return arcs;
    }

    final Tag tag(int place) {
        Tag tag = tags[place];
        if (tag == null) {
            throw new IllegalStateException("no vertex at " + place);
        }
        return tag;
    }

    private int place(Tag tag) {
        Integer place = places.get(tag);
        if (place == null) {
            throw new IllegalStateException(tag + " is not in the graph");
        }
        return place;
    }
}
