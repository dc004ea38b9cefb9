package org.amo.examples.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Balance;
import org.amo.examples.bank.idl.Ledger;
import org.amo.examples.bank.idl.LedgerLine;
import org.junit.jupiter.api.Test;

class BankServantTest {
    private final BankServant bank = new BankServant("test");

    @Test
    void aDepositReturnsTheNewBalance() throws BadAmount {
        assertEquals(5, bank.deposit("p", 5));
        assertEquals(12, bank.deposit("p", 7));
    }

    @Test
    void aTransferThatIsNotCoveredChangesNothing() throws BadAmount {
        bank.deposit("p", 5);
        assertFalse(bank.transfer("p", "q", 6));
        assertTrue(bank.transfer("p", "q", 5));
        assertEquals(List.of("p 0", "q 5"), balances());
    }

    @Test
    void aBadAmountIsAUserExceptionAndChangesNothing() throws BadAmount {
        bank.deposit("p", Long.MAX_VALUE);
        long before = bank.books().chain;
        for (long amount : new long[] {0, -1, Long.MIN_VALUE}) {
            assertEquals(amount, assertThrows(BadAmount.class, () -> bank.deposit("p", amount)).amount);
            assertEquals(amount, assertThrows(BadAmount.class, () -> bank.transfer("p", "q", amount)).amount);
        }
        assertThrows(BadAmount.class, () -> bank.deposit("p", 1));
        assertEquals(before, bank.books().chain);
    }

    @Test
    void theLedgerCountsEveryOperationOnce() throws BadAmount {
        bank.deposit("p", 5);
        bank.deposit("p", 7);
        bank.transfer("p", "q", 4);
        bank.note("p");
        LedgerLine line = bank.book("p");
        assertEquals(2, line.deposits);
        assertEquals(12, line.deposited);
        assertEquals(1, line.transfersOut);
        assertEquals(1, line.notes);
        assertEquals(8, line.balance);
        assertEquals(1, bank.book("q").transfersIn);
        Ledger books = bank.books();
        assertEquals(5, books.operations);
        assertEquals(2, books.lines.length);
    }

    @Test
    void theChainTellsTheOrderOfOperations() throws BadAmount {
        BankServant other = new BankServant("test");
        bank.deposit("p", 5);
        bank.deposit("p", 7);
        other.deposit("p", 7);
        other.deposit("p", 5);
        assertEquals(bank.book("p").balance, other.book("p").balance);
        assertNotEquals(bank.book("p").chain, other.book("p").chain);
    }

    @Test
    void aMillionOperationsLeaveALedgerOfTheSameSize() throws BadAmount {
        for (int i = 0; i < 1_000_000; i++) {
            bank.deposit("p", 1);
        }
        assertEquals(1_000_000, bank.book("p").deposits);
        assertEquals(1, bank.books().lines.length);
    }

    private List<String> balances() {
        return Arrays.stream(bank.balances()).map(BankServantTest::text).toList();
    }

    private static String text(Balance balance) {
        return balance.account + " " + balance.amount;
    }
}
