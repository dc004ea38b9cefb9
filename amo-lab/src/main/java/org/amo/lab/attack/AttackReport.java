package org.amo.lab.attack;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All attacks of one command.
 *
 * @param attacks in the order in which they ran, those of an earlier report first; one that failed after others is followed by its
 *     run alone
 * @param passed attacks, each counted once
 * @param failed attacks, each counted once: one of its results that count did not pass
 * @param ranAlone names of attacks that failed after others on their group and ran again alone
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
        Map<String, Boolean> verdicts = new LinkedHashMap<>();
        attacks.stream()
                .filter(each -> !each.isExcused())
                .forEach(each -> verdicts.merge(each.name(), each.passed(), Boolean::logicalAnd));
        long passed = verdicts.values().stream().filter(each -> each).count();
        List<String> ranAlone = attacks.stream()
                .filter(AttackResult::isRunAgain)
                .map(AttackResult::name)
                .distinct()
                .toList();
        List<String> missing = chosen.stream()
                .map(Attack::name)
                .filter(name -> !verdicts.containsKey(name))
                .toList();
        return new AttackReport(
                attacks, passed, verdicts.size() - passed, ranAlone, failedEarlier, missing, conditions);
    }
}
