package org.amo.core.reply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.reply.Shares.Division;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** How a budget is divided between principals and their clients. */
final class SharesTest {
    private static final Principal ALICE = Principal.credential("alice");
    private static final Principal BOB = Principal.credential("bob");

    private final Shares shares = new Shares(1);

    @Test
    void aPartMayTakeSoManyTimesWhatIsLeftAndNeverLessThanNothing() {
        assertEquals(150, Shares.room(100, 2, 50));
        assertEquals(0, Shares.room(100, 2, 200));
        assertEquals(0, Shares.room(100, 2, 201));
        assertEquals(1, Shares.room(1, 1, 0));
        assertEquals(0, Shares.room(0, 2, 0));
        assertEquals(0, Shares.room(-5, 2, -100));
    }

    @Test
    void aRoomThatALongCannotTellIsTheLargest() {
        assertEquals(Long.MAX_VALUE, Shares.room(Long.MAX_VALUE / 2 + 1, 2, 0));
        assertEquals(Long.MAX_VALUE - 1, Shares.room(Long.MAX_VALUE / 2, 2, 0));
    }

    /** Of 1,000 bytes alice holds 100, all by one client: 900 are left, 800 to her and 700 to that client. */
    @Test
    void theFirstBudgetWithoutRoomIsNamedAndTheLastByteOfEachIsGiven() {
        shares.charge(shares.join(ALICE), 100);
        Division division = new Division(1_000, 1, 1);
        assertEquals(Optional.of(Budget.GROUP_BYTES), shares.shortage(ALICE, 100, 901, division));
        assertEquals(Optional.of(Budget.PRINCIPAL_BYTES), shares.shortage(ALICE, 100, 900, division));
        assertEquals(Optional.of(Budget.PRINCIPAL_BYTES), shares.shortage(ALICE, 100, 801, division));
        assertEquals(Optional.of(Budget.CLIENT_BYTES), shares.shortage(ALICE, 100, 800, division));
        assertEquals(Optional.of(Budget.CLIENT_BYTES), shares.shortage(ALICE, 100, 701, division));
        assertEquals(Optional.empty(), shares.shortage(ALICE, 100, 700, division));
        assertEquals(Optional.empty(), shares.shortage(ALICE, 0, 800, division), "another client of hers");
        assertEquals(Optional.empty(), shares.shortage(BOB, 0, 900, division), "another principal");
    }

    @Test
    void aPrincipalIsHereWhileARecordOfOneOfItsClientsHasIt() {
        int place = shares.join(ALICE);
        assertEquals(place, shares.join(ALICE));
        assertEquals(2, shares.clients(ALICE));
        assertEquals(0, shares.clients(BOB));
        shares.charge(place, 30);
        shares.leave(place);
        assertEquals(1, shares.clients(ALICE));
        assertEquals(30, shares.bytes(ALICE));
        shares.charge(place, -30);
        shares.leave(place);
        assertEquals(0, shares.clients(ALICE));
        assertEquals(0, shares.totalBytes());
    }

    /** Memory does not grow with the principals that were ever here. */
    @Test
    void thePlaceOfAPrincipalThatLeftIsUsedAgainAndNothingOfItIsLeft() {
        int place = shares.join(ALICE);
        shares.join(BOB);
        shares.charge(place, 30);
        shares.leave(place);
        Principal next = Principal.credential("carol");
        assertEquals(place, shares.join(next));
        assertEquals(0, shares.bytes(next));
        assertEquals(next, shares.principal(place));
        assertEquals(0, shares.bytes(ALICE));
    }

    @Test
    void aThousandPrincipalsAreToldApart() {
        List<Integer> places = new ArrayList<>();
        for (int each = 0; each < 1_000; each++) {
            places.add(shares.join(new Principal(each)));
            shares.charge(places.get(each), each);
        }
        for (int each = 0; each < 1_000; each++) {
            assertEquals(each, shares.bytes(new Principal(each)));
            assertEquals(new Principal(each), shares.principal(places.get(each)));
        }
    }

    @Test
    void aCopyGoesItsOwnWay() {
        int place = shares.join(ALICE);
        shares.charge(place, 30);
        Shares copy = shares.copy();
        shares.charge(place, 5);
        shares.join(BOB);
        assertEquals(30, copy.bytes(ALICE));
        assertEquals(30, copy.totalBytes());
        assertEquals(0, copy.clients(BOB));
        copy.join(BOB);
        copy.charge(place, 1);
        assertEquals(35, shares.bytes(ALICE));
        assertNotEquals(shares.totalBytes(), copy.totalBytes());
    }
}
