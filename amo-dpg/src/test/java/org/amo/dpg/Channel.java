package org.amo.dpg;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A true order, and what sites that miss some of it say of it: the world of the property tests. */
final class Channel {
    final List<Tag> order = new ArrayList<>();
    private final Random random;

    Channel(long seed, int messages) {
        random = new Random(seed);
        for (int i = 0; i < messages; i++) {
            order.add(new Tag(1 + random.nextInt(4), 1 + i));
        }
    }

    Random random() {
        return random;
    }

    boolean before(Tag x, Tag y) {
        return order.indexOf(x) < order.indexOf(y);
    }

    boolean contiguous(Tag x, Tag y) {
        return order.indexOf(x) + 1 == order.indexOf(y);
    }

    /** What one site knows: it receives some of the messages, and infers contiguity sometimes where it is there. */
    PrecedenceGraph site(double misses, double infers) {
        PrecedenceGraph graph = new PrecedenceGraph(64);
        Tag latest = null;
        for (Tag tag : order) {
            if (random.nextDouble() >= misses) {
                boolean inferred = latest != null && contiguous(latest, tag) && random.nextDouble() < infers;
                graph.receive(tag, latest, inferred, 0);
                latest = tag;
            }
        }
        return graph;
    }

    /** True statements about some of the messages, any of them. */
    List<Arc> statements(double density) {
        List<Arc> arcs = new ArrayList<>();
        for (int i = 0; i < order.size(); i++) {
            for (int j = i + 1; j < order.size(); j++) {
                if (random.nextDouble() < density) {
                    arcs.add(new Arc(order.get(i), order.get(j), j == i + 1 && random.nextBoolean()));
                }
            }
        }
        return arcs;
    }

    PrecedenceGraph all() {
        PrecedenceGraph graph = new PrecedenceGraph(64);
        order.forEach(tag -> graph.add(tag, 0));
        return graph;
    }

    static void unite(PrecedenceGraph graph, PrecedenceGraph with) {
        with.vertices().forEach(tag -> graph.add(tag, 0));
        graph.union(with.arcs());
    }
}
