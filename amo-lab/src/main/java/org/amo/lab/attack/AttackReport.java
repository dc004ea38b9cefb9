package org.amo.lab.attack;

import java.util.List;

/**
 * All attacks of one command.
 *
 * @param attacks in the order in which they ran; one that failed beside others is followed by its run alone
 * @param passed attacks, each counted once
 */
record AttackReport(List<AttackResult> attacks, long passed, long failed) {
    AttackReport {
        attacks = List.copyOf(attacks);
    }

    static AttackReport of(List<AttackResult> attacks) {
        long passed = attacks.stream().filter(AttackResult::passed).count();
        long failed = attacks.stream()
                .filter(each -> !each.passed() && !each.isRunAgain())
                .count();
        return new AttackReport(attacks, passed, failed);
    }
}
