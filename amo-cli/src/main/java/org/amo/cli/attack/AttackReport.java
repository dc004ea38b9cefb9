package org.amo.cli.attack;

import java.util.List;

/** All attacks of one command. */
record AttackReport(List<AttackResult> attacks, long passed, long failed) {
    AttackReport {
        attacks = List.copyOf(attacks);
    }

    static AttackReport of(List<AttackResult> attacks) {
        long passed = attacks.stream().filter(AttackResult::passed).count();
        return new AttackReport(attacks, passed, attacks.size() - passed);
    }
}
