package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.core.order.Member;
import org.amo.core.wire.RequestContext;
import org.amo.examples.bank.BankClient;
import org.amo.examples.bank.BankServer;
import org.amo.examples.bank.idl.Bank;
import org.amo.lab.blackbox.ContextSpy.Seen;
import org.amo.lab.cluster.Watch;
import org.jacorb.orb.ORBSingleton;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.omg.CORBA.Request;

/** Unmodified clients with amo's interceptor, and what they tell the group. */
@Timeout(90)
final class ClientsTest {
    private static BankCluster bank;
    private static Optional<BankCluster> other = Optional.empty();

    @BeforeAll
    static void start() {
        bank = BankCluster.start(BankCluster.Settings.bank("clients")
                .property("amo.skewMillis", "500")
                .two());
        other = Optional.empty();
    }

    /** The second group, which starts with the first test that asks for it: those are of the profile slow. */
    private static BankCluster probe() {
        BankCluster.Settings settings =
                BankCluster.Settings.bank("others").main(ProbeServer.class).one();
        BankCluster probe = other.orElseGet(() -> BankCluster.start(settings));
        other = Optional.of(probe);
        return probe;
    }

    @AfterAll
    static void stop() {
        bank.close();
        other.ifPresent(BankCluster::close);
    }

    @BeforeEach
    void nothingIsLeft() {
        ContextSpy.clear();
        bank.awaitEverywhere("entries", 0);
    }

    @AfterEach
    void allMembersAgreeAndNothingRanTwice() {
        bank.awaitEqual();
        assertEquals(Set.of(), bank.executedMoreThanOnce());
    }

    /** F1, F3: the client's class path has its stubs, the ORB and what wrap appends. */
    @Test
    void anUnmodifiedClientSendsItsIdWithEveryRequestAndGetsOneReplyForEach() {
        List<Tap> taps = bank.members().stream()
                .map(member -> new Tap(member.clientPort()))
                .toList();
        try {
            List<Member> tapped = new ArrayList<>();
            for (int i = 0; i < taps.size(); i++) {
                Member member = bank.members().get(i);
                tapped.add(new Member(
                        member.id(),
                        member.host(),
                        member.orderPort(),
                        taps.get(i).port()));
            }
            ClientWrap wrap = new ClientWrap(tapped, Optional.of(10_000L), true, Optional.empty(), Optional.empty());
            ProgramRun run = ProgramRun.of(wrap.apply(bankClient(
                            "corbaloc:iiop:1.2@127.0.0.1:" + taps.get(0).port() + "/" + key(),
                            "deposit",
                            "f1",
                            "5",
                            "3"))
                    .words());
            assertEquals(0, run.exitCode(), run.err());
            assertEquals("5 10 15", run.out().lines().collect(Collectors.joining(" ")));
            List<Giop.RequestHead> deposits = taps.stream()
                    .flatMap(tap -> tap.requests().stream())
                    .filter(head -> head.operation().equals("deposit"))
                    .toList();
            Set<Long> numbers = new TreeSet<>();
            for (Giop.RequestHead head : deposits) {
                assertTrue(head.contexts().keySet().containsAll(List.of(12, 13, RequestContext.CONTEXT_ID)));
                numbers.add(RequestContext.decode(head.contexts().get(RequestContext.CONTEXT_ID))
                        .call()
                        .orElseThrow()
                        .number());
            }
            assertEquals(Set.of(1L, 2L, 3L), numbers);
            assertEquals(3, deposits.size());
            long requests =
                    taps.stream().mapToLong(tap -> tap.requests().size()).sum();
            assertTrue(taps.stream().mapToLong(Tap::replies).sum() <= requests);
        } finally {
            taps.forEach(Tap::close);
        }
    }

    /** F2: the same classes serve without amo. */
    @Test
    @Tag("slow")
    void theSameServantServesWithoutAmo() throws IOException {
        Path reference = bank.folder().resolve("plain.ior");
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.add("-Djacorb.implname=plain");
        words.add("-DOAIAddr=127.0.0.1");
        words.add("-Djacorb.log.default.verbosity=1");
        words.add("-cp");
        words.add(plainClassPath());
        words.add(Watch.PROGRAM.getName());
        words.add(BankServer.class.getName());
        words.add(reference.toString());
        Process server = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(bank.folder().resolve("plain.log").toFile())
                .start();
        try (Orb orb = Orb.plain()) {
            bank.awaitThat("the plain bank is open", () -> Files.exists(reference));
            Bank plain = orb.bank(Files.readString(reference).strip());
            Bank replicated = orb.bank(bank.reference());
            assertEquals(deposit(replicated, "f2", 5), deposit(plain, "f2", 5));
            assertEquals(deposit(replicated, "f2", 6), deposit(plain, "f2", 6));
        } finally {
            server.destroyForcibly();
        }
    }

    /** F9, A12: the entry of call n leaves with call n + 1, and that of the last one soon after. */
    @Test
    void theNextCallAcknowledgesTheOneBeforeAndAnIdleClientLeavesNothing() {
        try (Orb orb = Orb.client(10_000, ContextSpy.ON)) {
            Bank mine = orb.bank(bank.reference());
            deposit(mine, "f9", 1);
            deposit(mine, "f9", 1);
            List<Seen> calls = ContextSpy.calls();
            assertFalse(calls.get(0).carries(1));
            assertTrue(calls.get(1).carries(1) && !calls.get(1).carries(2));
            long start = System.nanoTime();
            bank.awaitEverywhere("entries", 0);
            long millis = (System.nanoTime() - start) / 1_000_000;
            assertTrue(millis < 5_000, "gone after " + millis + " ms, far before the deadline");
        }
    }

    /** A12: at its end the client tells the group at once. */
    @Test
    void aClientThatEndsLeavesNothing() {
        Orb orb = Orb.client();
        deposit(orb.bank(bank.reference()), "a12", 1);
        orb.close();
        long start = System.nanoTime();
        bank.awaitEverywhere("entries", 0);
        assertTrue((System.nanoTime() - start) / 1_000_000 < 5_000);
    }

    /** F10, T-F18. */
    @Test
    void anyThreadsCallAcknowledgesWhatAnotherThreadGot() throws InterruptedException {
        try (Orb orb = Orb.client(10_000, ContextSpy.ON)) {
            Thread once = new Thread(() -> deposit(orb.bank(bank.reference()), "f10", 1), "amo-once");
            once.start();
            once.join(10_000);
            deposit(orb.bank(bank.reference()), "f10", 1);
            List<Seen> calls = ContextSpy.calls();
            assertEquals(calls.get(0).context().client(), calls.get(1).context().client());
            assertTrue(calls.get(1).carries(calls.get(0).number()));
        }
    }

    /** F11: two objects of one group share a context, another group has its own. */
    @Test
    @Tag("slow")
    void acknowledgementsGatherPerGroupAndNotPerObject() throws IOException {
        BankCluster probe = probe();
        try (Orb before = Orb.client()) {
            // A group that has just begun refuses a first call, which then takes another number.
            invoke(before.add(before.object(probe.reference()), 1));
        }
        try (Orb orb = Orb.client(10_000, ContextSpy.ON)) {
            org.omg.CORBA.Object x = orb.object(probe.reference());
            org.omg.CORBA.Object y =
                    orb.object(Files.readString(Path.of(probe.member(0).reference() + ".y"))
                            .strip());
            invoke(orb.add(x, 1));
            invoke(orb.add(y, 1));
            deposit(orb.bank(bank.reference()), "f11", 1);
            List<Seen> calls = ContextSpy.calls();
            assertTrue(calls.get(1).carries(1));
            assertEquals(1, calls.get(2).number());
            assertTrue(calls.get(2).context().finished().isEmpty());
        }
    }

    /** F16. */
    @Test
    @Tag("slow")
    void withoutAcknowledgementsTheResultsAreTheSameAndTheCacheIsThatOfTheTimeout() {
        ClientWrap wrap = new ClientWrap(List.of(), Optional.of(2_000L), false, Optional.empty(), Optional.empty());
        try (Orb orb = Orb.of(wrap, ContextSpy.ON)) {
            Bank mine = orb.bank(bank.reference());
            long before = bank.member(0).status().number("purgedBySack");
            for (int i = 1; i <= 50; i++) {
                assertEquals(i, deposit(mine, "f16", 1));
            }
            assertTrue(ContextSpy.calls().stream()
                    .allMatch(seen -> seen.context().finished().isEmpty()));
            bank.awaitEverywhere("entries", 0);
            Status status = bank.member(0).status();
            assertEquals(before, status.number("purgedBySack"));
            assertTrue(status.number("entriesPeak") >= 1);
        }
    }

    /** F18: threads and deferred requests on one ORB. */
    @Test
    @Tag("slow")
    void manyThreadsAndDeferredCallsOfOneOrbRunOnceEachAndAllAreAcknowledged() throws Exception {
        BankCluster probe = probe();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (Orb orb = Orb.client()) {
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 200; t++) {
                String account = "f18-" + t;
                Thread thread = new Thread(
                        () -> {
                            Bank mine = orb.bank(bank.reference());
                            for (int i = 1; i <= 4; i++) {
                                assertEquals(i, deposit(mine, account, 1));
                            }
                        },
                        "amo-many-" + t);
                thread.setUncaughtExceptionHandler((dead, thrown) -> failures.add(thrown));
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
            org.omg.CORBA.Object x = orb.object(probe.reference());
            long start = invoke(orb.add(x, 0));
            List<Request> deferred = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Request request = orb.add(x, 1);
                request.send_deferred();
                deferred.add(request);
            }
            Set<Long> sums = new TreeSet<>();
            for (Request request : deferred) {
                request.get_response();
                sums.add(request.return_value().extract_longlong());
            }
            assertEquals(20, sums.size());
            assertTrue(sums.contains(start + 1) && sums.contains(start + 20));
            for (Thread thread : threads) {
                thread.join(30_000);
            }
            assertEquals(List.of(), List.copyOf(failures));
            bank.awaitEverywhere("entries", 0);
            probe.awaitEverywhere("entries", 0);
        }
    }

    /** A16, in part: the stock ORB takes the group's reference and is served as plain CORBA. */
    @Test
    void aClientOfAStockOrbUsesTheGroupsReference() {
        long before =
                bank.numbers("plainCalls").stream().mapToLong(Long::longValue).sum();
        try (Orb orb = Orb.plain()) {
            assertEquals(3, deposit(orb.bank(bank.reference()), "a16", 3));
        }
        bank.awaitThat(
                "the call is counted",
                () -> bank.numbers("plainCalls").stream()
                                .mapToLong(Long::longValue)
                                .sum()
                        == before + 1);
    }

    /** A11: one client id per request or batch, and ranges. */
    @Test
    void acknowledgementsAreASmallShareOfTheOrderedBytes() throws InterruptedException {
        Status before = bank.member(0).status();
        try (Orb orb = Orb.client()) {
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                String account = "a-customer-with-a-name-" + t;
                Thread thread = new Thread(
                        () -> {
                            Bank mine = orb.bank(bank.reference());
                            for (int i = 0; i < 100; i++) {
                                deposit(mine, account, 1);
                            }
                        },
                        "amo-share-" + t);
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join(30_000);
            }
        }
        bank.awaitEverywhere("entries", 0);
        Status after = bank.member(0).status();
        double sack = after.number("sackBytes") - before.number("sackBytes");
        assertTrue(sack / 800 <= 2, sack / 800 + " bytes a call");
        double all = after.number("orderedBytes") - before.number("orderedBytes");
        assertTrue(sack / all <= 0.02, "acknowledgements are " + 100 * sack / all + " % of " + all + " bytes");
    }

    private static long invoke(Request request) {
        request.invoke();
        return request.return_value().extract_longlong();
    }

    private static long deposit(Bank to, String account, long amount) {
        try {
            return to.deposit(account, amount);
        } catch (org.amo.examples.bank.idl.BadAmount e) {
            throw new AssertionError(e);
        }
    }

    private static String key() {
        return new String(RawClient.objectKey(bank.reference()), StandardCharsets.US_ASCII);
    }

    private static JavaCommandLine bankClient(String... arguments) {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.add("-cp");
        words.add(BankCluster.location(BankClient.class));
        words.add(BankClient.class.getName());
        words.addAll(List.of(arguments));
        return JavaCommandLine.parse(words, Optional.empty());
    }

    /** The bank, the ORB and what the ORB needs; nothing that replicates. */
    private static String plainClassPath() {
        List<String> entries = new ArrayList<>(List.of(
                BankCluster.location(BankServer.class),
                BankCluster.location(Watch.PROGRAM),
                BankCluster.location(ORBSingleton.class),
                BankCluster.location(org.omg.CORBA.ORB.class),
                BankCluster.location(org.slf4j.Logger.class),
                BankCluster.location(javax.rmi.CORBA.Stub.class)));
        return String.join(File.pathSeparator, entries);
    }
}
