package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Predicts the order in which a site would incorporate the messages it reported, if it heard nothing more. A marked message
 * comes next, else the greatest of the successors (section 4.2). By Observation 2, messages that the site receives later
 * come after those it has, so that only reports of others change a plan.
 */
final class Plan {
    static final Plan NONE = new Plan(null, 0);
    private static final int MOST_PLANNED = 256;

    private final int most;
    /** Null since the plan is made. */
    private @Nullable Report report;
    /** The message right behind each one that the site has incorporated or would choose. */
    private Map<Tag, Tag> behind = Map.of();
    /** L_DELIV, if messages come behind it and the site does not know which of them is next. */
    private @Nullable Tag waitsBehind;

    private Plan(@Nullable Report report, int most) {
        this.most = most;
        this.report = report;
    }

    /** Made when it is first asked for: where arcs are marked, no plan is asked for. A site that listens has none. */
    static Plan of(Report report) {
        return of(report, MOST_PLANNED);
    }

    /** @param most so many messages are planned at most */
    static Plan of(Report report, int most) {
        return report.anchored() ? new Plan(report, most) : NONE;
    }

    /**
     * Whether the site has the one message right behind the other, or would choose it there. A consent holds at one place: of a
     * message that comes in between by a mark, the site may know more marks, and go past {@code next} by them.
     */
    boolean agrees(Tag latest, Tag next) {
        return next.equals(behind().get(latest));
    }

    /** Whether the site has another message right behind this one, or would choose another. */
    boolean disagrees(Tag latest, Tag next) {
        Tag planned = behind().get(latest);
        return planned != null && !planned.equals(next);
    }

    /** Whether the site has incorporated nothing behind the message, knows messages that come there, and must force one of them. */
    boolean waits(Tag latest) {
        behind();
        return latest.equals(waitsBehind);
    }

    private Map<Tag, Tag> behind() {
        if (report != null) {
            Tag latest = report.latestDeliverable();
            boolean marked = report.arcs().stream()
                    .anyMatch(arc -> arc.marked() && arc.from().equals(latest));
            waitsBehind = marked || report.vertices().isEmpty() ? null : latest;
            behind = planned(report, most);
            report = null;
        }
        return behind;
    }

    private static Map<Tag, Tag> planned(Report report, int most) {
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
        Map<Tag, Tag> behind = new HashMap<>();
        for (int i = 1; i < report.order().size(); i++) {
            behind.put(report.order().get(i - 1), report.order().get(i));
        }
        for (int chosen = 0; chosen < most; chosen++) {
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
            behind.put(latest, next);
            latest = next;
        }
        return behind;
    }
}
