package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.NestedCallException;
import org.amo.core.replica.ReplicaStatus;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations of a group of three that call another group of three: one member makes each call. */
@Timeout(120)
class OrderedNestedCallsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Of each member in a chain of groups; twice as many in a single group. */
    private static final int CRASHES = Boolean.getBoolean("amo.allSeeds") ? 2 : 1;

    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        public Refused(String message) {
            super(message);
        }
    }

    /** The called service. */
    interface Back {
        long add(long value);

        long total();

        void refuse() throws Refused;

        @Oneway
        void addSilently(long value);
    }

    /** The calling service. */
    interface Front {
        long move(long value);

        String refused();

        void silently();

        long later();

        String elsewhere();

        String own();

        String question();

        String afterUnknown();
    }

    private final List<AutoCloseable> open = new ArrayList<>();
    private final AtomicLong backRuns = new AtomicLong();
    private volatile CountDownLatch go = new CountDownLatch(0);
    private final CountDownLatch arrived = new CountDownLatch(1);

    private final class BackService implements Back {
        private long sum;

        @Override
        public long add(long value) {
            backRuns.incrementAndGet();
            arrived.countDown();
            try {
                go.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            sum += value;
            return sum;
        }

        @Override
        public long total() {
            return sum;
        }

        @Override
        public void refuse() throws Refused {
            throw new Refused("not today");
        }

        @Override
        public void addSilently(long value) {
            sum += value;
        }
    }

    private final class FrontService implements Front {
        private final AmoClient client;
        private final Back back;
        private long moved;

        FrontService(AmoClient client) {
            this.client = client;
            this.back = client.proxy(Back.class);
            newest = client;
        }

        @Override
        public long move(long value) {
            moved += back.add(value);
            return moved + back.add(value);
        }

        @Override
        public String refused() {
            try {
                back.refuse();
                return "ran";
            } catch (Refused e) {
                return e.getMessage();
            }
        }

        @Override
        public void silently() {
            back.addSilently(5);
        }

        @Override
        public long later() {
            byte[] total = MethodTable.request(new MethodTable(Back.class).of(method("total")), new Object[0]);
            CompletableFuture<Integer> length =
                    client.callAsync(total).toCompletableFuture().thenApply(reply -> reply.length);
            return length.isDone() ? length.join() : -1;
        }

        @Override
        public String elsewhere() {
            Map<String, String> said = new ConcurrentHashMap<>();
            Thread thread = new Thread(() -> {
                try {
                    back.add(1);
                } catch (NestedCallException e) {
                    said.put("why", e.getMessage());
                }
            });
            thread.start();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return said.getOrDefault("why", "ran");
        }

        @Override
        public String own() {
            try {
                return Long.toString(ownGroup.proxy(Front.class).move(1));
            } catch (NestedCallException e) {
                return e.getMessage();
            }
        }

        @Override
        public String question() {
            return client.ask(new byte[1], Duration.ofSeconds(1))
                    .toCompletableFuture()
                    .handle((answer, why) -> String.valueOf(why))
                    .join();
        }

        @Override
        public String afterUnknown() {
            try {
                return Long.toString(back.add(1));
            } catch (AmoUnknownException e) {
                return e.getMessage();
            }
        }
    }

    private static java.lang.reflect.Method method(String name) {
        try {
            return Back.class.getMethod(name);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private AmoClient ownGroup =
            AmoClient.builder("front").members("a=h:1/2").insecure().build();

    /** Of the member that was started last. */
    private volatile AmoClient newest = ownGroup;

    private final EmbeddedGroup back = EmbeddedGroup.ofWithoutSnapshots(3, Back.class, BackService::new);
    private final EmbeddedGroup front =
            EmbeddedGroup.ofOrderingNestedCalls("front", 3, Front.class, () -> new FrontService(back.client()));
    private final Back backOutside = back.client().proxy(Back.class);
    private final Front service = front.client(PATIENCE).proxy(Front.class);

    @AfterEach
    void close() throws Exception {
        go.countDown();
        front.close();
        back.close();
        ownGroup.close();
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void eachCallRunsOnceAndAllMembersTakeItsResult() {
        long moved = 0;
        for (int i = 1; i <= 20; i++) {
            long first = 2L * i - 1;
            moved += first;
            assertEquals(moved + first + 1, service.move(1));
        }
        assertEquals(40, backOutside.total());
        assertTrue(front.awaitAgreement(PATIENCE));
        assertTrue(back.awaitAgreement(PATIENCE));
        assertEquals(3 * 40, backRuns.get());
    }

    @Test
    void aMemberThatRunsItsLogAgainMakesNoCallAgain() {
        for (int i = 0; i < 10; i++) {
            service.move(1);
        }
        for (String member : front.members()) {
            front.crash(member);
            front.restart(member);
            assertTrue(front.awaitAgreement(PATIENCE));
        }
        service.move(1);
        assertEquals(22, backOutside.total());
        assertTrue(front.awaitAgreement(PATIENCE));
    }

    @Test
    void theNextLeaderTakesACallOverThatItsSenderDiedOf() throws Exception {
        go = new CountDownLatch(1);
        CompletableFuture<Long> result = CompletableFuture.supplyAsync(() -> service.move(1));
        assertTrue(arrived.await(20, TimeUnit.SECONDS));
        String leader = front.status("a").orElseThrow().leader();
        front.crash(leader);
        front.restart(leader);
        go.countDown();
        assertEquals(3, result.get(30, TimeUnit.SECONDS));
        assertEquals(2, backOutside.total());
        assertTrue(front.awaitAgreement(PATIENCE));
    }

    /** As an application does that stops its client first: the call is on its way, and the next leader gets its reply. */
    @Test
    void aSenderWhoseClientIsClosedBeforeItsMemberDoesNotMakeTheOutcomeUnknown() throws Exception {
        Map<String, AmoClient> clients = new HashMap<>();
        for (String member : front.members()) {
            front.crash(member);
            front.restart(member);
            clients.put(member, newest);
            assertTrue(front.awaitAgreement(PATIENCE));
        }
        go = new CountDownLatch(1);
        CompletableFuture<Long> result = CompletableFuture.supplyAsync(() -> service.move(1));
        assertTrue(arrived.await(20, TimeUnit.SECONDS));
        String leader = front.status("a").orElseThrow().leader();
        clients.get(leader).close();
        // An unknown outcome would be ordered before this request.
        long position = front.status(leader).orElseThrow().position();
        CompletableFuture<String> behind = CompletableFuture.supplyAsync(service::own);
        Awaitility.await().atMost(PATIENCE).until(() -> front.status(leader)
                .filter(status -> status.position() > position)
                .isPresent());
        front.crash(leader);
        go.countDown();
        assertEquals(3, result.get(30, TimeUnit.SECONDS));
        assertEquals(2, backOutside.total());
        assertTrue(behind.get(30, TimeUnit.SECONDS).contains("would wait for itself"));
        assertTrue(front.awaitAgreement(PATIENCE));
    }

    @Test
    void membersThatComeAndGoInTheMiddleOfCallsChangeNothing() {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong crashes = new AtomicLong();
        CompletableFuture<Void> faults = CompletableFuture.runAsync(() -> {
            for (int i = 0; !over.get(); i++) {
                crashes.incrementAndGet();
                String member = front.members().get(i % 3);
                front.crash(member);
                front.restart(member);
                awaitCaughtUp(front, member);
            }
        });
        long calls = 0;
        while (crashes.get() < 3L * 2 * CRASHES) {
            service.move(1);
            calls++;
        }
        over.set(true);
        faults.join();
        assertEquals(2 * calls, backOutside.total());
        assertTrue(front.awaitAgreement(PATIENCE));
    }

    /** Has executed as much as the others had when it came. */
    private static void awaitCaughtUp(EmbeddedGroup group, String member) {
        long most = group.members().stream()
                .mapToLong(each ->
                        group.status(each).map(ReplicaStatus::executedPosition).orElse(0L))
                .max()
                .orElse(0);
        Awaitility.await().atMost(PATIENCE).until(() -> group.status(member)
                .filter(status -> status.executedPosition() >= most)
                .isPresent());
    }

    /** Between the calling and the called group. */
    private static final class MiddleService implements Back {
        private final Back next;

        MiddleService(AmoClient client) {
            this.next = client.proxy(Back.class);
        }

        @Override
        public long add(long value) {
            return next.add(value);
        }

        @Override
        public long total() {
            return next.total();
        }

        @Override
        public void refuse() throws Refused {
            next.refuse();
        }

        @Override
        public void addSilently(long value) {
            next.addSilently(value);
        }
    }

    @Test
    void inAChainOfThreeGroupsEachCallRunsOnceThoughMembersOfAllCrash() throws Exception {
        EmbeddedGroup middle = EmbeddedGroup.ofOrderingNestedCalls(
                "middle", 3, Back.class, () -> new MiddleService(back.client(PATIENCE)));
        open.add(middle);
        EmbeddedGroup first = EmbeddedGroup.ofOrderingNestedCalls(
                "first", 3, Front.class, () -> new FrontService(middle.client(PATIENCE)));
        open.add(0, first);
        Front chain = first.client(PATIENCE).proxy(Front.class);
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong crashes = new AtomicLong();
        CompletableFuture<Void> faults = CompletableFuture.runAsync(() -> {
            List<EmbeddedGroup> all = List.of(first, middle, back);
            for (int i = 0; !over.get(); i++) {
                crashes.incrementAndGet();
                EmbeddedGroup victim = all.get(i % 3);
                String member = victim.members().get(i / 3 % 3);
                victim.crash(member);
                victim.restart(member);
                awaitCaughtUp(victim, member);
            }
        });
        long calls = 0;
        while (crashes.get() < 3L * 3 * CRASHES) {
            chain.move(1);
            calls++;
        }
        over.set(true);
        faults.get(60, TimeUnit.SECONDS);
        assertEquals(2 * calls, backOutside.total());
        assertEquals("not today", chain.refused());
        for (EmbeddedGroup each : List.of(first, middle, back)) {
            assertTrue(each.awaitAgreement(PATIENCE));
        }
    }

    @Test
    void exceptionsOfTheCalledServiceArrive() {
        assertEquals("not today", service.refused());
        assertTrue(front.awaitAgreement(PATIENCE));
    }

    @Test
    void allWaysToCallWaitForTheResult() {
        service.silently();
        assertEquals(5, backOutside.total());
        assertTrue(service.later() > 0);
        assertTrue(service.question().contains("no answer from group embedded"), "embedded members answer none");
        assertTrue(front.awaitAgreement(PATIENCE));
    }

    @Test
    void threadsOfAnOperationAndCallsToTheOwnGroupAreRefused() {
        String elsewhere = service.elsewhere();
        assertTrue(elsewhere.contains("outside of the thread that runs it"), elsewhere);
        String own = service.own();
        assertTrue(own.contains("would wait for itself"), own);
        assertEquals(0, backOutside.total());
        assertTrue(front.awaitAgreement(PATIENCE));
    }

    @Test
    void withoutTheCalledGroupTheOutcomeIsUnknownAtTheDeadlineAtEveryMember() {
        Front impatient = front.client(Duration.ofSeconds(2)).proxy(Front.class);
        back.members().forEach(back::crash);
        AmoUnknownException unknown = assertThrows(AmoUnknownException.class, impatient::afterUnknown);
        assertTrue(unknown.getMessage().contains("front"), unknown.getMessage());
        assertTrue(front.awaitAgreement(PATIENCE));
        assertTrue(service.own().contains("would wait for itself"), "the group goes on");
    }
}
