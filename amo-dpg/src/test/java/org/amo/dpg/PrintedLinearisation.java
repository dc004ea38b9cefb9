package org.amo.dpg;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** The linearisation of section 4.1, step by step as printed, the next step drawn at random. The oracle of the tests. */
final class PrintedLinearisation {
    private final Set<Arc> arcs;
    private final Random random;

    private PrintedLinearisation(Collection<Arc> arcs, Random random) {
        this.arcs = new HashSet<>(arcs);
        // G has one arc from X to Y: "marks each arc that was marked in G or G'".
        this.arcs.removeIf(arc -> !arc.marked() && arcs.contains(Arc.marked(arc.from(), arc.to())));
        this.random = random;
    }

    static Set<String> of(Collection<Arc> arcs, Random random) {
        PrintedLinearisation graph = new PrintedLinearisation(arcs, random);
        while (graph.step()) {
            // Each step moves an arc towards the ends of two chains or takes one away.
        }
        return text(graph.arcs);
    }

    static Set<String> text(Collection<Arc> arcs) {
        Set<String> text = new TreeSet<>();
        arcs.forEach(arc -> text.add(arc.toString()));
        return text;
    }

    private boolean step() {
        List<Runnable> steps = new ArrayList<>();
        for (Arc arc : arcs) {
            for (Arc other : arcs) {
                if (!arc.equals(other) && !arc.marked() && other.marked()) {
                    if (other.from().equals(arc.from())) {
                        steps.add(() -> replace(arc, Arc.plain(other.to(), arc.to())));
                    }
                    if (other.to().equals(arc.to())) {
                        steps.add(() -> replace(arc, Arc.plain(arc.from(), other.from())));
                    }
                }
            }
            if (hasLongerPath(arc)) {
                steps.add(() -> arcs.remove(arc));
            }
        }
        if (steps.isEmpty()) {
            return false;
        }
        steps.get(random.nextInt(steps.size())).run();
        return true;
    }

    private void replace(Arc arc, Arc by) {
        arcs.remove(arc);
        if (!arcs.contains(Arc.marked(by.from(), by.to()))) {
            arcs.add(by);
        }
    }

    private boolean hasLongerPath(Arc arc) {
        Set<Tag> seen = new HashSet<>();
        List<Tag> open = new ArrayList<>();
        arcs.forEach(first -> {
            if (first.from().equals(arc.from()) && !first.to().equals(arc.to())) {
                open.add(first.to());
            }
        });
        while (!open.isEmpty()) {
            Tag at = open.remove(open.size() - 1);
            if (at.equals(arc.to())) {
                return true;
            }
            if (seen.add(at)) {
                arcs.forEach(next -> {
                    if (next.from().equals(at)) {
                        open.add(next.to());
                    }
                });
            }
        }
        return false;
    }
}
