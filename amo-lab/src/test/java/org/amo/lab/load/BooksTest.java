package org.amo.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.amo.lab.load.BankAudit.Books;
import org.amo.lab.load.BankAudit.Line;
import org.junit.jupiter.api.Test;

/** Books that two leaders give one after the other. */
final class BooksTest {
    private static final Books BOOKS = new Books(3, 77, List.of(line(5)), List.of("first"));

    private static Line line(long balance) {
        return new Line("a", 1, balance, 0, 0, 0, balance, 9);
    }

    @Test
    void booksAskedForUnderAnotherIdTellOfTheSameState() {
        assertTrue(new Books(3, 77, List.of(line(5)), List.of("second")).areThoseOf(BOOKS));
    }

    @Test
    void anotherChainBalanceOrCountIsAnotherState() {
        assertFalse(new Books(3, 78, List.of(line(5)), List.of()).areThoseOf(BOOKS));
        assertFalse(new Books(3, 77, List.of(line(6)), List.of()).areThoseOf(BOOKS));
        assertFalse(new Books(4, 77, List.of(line(5)), List.of()).areThoseOf(BOOKS));
    }

    @Test
    void theIdsOfBothQuestionsAreKept() {
        Books both = BOOKS.withCallIds(List.of("second"));
        assertTrue(both.areThoseOf(BOOKS));
        assertEquals(List.of("first", "second"), both.callIds());
    }
}
