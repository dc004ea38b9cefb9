package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.amo.base.ClientId;
import org.amo.core.reply.RecordMemory;
import org.amo.core.reply.ReplyStore;
import org.amo.core.reply.RowPages;
import org.amo.core.reply.Shares;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** A member whose heap holds less than the budgets of its group. Its door keeps it, with the parts that the group gives to each principal. */
final class MemberMemoryTest {
    private static final Principal STRANGER = Principal.address(new byte[] {10, 0, 0, 1});
    private static final Principal HONEST = Principal.address(new byte[] {10, 0, 0, 2});
    private static final int ENTRIES = 300;
    private static final byte[] BODY = new byte[88];

    /** A body and the allowance for a reply. */
    private static final int CHARGE = BODY.length + ReplicaRig.PARAMETERS.replyAllowanceBytes();

    private ReplicaRig rig = rig(RowPages.HEAP, (long) ENTRIES * CHARGE);

    private static ReplicaRig rig(RowPages rows, long mostBytes) {
        return ReplicaRig.startedWith(new RecordMemory(1, ReplyStore.heap(), rows, Shares::new, mostBytes));
    }

    private Request request(Space space, ClientId client, long number) {
        return new Request(
                new RequestId(space, client, number), rig.groupTime(), rig.groupTime() + 9_000, number, false, BODY);
    }

    /** Whether it was executed; else it was refused before it was ordered. */
    private boolean runs(Request request, Principal principal, FinishedNumbers finished) {
        String name = request.id() + " of " + principal;
        rig.copy(name, request, finished, principal);
        int before = rig.executed.size();
        while (!rig.submitted.isEmpty()) {
            rig.deliverNext();
        }
        rig.executeAll();
        boolean ran = rig.executed.size() > before;
        assertEquals(!ran, rig.answer(name).equals("OVERLOADED"), rig.answer(name));
        return ran;
    }

    private boolean runs(Space space, ClientId client, long number, Principal principal) {
        return runs(request(space, client, number), principal, FinishedNumbers.NONE);
    }

    /** How many clients of a principal find room, with one call each. */
    private int clientsOf(Principal principal, Space space, int id) {
        int clients = 0;
        while (clients < 10 * ENTRIES && runs(space, new ClientId(id, clients), 1, principal)) {
            clients++;
        }
        return clients;
    }

    @Test
    void strangersWithACallEachAreRefusedAtTheDoorBeforeTheyFillTheHeap() {
        assertEquals(ENTRIES / 2 * 2 / 3, clientsOf(STRANGER, Space.FOREIGN, 7), "two thirds of half of it");
        assertTrue(clientsOf(HONEST, Space.FOREIGN, 8) > 10, "others find room");
        assertTrue(runs(Space.OWN, ReplicaRig.C, 1, STRANGER), "own clients have memory of their own");
    }

    @Test
    void clientsThatAcknowledgeNothingLeaveAThirdOfTheMemoryToOthers() {
        assertEquals(ENTRIES * 2 / 3, clientsOf(STRANGER, Space.OWN, 7));
        assertTrue(runs(Space.OWN, ReplicaRig.C, 1, HONEST));
        assertTrue(runs(request(Space.OWN, ReplicaRig.C, 2), HONEST, FinishedNumbers.of(1)));
    }

    @Test
    void anAcknowledgementMakesRoom() {
        int held = clientsOf(STRANGER, Space.OWN, 7);
        ClientId known = new ClientId(7, held - 1);
        assertTrue(!runs(Space.OWN, known, 2, STRANGER));
        assertTrue(runs(request(Space.OWN, known, 2), Principal.UNKNOWN, FinishedNumbers.of(1)));
    }

    /** An invented client can send any of them. */
    @Test
    void anAcknowledgementThatFreesNothingMakesNoRoom() {
        int clients = 0;
        while (clients < 10 * ENTRIES
                && runs(request(Space.OWN, new ClientId(7, clients), 2), STRANGER, FinishedNumbers.of(1))) {
            clients++;
        }
        assertEquals(ENTRIES * 2 / 3, clients);
        Request more = request(Space.OWN, new ClientId(7, 0), 9);
        assertTrue(!runs(more, STRANGER, FinishedNumbers.of(1, 5, 7)), "none of them is live");
        assertTrue(runs(more, STRANGER, FinishedNumbers.of(2)));
    }

    /** The order decides by the budgets of the group alone, at each member alike. */
    @Test
    void whatAnotherMemberHasOrderedIsExecuted() {
        int held = clientsOf(STRANGER, Space.OWN, 7);
        Request ordered = request(Space.OWN, ReplicaRig.D, 1);
        for (int number = 1; number <= ENTRIES; number++) {
            rig.deliverOf("b", number, request(Space.OWN, new ClientId(9, number), 1));
        }
        rig.deliverOf("b", ENTRIES + 1, ordered);
        rig.executeAll();
        assertEquals(held + ENTRIES + 1, rig.executed.size());
        assertTrue(!runs(Space.OWN, ReplicaRig.C, 1, HONEST), "it is full now for all new requests");
    }

    @Test
    void theRowsOfIdleClientsCountWhereTheyAreOnTheHeap() {
        rig = rig(RowPages.HEAP, 90 * 72);
        assertEquals(60, idleClients());
        rig = rig(ByteBuffer::allocate, 90 * 72);
        assertEquals(200, idleClients());
    }

    /** Oneways leave no reply. */
    private int idleClients() {
        for (int client = 0; client < 200; client++) {
            Request call = request(Space.OWN, new ClientId(7, client), 1);
            Request oneway = new Request(
                    call.id(), call.timestampMillis(), call.deadlineMillis(), call.fingerprint(), true, new byte[1]);
            if (!runs(oneway, STRANGER, FinishedNumbers.NONE)) {
                return client;
            }
        }
        return 200;
    }
}
