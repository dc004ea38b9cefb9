package org.amo.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each test lets a bank and an honest client disagree in one way. */
class LoadVerdictTest {
    private final Account account = new Account("p");
    private final Account savings = new Account("p-savings");

    @Test
    void aBankThatDidWhatItAnsweredIsClean() {
        deposit(5, 5);
        deposit(7, 12);
        assertVerdict(0, 0, line(2, account.balance(), account.record().chain()));
    }

    @Test
    void aDepositThatRanTwiceIsSeenInTheNextBalance() {
        deposit(5, 5);
        deposit(7, 17);
        assertVerdict(1, 0, line(3, 17, 99));
    }

    @Test
    void aDepositThatRanTwiceAtTheEndIsSeenInTheLedger() {
        deposit(5, 5);
        assertVerdict(1, 0, line(2, 10, 99));
    }

    @Test
    void aDepositThatWasAnsweredAndIsGoneIsLost() {
        deposit(5, 5);
        deposit(7, 7);
        assertVerdict(0, 1, line(1, 7, 99));
    }

    @Test
    void anAccountThatTheBankDoesNotKnowLostEverything() {
        deposit(5, 5);
        assertEquals(
                new LoadVerdict(0, 1, List.of()).lost(),
                LoadVerdict.of(List.of(account.record()), new BankAudit.Books(0, 0, List.of(), List.of()))
                        .lost());
    }

    @Test
    void oneTwiceAndAnotherLostDoNotCancel() {
        deposit(5, 5);
        deposit(5, 15);
        deposit(5, 15);
        assertVerdict(1, 1, line(3, 15, 99));
    }

    @Test
    void anotherOperationInThePlaceOfOneIsBoth() {
        deposit(5, 5);
        assertVerdict(1, 1, line(1, 6, 99));
    }

    @Test
    void anUnknownCallMayOrMayNotHaveRun() {
        deposit(5, 5);
        account.onIssued();
        account.onUnknown(7);
        deposit(1, 6);
        assertVerdict(0, 0, line(3, 13, 99));
        assertVerdict(0, 0, line(2, 6, 99));
        assertVerdict(1, 0, line(4, 20, 99));
        assertVerdict(0, 1, line(1, 5, 99));
    }

    @Test
    void anUnknownCallThatWasSeenStays() {
        deposit(5, 5);
        account.onIssued();
        account.onUnknown(7);
        deposit(1, 13);
        assertVerdict(0, 0, line(3, 13, 99));
        assertVerdict(0, 1, line(2, 6, 99));
        assertBalances(0, 1, 6);
        deposit(1, 7);
        assertEquals(1, account.record().missing());
    }

    @Test
    void anUnknownCallThatWasSeenExplainsNoSecondExecution() {
        deposit(5, 5);
        account.onIssued();
        account.onUnknown(7);
        deposit(1, 13);
        assertBalances(0, 0, 13);
        assertBalances(1, 0, 20);
        deposit(1, 21);
        assertEquals(1, account.record().repeated());
        deposit(1, 22);
        assertEquals(1, account.record().repeated(), "an error counts once");
    }

    @Test
    void ofAnUnknownWithdrawalTheSameHolds() {
        deposit(9, 9);
        account.onUnknown(-4);
        assertBalances(0, 0, 9);
        assertBalances(0, 0, 5);
        assertBalances(0, 1, 1);
        account.onSeen(5);
        assertBalances(0, 1, 1);
        assertBalances(1, 0, 9);
    }

    @Test
    void asManyExecutionsWithAnotherBalanceAreAnErrorThoughACallIsUnknown() {
        deposit(5, 5);
        account.onIssued();
        account.onUnknown(7);
        assertVerdict(1, 0, line(2, 13, 99));
        assertVerdict(0, 1, line(2, 4, 99));
    }

    @Test
    void anUnknownCallDoesNotExcuseMoreThanItself() {
        deposit(5, 5);
        account.onIssued();
        account.onUnknown(7);
        deposit(1, 20);
        assertVerdict(1, 0, line(3, 20, 99));
    }

    @Test
    void aFailedCallThatRanIsAnExecutionTooMany() {
        deposit(5, 5);
        account.onIssued();
        account.onFailed();
        assertVerdict(1, 0, line(2, 12, 99));
    }

    @Test
    void operationsOnAnAccountOfNobodyAreTooMany() {
        BankAudit.Line phantom = new BankAudit.Line("q", 2, 9, 0, 0, 0, 9, 99);
        LoadVerdict verdict = LoadVerdict.of(List.of(), new BankAudit.Books(2, 1, List.of(phantom), List.of()));
        assertEquals(2, verdict.executedTwice());
    }

    @Test
    void aTransferMovesBetweenTheTwoAccountsOfAThread() {
        deposit(5, 5);
        account.onIssued();
        savings.onIssued();
        account.onTransferred(savings, 3, true);
        account.onSeen(2);
        savings.onSeen(3);
        account.onTransferred(savings, 3, false);
        assertEquals(0, account.record().repeated() + account.record().missing());
        assertEquals(0, savings.record().repeated() + savings.record().missing());
        assertEquals(2, account.balance());
        assertEquals(3, savings.balance());
    }

    @Test
    void aTransferThatWasDeclinedAlthoughCoveredIsAnError() {
        deposit(5, 5);
        account.onTransferred(savings, 3, false);
        assertEquals(1, account.record().repeated() + savings.record().repeated());
    }

    @Test
    void aServiceWithoutALedgerIsJudgedByItsBalances() {
        deposit(5, 5);
        deposit(7, 12);
        assertBalances(0, 0, 12);
        assertBalances(1, 0, 19);
        assertBalances(0, 1, 5);
        deposit(1, 20);
        assertBalances(1, 0, 20);
        account.onUnknown(3);
        assertBalances(1, 0, 23);
        assertBalances(1, 1, 19);
        LoadVerdict nobodys = LoadVerdict.ofBalances(List.of(), balances(9));
        assertEquals(1, nobodys.executedTwice());
    }

    private void assertBalances(long twice, long lost, long balance) {
        LoadVerdict verdict = LoadVerdict.ofBalances(List.of(account.record()), balances(balance));
        assertEquals(twice, verdict.executedTwice(), () -> "twice: " + verdict.remarks());
        assertEquals(lost, verdict.lost(), () -> "lost: " + verdict.remarks());
    }

    private static BankAudit.Books balances(long balance) {
        return new BankAudit.Books(0, 0, List.of(line(0, balance, 0)), List.of());
    }

    private void deposit(long amount, long answer) {
        account.onIssued();
        account.onDeposited(amount, answer);
    }

    private void assertVerdict(long twice, long lost, BankAudit.Line line) {
        LoadVerdict verdict = LoadVerdict.of(
                List.of(account.record()), new BankAudit.Books(line.deposits(), 0, List.of(line), List.of()));
        assertEquals(twice, verdict.executedTwice(), () -> "twice: " + verdict.remarks());
        assertEquals(lost, verdict.lost(), () -> "lost: " + verdict.remarks());
        assertEquals(twice + lost > 0 ? 1 : 0, verdict.remarks().size());
    }

    private static BankAudit.Line line(long deposits, long balance, long chain) {
        return new BankAudit.Line("p", deposits, balance, 0, 0, 0, balance, chain);
    }
}
