package org.amo.lab.attack;

import java.util.List;
import java.util.stream.Stream;

/** All attacks there are. */
final class Attacks {
    private Attacks() {}

    /** In the order in which they are listed. */
    static List<Attack> all() {
        return Stream.of(
                        ConnectionAttacks.all(),
                        GiopAttacks.all(),
                        FragmentAttacks.all(),
                        CdrAttacks.all(),
                        ContextAttacks.all(),
                        IdentityAttacks.all(),
                        OrderPortAttacks.all(),
                        RpcAttacks.all(),
                        ScmpAttacks.all(),
                        MisuseAttacks.all())
                .flatMap(List::stream)
                .toList();
    }
}
