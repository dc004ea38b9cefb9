package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Predicts the order in which a site would incorporate the messages it reported, if it heard nothing more. A marked message
 * comes next, else the greatest of the successors (section 4.2). By Observation 2, messages that the site receives later
 * come after those it has, so that only reports of others change a plan.
 */
final class Plan {
    static final Plan NONE = new Plan(List.of(), List.of());

    private final List<Tag> order;
    private final List<Tag> choices;
    /** All choices before it are incorporated at the site that asks. */
    private int at;

    private Plan(List<Tag> order, List<Tag> choices) {
        this.order = order;
        this.choices = choices;
    }

    /**
     * Whether the site would choose this message next, or has done so. A site that has gone further agrees only to its
     * message at that place, not to any later one: a site may have told it messages that no other knows.
     *
     * @param isIncorporated of the site that asks, and never false again for a message for which it was true
     */
    boolean agrees(Tag next, Predicate<Tag> isIncorporated) {
        int further = order.size();
        while (further > 0 && !isIncorporated.test(order.get(further - 1))) {
            further--;
        }
        if (further < order.size()) {
            return order.get(further).equals(next);
        }
        while (at < choices.size() && isIncorporated.test(choices.get(at))) {
            at++;
        }
        return at < choices.size() && choices.get(at).equals(next);
    }

    /** @param most so many messages are planned at most */
    static Plan of(Report report, int most) {
        Map<Tag, List<Tag>> after = new HashMap<>();
        Map<Tag, Tag> marked = new HashMap<>();
        Map<Tag, Integer> before = new HashMap<>();
        for (Arc arc : report.arcs()) {
            after.computeIfAbsent(arc.from(), from -> new ArrayList<>()).add(arc.to());
            before.merge(arc.to(), 1, Integer::sum);
            if (arc.marked()) {
                marked.put(arc.from(), arc.to());
            }
        }
        Tag latest = report.latestDeliverable();
        TreeSet<Tag> ready = new TreeSet<>();
        Set<Tag> vertices = new HashSet<>(report.vertices());
        for (Tag tag : vertices) {
            if (!before.containsKey(tag)) {
                ready.add(tag);
            }
        }
        List<Tag> choices = new ArrayList<>();
        while (choices.size() < most) {
            for (Tag tag : after.getOrDefault(latest, List.of())) {
                if (before.merge(tag, -1, Integer::sum) == 0) {
                    ready.add(tag);
                }
            }
            Tag mark = marked.get(latest);
            Tag next = mark != null && ready.remove(mark) ? mark : ready.pollLast();
            if (next == null) {
                break;
            }
            choices.add(next);
            latest = next;
        }
        return new Plan(report.order(), choices);
    }
}
