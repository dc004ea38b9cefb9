package org.amo.lab.attack;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All attacks of one command.
 *
 * @param attacks in the order in which they ran, those of an earlier report first; one that failed beside others is followed by its
 *     run alone
 * @param passed attacks, each counted once
 * @param ranAlone names of attacks that failed beside others, so that their run alone counts
 * @param failedEarlier names of attacks that failed in a report that this one resumes
 * @param missing names of attacks that have not run yet, in the file of a run that was interrupted
 * @param conditions of all of them
 */
record AttackReport(
        List<AttackResult> attacks,
        long passed,
        long failed,
        List<String> ranAlone,
        List<String> failedEarlier,
        List<String> missing,
        AttackConditions conditions) {
    AttackReport {
        attacks = List.copyOf(attacks);
        ranAlone = List.copyOf(ranAlone);
        failedEarlier = List.copyOf(failedEarlier);
        missing = List.copyOf(missing);
    }

    /** @param chosen all attacks that the command is to run */
    static AttackReport of(
            List<AttackResult> attacks, List<Attack> chosen, List<String> failedEarlier, AttackConditions conditions) {
        long passed = attacks.stream().filter(AttackResult::passed).count();
        long failed = attacks.stream()
                .filter(each -> !each.passed() && !each.isRunAgain())
                .count();
        List<String> ranAlone = attacks.stream()
                .filter(AttackResult::isRunAgain)
                .map(AttackResult::name)
                .distinct()
                .toList();
        Set<String> ran = attacks.stream().map(AttackResult::name).collect(Collectors.toSet());
        List<String> missing = chosen.stream()
                .map(Attack::name)
                .filter(name -> !ran.contains(name))
                .toList();
        return new AttackReport(attacks, passed, failed, ranAlone, failedEarlier, missing, conditions);
    }
}
