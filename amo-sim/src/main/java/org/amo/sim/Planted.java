package org.amo.sim;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A rule, or a mutant, with the planted bug that breaks it: {@code ./amo sim PROTOCOL --plant NAME}. */
public interface Planted {
    /** Name of a sound one, which has no planted bug. */
    String NONE = "";

    /** The bug that appears without the rule. */
    Plant bug();

    /** The bug's name. */
    default String plant() {
        return bug().name();
    }

    /** All but the sound one. */
    static <P extends Planted> List<P> all(P[] values) {
        return Stream.of(values).filter(each -> !each.plant().equals(NONE)).toList();
    }

    /** The one whose bug has this name. */
    static <P extends Planted> Optional<P> find(P[] values, Optional<String> plant) {
        return plant.flatMap(name ->
                all(values).stream().filter(each -> each.plant().equals(name)).findFirst());
    }
}
