package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.amo.base.NestedCallException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups whose operations call each other: a call back into a group that waits is refused at once, and the error names the way. */
@Timeout(120)
class CallCyclesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(1_500);

    /** The service of each group. */
    interface Hop {
        /** Calls the first group of the route, and has it go on with the rest; the names of the groups that it came through. */
        String hop(List<String> route);

        /** The same; says why a call was refused. */
        String tryHop(List<String> route);

        /** Calls the first group of the route, and has it tell the rest; the last one, by a oneway. */
        void tell(List<String> route);

        /** Calls that group. */
        @Oneway
        void note(String group);

        /** How often that was refused. */
        long refusedNotes();

        /** Waits until the other group does this, too, and then calls it. */
        String meet(String other);
    }

    private final Map<String, EmbeddedGroup> groups = new LinkedHashMap<>();
    private final Map<String, Hop> clients = new ConcurrentHashMap<>();
    private final Map<String, Hop> impatient = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> there =
            Map.of("bank", new CountDownLatch(1), "audit", new CountDownLatch(1));

    private final class HopService implements Hop {
        private final String name;
        private long refusedNotes;

        HopService(String name) {
            this.name = name;
        }

        @Override
        public String hop(List<String> route) {
            return route.isEmpty()
                    ? name
                    : name + " " + clients.get(route.get(0)).hop(route.subList(1, route.size()));
        }

        @Override
        public String tryHop(List<String> route) {
            try {
                return route.size() == 1
                        ? hop(route)
                        : clients.get(route.get(0)).tryHop(route.subList(1, route.size()));
            } catch (NestedCallException e) {
                return e.getMessage();
            }
        }

        @Override
        public void tell(List<String> route) {
            Hop next = clients.get(route.get(0));
            if (route.size() == 1) {
                next.note(name);
            } else {
                next.tell(route.subList(1, route.size()));
            }
        }

        @Override
        public void note(String group) {
            try {
                clients.get(group).hop(List.of());
            } catch (NestedCallException e) {
                refusedNotes++;
            }
        }

        @Override
        public long refusedNotes() {
            return refusedNotes;
        }

        @Override
        public String meet(String other) {
            there.get(name).countDown();
            try {
                if (!there.get(other).await(20, TimeUnit.SECONDS)) {
                    return "alone";
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            try {
                return impatient.get(other).hop(List.of());
            } catch (AmoUnknownException e) {
                return e.getMessage();
            }
        }
    }

    private void start(String... names) {
        for (String name : names) {
            EmbeddedGroup group = EmbeddedGroup.ofOrderingNestedCalls(name, 3, Hop.class, () -> new HopService(name));
            groups.put(name, group);
            clients.put(name, group.client(PATIENCE).proxy(Hop.class));
            impatient.put(name, group.client(SHORT).proxy(Hop.class));
        }
    }

    @AfterEach
    void close() {
        groups.values().forEach(EmbeddedGroup::close);
    }

    private void assertAlive() {
        groups.forEach((name, group) -> {
            assertEquals(name, clients.get(name).hop(List.of()));
            assertTrue(group.awaitAgreement(PATIENCE));
        });
    }

    /** Well before the deadline. */
    private void assertRefusedAtOnce(String first, List<String> route, String way) {
        long began = System.nanoTime();
        AmoServiceException refused =
                assertThrows(AmoServiceException.class, () -> clients.get(first).hop(route));
        assertTrue(System.nanoTime() - began < PATIENCE.toNanos() / 3, "refused at once");
        String why = String.valueOf(refused.getMessage());
        assertTrue(why.contains(": " + way + ";"), why);
    }

    @Test
    void aCallBackIsRefusedAtOnceAndBothGroupsGoOn() {
        start("bank", "audit");
        assertRefusedAtOnce("bank", List.of("audit", "bank"), "bank -> audit -> bank");
        assertRefusedAtOnce("audit", List.of("bank", "audit"), "audit -> bank -> audit");
        assertEquals("bank audit", clients.get("bank").hop(List.of("audit")));
        assertAlive();
    }

    @Test
    void aLongerWayBackIsNamedFromTheGroupThatWaits() {
        start("bank", "audit", "log");
        assertRefusedAtOnce("bank", List.of("audit", "log", "bank"), "bank -> audit -> log -> bank");
        assertRefusedAtOnce("bank", List.of("audit", "log", "audit"), "audit -> log -> audit");
        assertEquals("bank audit log", clients.get("bank").hop(List.of("audit", "log")));
        assertAlive();
    }

    @Test
    void anOperationMayCatchTheRefusalAndAllMembersDoAlike() {
        start("bank", "audit");
        String why = clients.get("bank").tryHop(List.of("audit", "bank"));
        assertTrue(why.contains("group bank waits for that operation: bank -> audit -> bank;"), why);
        assertAlive();
    }

    /** The member that sends a call is not the one to which its request came. */
    @Test
    void eachMemberKnowsThePath() {
        start("bank", "audit");
        for (String member : groups.get("audit").members()) {
            groups.get("audit").crash(member);
            assertRefusedAtOnce("bank", List.of("audit", "bank"), "bank -> audit -> bank");
            groups.get("audit").restart(member);
        }
        assertAlive();
    }

    /** An operation waits for the answer to a oneway, which comes when it was executed. */
    @Test
    void onewaysAreRefusedLikeCalls() {
        start("bank", "audit");
        clients.get("bank").tell(List.of("audit"));
        await().atMost(PATIENCE).until(() -> clients.get("audit").refusedNotes() == 1);
        AmoServiceException refused = assertThrows(
                AmoServiceException.class, () -> clients.get("bank").tell(List.of("audit", "bank")));
        assertTrue(String.valueOf(refused.getMessage()).contains("bank -> audit -> bank"), refused::toString);
        assertAlive();
    }

    /** Neither call came out of an operation of the called group: no path leads back, and only the deadline ends the wait. */
    @Test
    void groupsThatMeetInTheMiddleEndAtTheDeadlineAndLearnWhatMayHaveHappened() throws Exception {
        start("bank", "audit");
        CompletableFuture<String> bank =
                CompletableFuture.supplyAsync(() -> clients.get("bank").meet("audit"));
        String audit = clients.get("audit").meet("bank");
        String told = bank.get(30, TimeUnit.SECONDS) + audit;
        assertTrue(told.contains("its outcome is unknown at every member; a cycle is possible, "), told);
        assertTrue(told.contains("bank -> audit -> bank") || told.contains("audit -> bank -> audit"), told);
        assertAlive();
    }
}
