package org.amo.testkit.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.testkit.history.History;
import org.amo.testkit.history.ServiceLife;

/**
 * The order in which the group executed, put together from all lives of all replicas.
 *
 * @param positions the ids executed at each position, in their order
 * @param where the position of each id; the first of them if there are several
 */
record AgreedOrder(TreeMap<Long, List<String>> positions, Map<String, Long> where) {

    static AgreedOrder of(History history) {
        TreeMap<Long, List<String>> agreed = new TreeMap<>();
        for (ServiceLife life : history.lives()) {
            // The longest list of a position is the whole of it: a crash may cut a life off in the middle of one.
            positions(life).forEach((position, ids) -> {
                if (ids.size() > agreed.getOrDefault(position, List.of()).size()) {
                    agreed.put(position, ids);
                }
            });
        }
        Map<String, Long> where = new HashMap<>();
        agreed.forEach((position, ids) -> ids.forEach(id -> where.putIfAbsent(id, position)));
        return new AgreedOrder(agreed, where);
    }

    /** The ids that one life executed at each position. */
    static TreeMap<Long, List<String>> positions(ServiceLife life) {
        TreeMap<Long, List<String>> positions = new TreeMap<>();
        for (ServiceLife.Execution execution : life.executions()) {
            positions
                    .computeIfAbsent(execution.position(), key -> new ArrayList<>())
                    .add(execution.id());
        }
        return positions;
    }

    boolean isEmpty() {
        return positions.isEmpty();
    }

    /** All ids, as they were executed. */
    List<String> ids() {
        return positions.values().stream().flatMap(List::stream).toList();
    }
}
