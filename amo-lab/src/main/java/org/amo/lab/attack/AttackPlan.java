package org.amo.lab.attack;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Deals attacks to groups. The start and the warm-up of a group take longer than an attack on it. */
final class AttackPlan {
    /** Each attack leaves little, but it adds up: clients for the retention, accounts for good. */
    static final int MOST_IN_A_GROUP = 8;

    private AttackPlan() {}

    /**
     * Attacks that may share a group.
     *
     * @param alone name of an attack that shares with no other, since its members may end
     */
    private record Kind(Service service, List<String> memberOptions, Optional<String> alone) {
        static Kind of(Attack attack, Service service) {
            return new Kind(
                    service,
                    attack.memberOptions(),
                    attack.mayEndMembers() ? Optional.of(attack.name()) : Optional.empty());
        }
    }

    /**
     * The attacks on each group, in their order: each attack once.
     *
     * @param service against which an attack runs
     */
    static List<List<Attack>> of(List<Attack> attacks, Function<Attack, Service> service) {
        Map<Kind, List<Attack>> kinds = new LinkedHashMap<>();
        attacks.forEach(
                attack -> kinds.computeIfAbsent(Kind.of(attack, service.apply(attack)), kind -> new ArrayList<>())
                        .add(attack));
        return kinds.values().stream().flatMap(same -> deal(same).stream()).toList();
    }

    /** Evenly, and an attack that leaves much is the last one on its group. */
    private static List<List<Attack>> deal(List<Attack> same) {
        List<Attack> last =
                same.stream().filter(attack -> attack.leaves().isPresent()).toList();
        List<Attack> others =
                same.stream().filter(attack -> attack.leaves().isEmpty()).toList();
        int groups = Math.max(last.size(), (same.size() + MOST_IN_A_GROUP - 1) / MOST_IN_A_GROUP);
        List<List<Attack>> dealt = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < groups; i++) {
            int size = same.size() / groups + (i < same.size() % groups ? 1 : 0);
            List<Attack> end = i < last.size() ? List.of(last.get(i)) : List.of();
            int to = from + size - end.size();
            List<Attack> group = new ArrayList<>(others.subList(from, to));
            group.addAll(end);
            dealt.add(group);
            from = to;
        }
        return dealt;
    }
}
