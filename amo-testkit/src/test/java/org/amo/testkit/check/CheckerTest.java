package org.amo.testkit.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each rule accepts what is right and has a history that it, and where possible it alone, must reject. */
class CheckerTest {

    /** Two deposits at replicas a and b, all as it should be. */
    private static Lines good() {
        return new Lines()
                .deposit("c-1", "x", 5, 1, 2, 5)
                .deposit("c-2", "x", 7, 3, 4, 12)
                .everywhere("c-1", 1, "5")
                .everywhere("c-2", 2, "12");
    }

    private static Lines goodToTheEnd() {
        return good().state("a", "{'x':12}").state("b", "{'x':12}");
    }

    @Test
    void aGoodHistoryPassesEveryRuleAndEveryRuleIsChecked() {
        CheckReport report = goodToTheEnd().check();
        assertTrue(report.passed(), report.lines().toString());
        assertTrue(
                report.results().stream().allMatch(CheckReport.Result::checked),
                report.lines().toString());
    }

    @Test
    void anEmptyRunFails() {
        assertBroken(new Lines(), "progress");
    }

    @Test
    void aRunInWhichNothingSucceededFails() {
        assertBroken(
                new Lines()
                        .begin("c-1", "x", 5, 1)
                        .fail("c-1", 2)
                        .begin("c-2", "x", 5, 3)
                        .info("c-2", 4),
                "progress");
    }

    @Test
    void aCallThatEndsTwiceIsRejected() {
        assertBroken(goodToTheEnd().ok("c-1", "5", 9), "calls");
    }

    @Test
    void aCallThatBeginsTwiceIsRejected() {
        assertBroken(goodToTheEnd().begin("c-1", "x", 5, 9), "calls");
    }

    @Test
    void anIdThatOneReplicaExecutedTwiceIsRejected() {
        assertBrokenToo(goodToTheEnd().exec("a", "c-1", 2, "5"), "once");
    }

    @Test
    void positionsThatGoBackAreRejected() {
        assertBrokenToo(good().exec("a", "c-9", 1, "0"), "once");
    }

    @Test
    void anExecutionInALaterLifeIsAReplay() {
        CheckReport report = good().crash("a")
                .exec("a", "c-1", 1, "5")
                .exec("a", "c-2", 2, "12")
                .check();
        assertTrue(report.passed(), report.lines().toString());
    }

    @Test
    void aReplayUnderAnotherPositionIsRejected() {
        assertBrokenToo(good().crash("a").exec("a", "c-1", 1, "5").exec("a", "c-2", 3, "12"), "order");
    }

    @Test
    void anotherOrderAtOneReplicaIsRejected() {
        Lines lines = new Lines()
                .deposit("c-1", "x", 5, 1, 4, 5)
                .deposit("d-1", "y", 7, 1, 4, 7)
                .exec("a", "c-1", 1, "5")
                .exec("a", "d-1", 1, "7")
                .exec("b", "d-1", 1, "7")
                .exec("b", "c-1", 1, "5");
        assertBroken(lines, "order");
    }

    @Test
    void aGapAtOneReplicaIsRejected() {
        Lines lines = good().exec("a", "c-3", 3, "1").exec("b", "c-4", 4, "1").exec("a", "c-4", 4, "1");
        assertBroken(lines, "order");
    }

    @Test
    void aLifeThatWasCutOffInTheMiddleOfAPositionIsNoGap() {
        CheckReport report = new Lines()
                .deposit("c-1", "x", 5, 1, 4, 5)
                .deposit("d-1", "y", 7, 1, 4, 7)
                .exec("a", "c-1", 1, "5")
                .crash("a")
                .exec("b", "c-1", 1, "5")
                .exec("b", "d-1", 1, "7")
                .check();
        assertTrue(report.passed(), report.lines().toString());
    }

    @Test
    void anAnsweredCallThatNobodyExecutedIsLost() {
        assertBroken(good().deposit("c-3", "y", 1, 5, 6, 1), "acknowledged");
    }

    @Test
    void anAnsweredCallThatALivingReplicaMissesIsLost() {
        assertBroken(good().deposit("c-3", "y", 1, 5, 6, 1).exec("a", "c-3", 3, "1"), "acknowledged");
    }

    @Test
    void aReplicaThatDiedMayMissIt() {
        CheckReport report = good().deposit("c-3", "y", 1, 5, 6, 1)
                .exec("a", "c-3", 3, "1")
                .crash("b")
                .check();
        assertTrue(report.passed(), report.lines().toString());
    }

    @Test
    void whatCameWithASnapshotNeedsNoExecution() {
        CheckReport report = good().exec("a", "c-3", 3, "1")
                .deposit("c-3", "y", 1, 5, 6, 1)
                .exec("b", "c-3", 3, "1")
                .crash("b")
                .join("b", 2)
                .exec("b", "c-3", 3, "1")
                .check();
        assertTrue(report.passed(), report.lines().toString());
    }

    /** A running member that lags is brought on by another one's snapshot. */
    @Test
    void whatCameWithASnapshotInTheMiddleOfALifeNeedsNoExecutionThere() {
        Lines lines = good().deposit("c-3", "y", 1, 5, 6, 1)
                .exec("a", "c-3", 3, "1")
                .deposit("c-4", "y", 1, 7, 8, 2)
                .exec("a", "c-4", 4, "2")
                .join("b", 3)
                .exec("b", "c-4", 4, "2");
        CheckReport report = lines.check();
        assertTrue(report.passed(), report.lines().toString());
        assertBrokenToo(lines.exec("b", "c-1", 5, "1"), "calls");
    }

    @Test
    void aRefusedCallThatRanIsRejected() {
        Lines lines = goodToTheEnd().begin("c-3", "y", 1, 5).fail("c-3", 6).everywhere("c-3", 3, "1");
        assertBrokenToo(lines, "refused");
    }

    @Test
    void anUnknownCallMayHaveRunOrNot() {
        assertTrue(good().begin("c-3", "y", 1, 5).info("c-3", 6).check().passed());
        assertTrue(good().begin("c-3", "y", 1, 5)
                .info("c-3", 6)
                .everywhere("c-3", 3, "1")
                .check()
                .passed());
    }

    @Test
    void anotherValueAtOneReplicaIsRejected() {
        assertBroken(good().begin("c-3", "y", 1, 5).exec("a", "c-3", 3, "1").exec("b", "c-3", 3, "2"), "values");
    }

    @Test
    void anotherValueAtTheClientIsRejected() {
        Lines lines = good().deposit("c-3", "y", 1, 5, 6, 2).everywhere("c-3", 3, "1");
        assertBrokenToo(lines, "values");
    }

    @Test
    void anExecutionAfterItsClientHadTheAnswerToALaterCallIsRejected() {
        Lines lines = new Lines()
                .deposit("c-1", "x", 5, 1, 2, 5)
                .deposit("d-1", "y", 7, 3, 4, 7)
                .everywhere("d-1", 1, "7")
                .everywhere("c-1", 2, "5");
        assertBroken(lines, "time");
    }

    @Test
    void aBankThatAnswersOtherwiseThanItsOrderSaysIsRejected() {
        Lines lines = new Lines()
                .deposit("c-1", "x", 5, 1, 4, 12)
                .deposit("d-1", "x", 7, 1, 4, 7)
                .everywhere("c-1", 1, "12")
                .everywhere("d-1", 2, "7");
        assertBroken(lines, "replay");
    }

    @Test
    void anEndThatDoesNotFollowFromTheExecutionsIsRejected() {
        assertBroken(good().state("a", "{'x':13}").state("b", "{'x':13}"), "replay");
    }

    @Test
    void replicasThatEndDifferentlyAreRejected() {
        Lines lines = new Lines()
                .add("{'type':'invoke','client':'c','id':'c-1','op':'ping','t':1}")
                .ok("c-1", "true", 2)
                .everywhere("c-1", 1, "true")
                .state("a", "{'x':12}")
                .state("b", "{'x':13}");
        assertBroken(lines, "states");
    }

    @Test
    void clientsAloneCanShowThatADepositWasLost() {
        assertBroken(new Lines().deposit("c-1", "x", 5, 1, 2, 5).deposit("c-2", "x", 7, 3, 4, 7), "linearizable");
    }

    @Test
    void withoutReplicasOnlyTheClientsSideIsChecked() {
        CheckReport report = new Lines().deposit("c-1", "x", 5, 1, 2, 5).check();
        assertTrue(report.passed());
        assertEquals(
                List.of("calls", "progress", "linearizable"),
                report.results().stream()
                        .filter(CheckReport.Result::checked)
                        .map(CheckReport.Result::rule)
                        .toList());
    }

    @Test
    void theReportNamesTheBrokenRuleAndTheCall() {
        CheckReport report = good().begin("c-3", "y", 1, 5)
                .fail("c-3", 6)
                .everywhere("c-3", 3, "1")
                .check();
        assertFalse(report.passed());
        assertTrue(
                report.lines().stream().anyMatch(line -> line.contains("c-3") && line.contains("failed")),
                report.lines().toString());
    }

    /** Where what one rule forbids is forbidden by others as well. */
    private static void assertBrokenToo(Lines lines, String rule) {
        CheckReport report = lines.check();
        assertTrue(report.violations(rule) > 0, report.lines().toString());
    }

    private static void assertBroken(Lines lines, String rule) {
        CheckReport report = lines.check();
        assertTrue(report.violations(rule) > 0, report.lines().toString());
        assertEquals(report.violations(), report.violations(rule), "only this rule: " + report.lines());
    }
}
