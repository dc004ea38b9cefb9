package org.amo.testkit.fault;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every point with what can happen at it, between ports that only write down what reaches them. */
class FaultyReplicaTest {
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final byte[] REPLY = "r".getBytes(StandardCharsets.US_ASCII);

    /** What reached a port, in order. */
    private final List<String> log = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    @Test
    void withoutAFaultEverythingPasses() {
        run("before-order:99:kill");
        assertEquals(List.of("submit 1", "execute 1", "answer 1"), log);
    }

    @Test
    void aKillComesBeforeWhatThePointStandsBefore() {
        assertKilledAfter("before-order");
        assertKilledAfter("after-order", "submit 1");
        assertKilledAfter("after-execute", "submit 1", "execute 1");
        assertKilledAfter("before-reply", "submit 1", "execute 1");
        assertKilledAfter("after-reply", "submit 1", "execute 1", "answer 1");
    }

    @Test
    void aKillBeforeAnAcknowledgement() {
        assertKilledAfter("before-sack", "submit 1", "execute 1", "answer 1");
    }

    @Test
    void aCopyArrivesAgainAtEveryPoint() {
        for (String point : List.of("before-order", "after-order", "after-execute", "before-reply", "after-reply")) {
            log.clear();
            run(point + ":1:duplicate");
            await(point).until(() -> count("submit 1") == 2);
            assertEquals(1, count("execute 1"), point);
            assertEquals(1, count("answer 1"), point + ": the copy's answer goes to nobody");
        }
    }

    @Test
    void aCopyMayArriveLater() {
        run("after-reply:1:duplicate:30");
        assertEquals(List.of("submit 1", "execute 1", "answer 1"), log);
        await().until(() -> count("submit 1") == 2);
    }

    /** Its client may have taken a new number already, since no copy that it sent is left. */
    @Test
    void whatWasRefusedDoesNotArriveAgain() {
        start("after-reply:1:duplicate,after-reply:2:duplicate");
        refused = 1;
        replica.submit(request(1), FinishedNumbers.NONE, answer -> log.add("answer 1"));
        replica.submit(request(2), FinishedNumbers.NONE, answer -> log.add("answer 2"));
        await().until(() -> count("submit 2") == 2);
        assertEquals(1, count("submit 1"));
    }

    @Test
    void anAcknowledgementArrivesAgain() {
        run("before-sack:1:duplicate");
        replica.acknowledge(CLIENT, FinishedNumbers.NONE);
        assertEquals(2, count("acknowledge"));
    }

    @Test
    void whatIsDelayedHappensLaterAndOnce() {
        for (String point : List.of("before-order", "before-reply")) {
            log.clear();
            start(point + ":1:delay:50");
            replica.submit(request(1), FinishedNumbers.NONE, answer -> log.add("answer 1"));
            assertEquals(0, count(point.equals("before-order") ? "submit 1" : "answer 1"), point);
            await(point).until(() -> count("answer 1") == 1);
            assertEquals(1, count("execute 1"), point);
        }
    }

    @Test
    void whatArrivesTogetherStaysTogetherButForWhatAFaultHoldsBack() {
        start("before-order:2:delay:50");
        replica.submitAll(List.of(arrival(1), arrival(2), arrival(3)));
        assertEquals(1, count("together 2"));
        await().until(() -> count("answer 2") == 1);
        assertEquals(1, count("together 1"));
        for (int number = 1; number <= 3; number++) {
            assertEquals(1, count("execute " + number));
            assertEquals(1, count("answer " + number));
        }
    }

    @Test
    void aServantThatIsDelayedIsSlow() {
        start("after-order:1:delay:30");
        long start = System.nanoTime();
        replica.submit(request(1), FinishedNumbers.NONE, answer -> log.add("answer 1"));
        assertTrue(Duration.ofNanos(System.nanoTime() - start).toMillis() >= 30);
        assertEquals(1, count("answer 1"));
    }

    /** Takes all memory of its process, which must not be that of the tests. */
    public static final class Exhausted {
        private Exhausted() {}

        public static void main(String[] args) {
            new FaultyReplicaTest().run("after-order:1:exhaust");
        }
    }

    /** As that of a member, whose virtual machine ends with its heap. */
    @Test
    void aServantThatExhaustsTheHeapEndsItsProcess() throws Exception {
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx24m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Exhausted.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it goes on");
        } finally {
            process.destroyForcibly();
        }
        String words = Files.readString(said);
        assertEquals(3, process.exitValue(), words);
        assertTrue(words.contains("FAULT: after-order:1:exhaust"), words);
    }

    @Test
    void requestsOfOtherMembersPassNoPoint() {
        start("after-order:1:kill");
        servant.execute(1, 1, request(7));
        assertEquals(List.of("execute 7"), log);
    }

    @Test
    void aPartitionHoldsBackTheOrderAndLosesTheRest() {
        FaultyReplica faulty = new FaultyReplica(new FaultPlan(FaultRule.parseList("before-order:1:partition:100")));
        LogListener[] told = new LogListener[1];
        OrderedLog ordered = faulty.around(port(OrderedLog.class, (method, arguments) -> {
            if (method.equals("start")) {
                told[0] = (LogListener) arguments[0];
            } else {
                log.add(method);
            }
        }));
        ordered.start(port(LogListener.class, (method, arguments) -> log.add(method + " " + arguments[0])));
        ReplicatedService service = faulty.around(port(ReplicatedService.class, (method, arguments) -> {}));
        told[0].onDelivered(1, REPLY);
        service.submit(request(1), FinishedNumbers.NONE, answer -> {});
        told[0].onDelivered(2, REPLY);
        told[0].onMessage("b", REPLY);
        told[0].onLeader("b");
        ordered.submit(1, REPLY);
        ordered.send("b", REPLY);
        await().until(() -> log.contains("onLeader b"));
        told[0].onMessage("c", REPLY);
        ordered.submit(2, REPLY);
        assertEquals(
                List.of("onDelivered 1", "onDelivered 2", "onLeader b", "onMessage c", "submit"), List.copyOf(log));
    }

    @Test
    void aFileArmsFaultsAndSetsTheClockWhileTheProcessRuns() throws Exception {
        Path file = folder.resolve("faults");
        FaultPlan plan = new FaultPlan(List.of());
        FaultFile watched = new FaultFile(file, plan);
        watched.look();
        plan.pass(FaultPoint.AFTER_ORDER);
        Files.writeString(file, "clock -3600000\narm after-order:1:kill\nclock 5");
        watched.look();
        assertEquals(-3_600_000, watched.clockStepMillis(), "a line without its end is not read");
        assertTrue(plan.pass(FaultPoint.AFTER_ORDER).isPresent());
        Files.writeString(file, "clock -3600000\narm after-order:1:kill\nclock 5\n");
        watched.look();
        assertEquals(5, watched.clockStepMillis());
        assertFalse(plan.pass(FaultPoint.AFTER_ORDER).isPresent(), "each line once");
    }

    @Test
    void withoutItsPropertiesTheInterposerStandsAside() {
        TestFaultHooks none = new TestFaultHooks("", Optional.empty());
        ServantPort port = (position, time, request) -> REPLY;
        assertTrue(none.around(SETTINGS, port) == port);
        assertEquals(0, none.clockStepMillis());
    }

    private static final ReplicaSettings SETTINGS = ReplicaSettings.fromProperties(
            name -> switch (name) {
                case "amo.group" -> "g";
                case "amo.id" -> "a";
                case "amo.members" -> "a=127.0.0.1:1/2";
                default -> null;
            },
            Optional.empty());

    /** Thrown where a process would have ended. */
    private static final class KilledError extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** What a port that is not under test does. */
    private interface Told {
        void call(String method, Object[] arguments);
    }

    private long refused;
    private ServantPort servant = (position, time, request) -> REPLY;
    private ReplicatedService inner = port(ReplicatedService.class, (method, arguments) -> {});
    private ReplicatedService replica = port(ReplicatedService.class, (method, arguments) -> {});

    /** A replica of one member: what is submitted is executed at once and answered, a second time from the reply. */
    private void start(String faults) {
        FaultyReplica faulty = new FaultyReplica(new FaultPlan(FaultRule.parseList(faults)), () -> {
            throw new KilledError();
        });
        servant = faulty.around((position, time, request) -> {
            log.add("execute " + request.id().number());
            return REPLY;
        });
        Set<RequestId> known = ConcurrentHashMap.newKeySet();
        inner = port(ReplicatedService.class, (method, arguments) -> {
            if (method.equals("submitAll")) {
                List<?> together = (List<?>) arguments[0];
                log.add("together " + together.size());
                together.stream().map(Arrival.class::cast).forEach(each -> inner().submit(
                                each.request(), each.finished(), each.listener()));
            } else if (method.equals("submit")) {
                Request request = (Request) arguments[0];
                log.add("submit " + request.id().number());
                if (request.id().number() == refused) {
                    ((AnswerListener) arguments[2]).onAnswer(Answer.refused(Refusal.TOO_EARLY, 1, 0));
                    return;
                }
                if (known.add(request.id())) {
                    assertArrayEquals(REPLY, servant.execute(1, 1, request));
                }
                ((AnswerListener) arguments[2]).onAnswer(Answer.reply(REPLY, 1, 0));
            } else {
                log.add(method);
            }
        });
        replica = faulty.around(inner);
    }

    private ReplicatedService inner() {
        return inner;
    }

    private void run(String faults) {
        start(faults);
        replica.submit(request(1), FinishedNumbers.NONE, answer -> log.add("answer 1"));
    }

    private void assertKilledAfter(String point, String... before) {
        log.clear();
        assertThrows(KilledError.class, () -> {
            run(point + ":1:kill");
            replica.acknowledge(CLIENT, FinishedNumbers.NONE);
        });
        assertEquals(List.of(before), List.copyOf(log), point);
    }

    private long count(String event) {
        return log.stream().filter(event::equals).count();
    }

    private Arrival arrival(long number) {
        return new Arrival(
                request(number), FinishedNumbers.NONE, Principal.UNKNOWN, answer -> log.add("answer " + number));
    }

    private static Request request(long number) {
        return new Request(RequestId.own(CLIENT, number), 1, 2, 3, false, REPLY);
    }

    private static <T> T port(Class<T> type, Told told) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    told.call(method.getName(), arguments == null ? new Object[0] : arguments);
                    return null;
                }));
    }
}
