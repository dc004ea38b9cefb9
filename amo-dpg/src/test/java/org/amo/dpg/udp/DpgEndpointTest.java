package org.amo.dpg.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.base.observe.Observed;
import org.amo.dpg.Tag;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Sites and sequencers on real sockets of the loopback. */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
class DpgEndpointTest {
    /** Threads that ask and send while a site closes. */
    private static final int ASKING = 8;

    private final List<AutoCloseable> open = new ArrayList<>();
    private DpgSequencer first;
    private DpgSequencer second;
    private List<TestSite> sites = new ArrayList<>();

    @BeforeEach
    void openSequencers() throws Exception {
        first = DpgSequencer.open(
                DpgSequencer.Options.builder(0, TestSite.SECRET).build());
        second = DpgSequencer.open(
                DpgSequencer.Options.builder(1, TestSite.SECRET).build());
        open.add(first);
        open.add(second);
    }

    @AfterEach
    void closeAll() throws Exception {
        sites.forEach(TestSite::close);
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private List<InetSocketAddress> sequencers() {
        return List.of(first.address(), second.address());
    }

    private void openSites(String... names) throws Exception {
        sites = new ArrayList<>(TestSite.group(TestSite.node(names.length, 2), sequencers(), names));
    }

    private static void awaitCount(int count, List<TestSite> all) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> all.stream()
                .allMatch(site -> site.delivered().size() >= count));
    }

    private static void assertSameOrder(List<TestSite> all) {
        for (TestSite site : all) {
            assertEquals(all.get(0).delivered(), site.delivered());
        }
    }

    @Test
    void secretsThatCanBeGuessedAreRefused() {
        String guessed = "fifteen bytes..";
        assertRefused("the secret of the sites", () -> DpgNodeOptions.builder(guessed)
                .sequencerSecret(TestSite.SECRET)
                .build());
        assertRefused("the secret of the sequencers", () -> DpgNodeOptions.builder(TestSite.SECRET)
                .sequencerSecret(guessed)
                .build());
        assertRefused("the secret of the sequencers", () -> DpgSequencer.Options.builder(0, guessed)
                .build());
    }

    private static void assertRefused(String which, Executable building) {
        String message = assertThrows(IllegalArgumentException.class, building).getMessage();
        assertTrue(message.contains(which) && message.contains("can be guessed"), message);
    }

    @Test
    void withoutAnAddressSitesAndSequencersListenOnTheLoopback() throws Exception {
        TestSite site = new TestSite(
                "a",
                DpgEndpointOptions.builder(TestSite.node(1, 2), sequencers()).build());
        open.add(site);
        for (InetSocketAddress address :
                List.of(first.address(), site.endpoint().address())) {
            assertTrue(address.getAddress().isLoopbackAddress(), address.toString());
        }
    }

    @Test
    void threeSitesDeliverTheSameMessagesInTheSameOrder() throws Exception {
        openSites("a", "b", "c");
        List<Thread> senders = new ArrayList<>();
        for (TestSite site : sites) {
            Thread sender = new Thread(() -> {
                try {
                    site.count(0, 300);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            sender.start();
            senders.add(sender);
        }
        for (Thread sender : senders) {
            sender.join(30_000);
        }
        awaitCount(900, sites);
        assertSameOrder(sites);
        assertEquals(900, new HashSet<>(sites.get(0).delivered()).size());
        for (TestSite site : sites) {
            assertEquals(List.of(Tag.ROOT), site.segments());
            Awaitility.await().until(() -> site.figures().digestsCompared() > 0);
            assertEquals(0, site.figures().violations(), () -> "a violation at a site that lost nothing");
            assertEquals(0, site.figures().dummies());
            assertTrue(site.endpoint().observed().readiness().isReady());
        }
        Observed observed = sites.get(0).endpoint().observed();
        assertEquals(900L, reading(observed, "amo_dpg_delivered_total.body"));
        sites.get(0).close();
        assertFalse(observed.readiness().isReady());
        assertEquals(900L, reading(observed, "amo_dpg_delivered_total.body"), "the latest numbers stay");
    }

    private static Number reading(Observed observed, String name) {
        return observed.readings().stream()
                .filter(each -> each.fullName().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    /** Row D11: nobody waits for who goes, and nobody is asked by who comes. */
    @Test
    void oneGoesAndTheOthersGoOnAndItsSuccessorDeliversASegmentOfTheSameSequence() throws Exception {
        openSites("a", "b", "c");
        for (TestSite site : sites) {
            site.count(0, 50);
        }
        awaitCount(150, sites);
        sites.get(2).close();
        List<TestSite> stay = sites.subList(0, 2);
        for (TestSite site : stay) {
            site.count(50, 50);
        }
        awaitCount(250, stay);
        TestSite returned = new TestSite(
                "d",
                DpgEndpointOptions.builder(TestSite.node(3, 2), sequencers()).build());
        open.add(returned);
        returned.meet(stay);
        // Its segment begins wherever the others are when it has listened long enough.
        TestSite.awaitAnchored(List.of(returned));
        returned.count(0, 50);
        for (TestSite site : stay) {
            site.count(100, 50);
        }
        awaitCount(400, stay);
        Awaitility.await()
                .until(() -> returned.delivered().contains("d-49")
                        && returned.delivered().contains("a-149")
                        && returned.delivered().contains("b-149"));
        assertSameOrder(stay);
        List<String> common = stay.get(0).delivered();
        List<String> segment = returned.delivered();
        int at = Collections.indexOfSubList(common, segment);
        assertTrue(at >= 0, () -> segment + " is no part of " + common);
        assertEquals(common.size(), at + segment.size());
    }

    /** Row D12: Observation 4 at a process that stood still. */
    @Test
    void aSiteThatStoodStillMissesWhatTheOthersDeliveredAndGoesOnWithThem() throws Exception {
        openSites("a", "b", "c");
        TestSite still = sites.get(2);
        List<TestSite> others = sites.subList(0, 2);
        still.hold();
        others.get(0).count(0, 1);
        Awaitility.await().until(still::isHeld);
        for (int i = 1; others.get(0).delivered().size() < 600 && i < 600; i++) {
            others.get(0).count(i, 1);
        }
        awaitCount(600, others);
        long since = System.nanoTime();
        // Longer than a site may be silent.
        Awaitility.await()
                .until(() -> System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(2 * TestSite.ABSENCE_MILLIS));
        still.release();
        Awaitility.await().until(() -> still.segments().size() > 1);
        others.get(1).count(0, 20);
        Awaitility.await().until(() -> still.delivered().contains("b-19"));
        assertNotEquals(Tag.ROOT, still.segments().get(still.segments().size() - 1));
        awaitCount(620, others);
        assertSameOrder(others);
        assertTrue(still.figures().returns() > 0, "it did not notice");
        List<String> segment = still.lastSegment();
        assertTrue(
                Collections.indexOfSubList(others.get(0).delivered(), segment) >= 0,
                () -> segment + " is no part of the common sequence");
        assertTrue(
                segment.stream().noneMatch(each -> each.startsWith("a-")),
                () -> "what lay in its sockets meanwhile was taken: " + segment);
        assertEquals(0, still.figures().dummies());
    }

    @Test
    void whenTheSequencerGoesTheNextOneNumbersInAHigherEpoch() throws Exception {
        openSites("a", "b", "c");
        for (TestSite site : sites) {
            site.count(0, 50);
        }
        awaitCount(150, sites);
        long before = sites.get(0).figures().epoch();
        first.close();
        for (TestSite site : sites) {
            site.count(50, 50);
        }
        awaitCount(300, sites);
        assertSameOrder(sites);
        DpgMetrics figures = sites.get(0).figures();
        assertTrue(figures.epoch() > before, figures::toString);
        assertEquals(1, SequencerNode.indexOf(figures.epoch()), figures::toString);
        assertEquals(0, figures.dummies());
        SequencerNode.Figures numbering = second.figures().get(5, TimeUnit.SECONDS);
        assertEquals(1, numbering.epochs(), numbering::toString);
        assertTrue(numbering.numbered() > 0, "it numbered nothing");
    }

    @Test
    void aSequencerThatIsStartedAgainAtTheSameAddressBeginsAnew() throws Exception {
        openSites("a", "b");
        sites.get(0).count(0, 20);
        awaitCount(20, sites);
        long before = sites.get(0).figures().epoch();
        InetSocketAddress address = first.address();
        first.close();
        second.close();
        DpgSequencer again = DpgSequencer.open(
                DpgSequencer.Options.builder(0, TestSite.SECRET).listen(address).build());
        open.add(again);
        sites.get(1).count(0, 20);
        awaitCount(40, sites);
        assertSameOrder(sites);
        assertTrue(sites.get(0).figures().epoch() > before);
    }

    @Test
    void sitesMeetInAMulticastGroup() throws Exception {
        InetSocketAddress group = new InetSocketAddress(
                InetAddress.getByName("239.77." + ThreadLocalRandom.current().nextInt(256) + ".5"),
                first.address().getPort());
        for (String name : List.of("a", "b", "c")) {
            sites.add(new TestSite(
                    name,
                    DpgEndpointOptions.builder(TestSite.node(3, 2), sequencers())
                            .group(group, InetAddress.getLoopbackAddress())
                            .build()));
        }
        TestSite.awaitAnchored(sites);
        for (TestSite site : sites) {
            site.count(0, 100);
        }
        awaitCount(300, sites);
        assertSameOrder(sites);
    }

    @Test
    void whoDoesNotKnowTheSecretIsNotHeard() throws Exception {
        openSites("a", "b");
        TestSite stranger = new TestSite(
                "x",
                DpgEndpointOptions.builder(
                                DpgNodeOptions.builder("another secret of tests")
                                        .sequencers(2)
                                        .build(),
                                sequencers())
                        .build());
        open.add(stranger);
        stranger.meet(sites);
        stranger.count(0, 5);
        Awaitility.await().until(() -> sites.get(0).figures().unauthentic() > 0);
        Awaitility.await().until(() -> first.figures().get(5, TimeUnit.SECONDS).unauthentic() > 0);
        sites.get(0).count(0, 5);
        awaitCount(5, sites);
        assertEquals(List.of("a-0", "a-1", "a-2", "a-3", "a-4"), sites.get(1).delivered());
        assertEquals(List.of(), stranger.delivered());
    }

    @Test
    void aMessageThatIsTooLongIsRefusedInOneLine() throws Exception {
        openSites("a");
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> sites.get(0).endpoint().send(new byte[40_000], Duration.ofSeconds(1)));
        assertTrue(
                refused.getMessage().contains("40000") && refused.getMessage().contains("32000"), refused::toString);
        assertFalse(refused.getMessage().contains("\n"));
    }

    @Test
    void afterClosingNothingIsTaken() throws Exception {
        openSites("a");
        sites.get(0).close();
        assertFalse(sites.get(0).endpoint().send(new byte[1], Duration.ofSeconds(5)));
    }

    @Test
    void questionsToAClosedSiteOrSequencerFail() throws Exception {
        openSites("a");
        DpgEndpoint endpoint = sites.get(0).endpoint();
        sites.get(0).close();
        second.close();
        for (CompletableFuture<?> each : List.of(endpoint.figures(), endpoint.anchored(), second.figures())) {
            ExecutionException failed = assertThrows(ExecutionException.class, () -> each.get(10, TimeUnit.SECONDS));
            assertTrue(failed.getCause().getMessage().endsWith("closed"), failed::toString);
        }
    }

    /** Other threads ask and send while it closes: none may wait for ever, or meet an exception of the event loop. */
    @Test
    void everyQuestionAndSendEndsThatComesAsASiteCloses() throws Exception {
        for (int round = 0; round < 20; round++) {
            TestSite site = new TestSite(
                    "q",
                    DpgEndpointOptions.builder(TestSite.node(1, 2), sequencers())
                            .waiting(1)
                            .build());
            open.add(site);
            CountDownLatch begun = new CountDownLatch(ASKING);
            CompletableFuture<?>[] asking = new CompletableFuture<?>[ASKING];
            for (int i = 0; i < ASKING; i++) {
                boolean sends = i % 2 == 0;
                asking[i] = CompletableFuture.runAsync(
                        () -> askUntilClosed(site.endpoint(), sends, begun), DpgEndpointTest::inThread);
            }
            assertTrue(begun.await(20, TimeUnit.SECONDS));
            site.close();
            CompletableFuture.allOf(asking).get(20, TimeUnit.SECONDS);
        }
    }

    private static void inThread(Runnable task) {
        Thread thread = new Thread(task, "asks");
        thread.setDaemon(true);
        thread.start();
    }

    private static void askUntilClosed(DpgEndpoint endpoint, boolean sends, CountDownLatch begun) {
        begun.countDown();
        try {
            boolean goesOn = true;
            while (goesOn) {
                if (sends) {
                    // Until the site has its place, the second message waits for room.
                    goesOn = endpoint.send("q-0".getBytes(StandardCharsets.UTF_8), Duration.ofSeconds(60));
                } else {
                    endpoint.figures().get(20, TimeUnit.SECONDS);
                }
            }
        } catch (ExecutionException e) {
            assertEquals("the endpoint is closed", e.getCause().getMessage());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}
