package org.amo.interceptors.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import AmoClientTest.AMI_CounterHandler;
import AmoClientTest.AMI_CounterHandlerPOA;
import AmoClientTest.Counter;
import AmoClientTest.CounterHelper;
import AmoClientTest.Refused;
import AmoClientTest.RefusedHelper;
import AmoClientTest.WithAny;
import AmoClientTest._CounterStub;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.DeafServer;
import org.amo.interceptors.MinorCodes;
import org.jacorb.orb.CDRInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.NO_RESOURCES;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.Request;
import org.omg.CORBA.SetOverrideType;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;
import org.omg.Messaging.ExceptionHolder;
import org.omg.Messaging.RELATIVE_REQ_TIMEOUT_POLICY_TYPE;
import org.omg.Messaging.RELATIVE_RT_TIMEOUT_POLICY_TYPE;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

@Timeout(60)
class ClientInterceptorTest {
    private static final boolean ALL = Boolean.getBoolean("amo.allSeeds");
    private static final int MANY = ALL ? 10_000 : 500;

    /** Of each of 64 threads. */
    private static final int EACH = ALL ? 50 : 20;

    private FakeGroup group;

    @BeforeEach
    void start() throws Exception {
        group = new FakeGroup(3);
    }

    @AfterEach
    void stop() {
        ApplicationInterceptor.reset();
        group.close();
    }

    // ---- what requests carry

    @Test
    void everyRequestCarriesTheThreeContexts() {
        Counter counter = group.counter(group.client());
        assertEquals(5, counter.add(5));
        FakeMember.Seen seen = group.seen("add").get(0);
        assertEquals(1, seen.number());
        RequestContext own = seen.context().orElseThrow();
        RequestContext.Call call = own.call().orElseThrow();
        assertEquals(10_000, call.deadlineMillis() - call.timestampMillis());
        CDRInputStream request = new CDRInputStream(seen.ftRequest().orElseThrow());
        request.openEncapsulatedArray();
        assertEquals(own.client().toString(), request.read_string());
        assertEquals(1, request.read_long());
        assertEquals(org.jacorb.util.Time.corbaTime(call.deadlineMillis()).time, request.read_ulonglong());
        CDRInputStream version = new CDRInputStream(seen.groupVersion().orElseThrow());
        version.openEncapsulatedArray();
        assertEquals(3, version.read_ulong());
    }

    @Test
    void finishedNumbersRideOnTheNextRequestOfTheSameGroup() {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        Counter other = group.other(orb);
        counter.add(1);
        other.add(1);
        assertTrue(group.seen("add").get(1).context().orElseThrow().finished().contains(1));
        Counter foreign = CounterHelper.narrow(
                orb.string_to_object(group.reference(0, Optional.of(FakeGroup.groupTag(8)), false)));
        foreign.add(1);
        FakeMember.Seen last = group.seen("add").get(2);
        assertEquals(1, last.number());
        assertTrue(last.context().orElseThrow().finished().isEmpty());
    }

    @Test
    void aRestartedClientHasAnotherId() {
        group.counter(group.client()).add(1);
        group.counter(group.client()).add(1);
        assertEquals(
                2,
                group.seen("add").stream()
                        .map(seen -> seen.context().orElseThrow().client())
                        .distinct()
                        .count());
    }

    @Test
    void attributesAreCallsAndPseudoOperationsAreNot() {
        // No flushes: they are pseudo operations as well.
        Counter counter = group.counter(group.client("amo.sack", "off"));
        assertEquals("m0", counter.label());
        assertFalse(counter._non_existent());
        assertFalse(counter._is_a("IDL:AmoClientTest/Unknown:1.0"));
        counter.label("x");
        assertEquals(1, group.seen("_get_label").get(0).number());
        assertEquals(2, group.seen("_set_label").get(0).number());
        assertTrue(group.seen("_non_existent").get(0).context().isEmpty());
        assertTrue(group.seen("_is_a").get(0).context().isEmpty());
    }

    @Test
    void aTargetWithoutGroupIsLeftAlone() {
        // JacORB can lose a plain request in a connection that closes just then, and would wait for ever.
        Counter plain = group.plain(
                group.client("amo.attemptMillis", "100", "jacorb.connection.client.pending_reply_timeout", "10000"), 0);
        assertEquals(1, plain.slow(400));
        FakeMember.Seen seen = group.seen("slow").get(0);
        assertTrue(seen.context().isEmpty()
                && seen.ftRequest().isEmpty()
                && seen.groupVersion().isEmpty());
        group.member(0).proxy.down();
        assertThrows(SystemException.class, () -> plain.add(1));
    }

    @Test
    void configuredMembersMakeAGroupOfAPlainReference() {
        String members = "a=localhost:1/" + group.member(0).proxy.port() + ",b=127.0.0.1:1/"
                + group.member(1).proxy.port();
        Counter counter = group.plain(group.client("amo.members", members, "amo.firstMember", "b"), 0);
        counter.add(1);
        assertEquals(1, group.seen("add").get(0).member());
        group.member(1).proxy.down();
        counter.add(1);
        assertEquals(0, group.seen("add").get(1).member());
        assertEquals(2, group.seen("add").get(1).number());
    }

    // ---- members

    @Test
    void clientsSpreadOverTheMembersAndStay() {
        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 12; i++) {
            Counter counter = group.counter(group.client("amo.firstMember", ""));
            counter.add(1);
            counter.add(1);
            List<FakeMember.Seen> seen = group.seen("add");
            assertEquals(seen.get(0).member(), seen.get(1).member());
            used.add(seen.get(0).member());
            group.seen.clear();
        }
        assertTrue(used.size() > 1, "all 12 clients chose member " + used);
    }

    @Test
    void aBrokenConnectionIsAnsweredByTheNextMemberUnderTheSameId() {
        Counter counter = group.counter(group.client());
        counter.add(1);
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        counter.add(1);
        counter.add(1);
        List<FakeMember.Seen> seen = group.seen("add");
        assertEquals(
                List.of(0, 0, 1, 1), seen.stream().map(FakeMember.Seen::member).toList());
        assertEquals(
                List.of(1L, 2L, 2L, 3L),
                seen.stream().map(FakeMember.Seen::number).toList());
        assertEquals(
                seen.get(1).context().orElseThrow().call(),
                seen.get(2).context().orElseThrow().call());
        assertTrue(seen.get(2).context().orElseThrow().finished().contains(1));
    }

    @Test
    void aSilentMemberIsLeftAfterTheAttemptsTime() {
        Counter counter = group.counter(group.client("amo.attemptMillis", "200"));
        counter.add(1);
        group.member(0).proxy.replies(TcpProxy.Replies.MUTE);
        long before = System.nanoTime();
        counter.add(1);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
        assertTrue(millis >= 190 && millis < 8_000, "took " + millis + " ms");
        List<FakeMember.Seen> seen = group.seen("add");
        assertEquals(
                List.of(0, 0, 1), seen.stream().map(FakeMember.Seen::member).toList());
        assertEquals(
                List.of(1L, 2L, 2L), seen.stream().map(FakeMember.Seen::number).toList());
    }

    @Test
    void aDeadFirstMemberCostsNoCopy() {
        group.member(0).proxy.down();
        group.refuseFirst(1, Refusal.STALE);
        Counter counter = group.counter(group.client());
        assertEquals(1, counter.add(1));
        // The refused connect was no copy: the refused one was the only, and a new number allowed.
        assertEquals(
                List.of(1L, 2L),
                group.seen("add").stream().map(FakeMember.Seen::number).toList());
    }

    @Test
    void whenAllMembersAreDeadTheCallEndsAtItsDeadlineNotExecuted() {
        group.members.forEach(member -> member.proxy.down());
        Counter counter = group.counter(group.client("amo.deadlineMillis", "500"));
        long before = System.nanoTime();
        TRANSIENT failed = assertThrows(TRANSIENT.class, () -> counter.add(1));
        assertTrue(System.nanoTime() - before < TimeUnit.SECONDS.toNanos(8));
        assertEquals(CompletionStatus.COMPLETED_NO, failed.completed);
        assertEquals(MinorCodes.NO_MEMBER, failed.minor);
        group.member(2).proxy.up();
        assertEquals(1, counter.add(1));
        RequestContext context = group.seen("add").get(0).context().orElseThrow();
        assertTrue(context.finished().contains(1), "a number never used must not stay a gap");
    }

    @Test
    void whenAllMembersAreSilentTheOutcomeIsUnknown() {
        Counter counter = group.counter(group.client("amo.deadlineMillis", "700", "amo.attemptMillis", "200"));
        group.members.forEach(member -> member.proxy.replies(TcpProxy.Replies.MUTE));
        long before = System.nanoTime();
        TIMEOUT failed = assertThrows(TIMEOUT.class, () -> counter.add(1));
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
        assertTrue(millis > 400 && millis < 10_000, "took " + millis + " ms");
        assertEquals(CompletionStatus.COMPLETED_MAYBE, failed.completed);
        assertEquals(MinorCodes.UNKNOWN, failed.minor);
        assertEquals(Set.of(1L), numbers("add"));
    }

    @Test
    void pseudoOperationsFailOverToo() {
        Counter counter = group.counter(group.client("amo.sack", "off"));
        counter.add(1);
        group.member(0).proxy.down();
        assertFalse(counter._non_existent());
        List<FakeMember.Seen> seen = group.seen("_non_existent");
        assertEquals(1, seen.get(seen.size() - 1).member(), "one may have come through before the connection broke");
    }

    /** JacORB asks for a policy again and again in the same bytes, if the question may not go where it is connected. */
    @Test
    void theQuestionForAPolicyEnds() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Counter counter = CounterHelper.unchecked_narrow(group.client("amo.firstMember", "1")
                    .string_to_object(group.reference(0, Optional.of(FakeGroup.groupTag(7)), false)));
            Future<String> asked = pool.submit(() -> {
                try {
                    return String.valueOf(counter._get_policy(77));
                } catch (SystemException answer) {
                    return answer.getClass().getSimpleName();
                }
            });
            assertEquals("BAD_OPERATION", asked.get(20, TimeUnit.SECONDS));
            assertEquals(1, counter.add(1));
        } finally {
            pool.shutdownNow();
        }
    }

    /** JacORB waits for the answer to a LocateRequest for ever, in front of all interceptors. */
    @Test
    void noLocateRequestHoldsACall() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try (DeafServer deaf = new DeafServer()) {
            Counter counter = CounterHelper.unchecked_narrow(group.client(
                            "amo.members", "a=127.0.0.1:1/" + deaf.port(),
                            "amo.deadlineMillis", "500",
                            "amo.attemptMillis", "200",
                            "jacorb.locate_on_bind", "on")
                    .string_to_object("corbaloc:iiop:1.2@127.0.0.1:" + deaf.port() + "/counter"));
            Future<Integer> call = pool.submit(() -> counter.add(1));
            ExecutionException failed = assertThrows(ExecutionException.class, () -> call.get(20, TimeUnit.SECONDS));
            assertEquals(TIMEOUT.class, failed.getCause().getClass());
        } finally {
            pool.shutdownNow();
        }
    }

    // ---- refusals

    @Test
    void staleOnTheFirstAttemptGetsANewNumberAndALaterTimestamp() {
        long upper = System.currentTimeMillis() + 1_000_000;
        group.script = seen -> seen.number() == 1
                ? Optional.of(Answer.refused(Refusal.STALE, upper + 1_000, upper))
                : Optional.empty();
        Counter counter = group.counter(group.client());
        assertEquals(1, counter.add(1));
        List<FakeMember.Seen> seen = group.seen("add");
        assertEquals(List.of(1L, 2L), seen.stream().map(FakeMember.Seen::number).toList());
        assertTrue(seen.get(1).context().orElseThrow().call().orElseThrow().timestampMillis() > upper);
        assertTrue(seen.get(1).context().orElseThrow().finished().contains(1));
    }

    @Test
    void staleAfterALostCopyIsUnknown() {
        Counter counter = group.counter(group.client());
        counter.add(1);
        group.script = seen -> seen.member() == 0 ? Optional.empty() : Optional.of(group.refusal(Refusal.STALE));
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        TIMEOUT failed = assertThrows(TIMEOUT.class, () -> counter.add(1));
        assertEquals(CompletionStatus.COMPLETED_MAYBE, failed.completed);
        assertEquals(MinorCodes.UNKNOWN, failed.minor);
        assertEquals(Set.of(1L, 2L), numbers("add"));
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void aCallThatIsAlwaysRefusedWasNotExecuted(Refusal reason) {
        group.script = seen -> Optional.of(group.refusal(reason));
        Counter counter = group.counter(group.client("amo.deadlineMillis", "300"));
        SystemException failed = assertThrows(SystemException.class, () -> counter.add(1));
        assertEquals(CompletionStatus.COMPLETED_NO, failed.completed);
        assertEquals(MinorCodes.of(reason), failed.minor);
        Class<?> type =
                switch (reason) {
                    case OVERLOADED, TOO_EARLY -> TRANSIENT.class;
                    case ID_REUSED -> BAD_PARAM.class;
                    case EXPIRED, STALE -> TIMEOUT.class;
                };
        assertEquals(type, failed.getClass());
        assertEquals(0, group.value.get());
    }

    @ParameterizedTest
    @EnumSource(
            value = Refusal.class,
            names = {"OVERLOADED", "TOO_EARLY", "STALE"})
    void aCallThatIsRefusedForAWhileSucceeds(Refusal reason) {
        group.refuseFirst(4, reason);
        assertEquals(1, group.counter(group.client()).add(1));
        assertEquals(5, group.seen("add").size());
    }

    @Test
    void anAnswerThatCannotTellIsNeverRetriedUnderANewNumber() {
        group.script = seen -> Optional.of(Answer.unknown(group.time(), group.upper()));
        Counter counter = group.counter(group.client("amo.deadlineMillis", "300"));
        TIMEOUT failed = assertThrows(TIMEOUT.class, () -> counter.add(1));
        assertEquals(CompletionStatus.COMPLETED_MAYBE, failed.completed);
        assertEquals(Set.of(1L), numbers("add"));
    }

    // ---- what counts as a reply

    @Test
    void aUserExceptionIsAReply() {
        Counter counter = group.counter(group.client());
        assertEquals(7, assertThrows(Refused.class, () -> counter.fail(7)).code);
        counter.add(1);
        assertTrue(group.seen("add").get(0).context().orElseThrow().finished().contains(1));
    }

    @Test
    void aServantsSystemExceptionIsAReply() {
        Counter counter = group.counter(group.client());
        NO_PERMISSION failed = assertThrows(NO_PERMISSION.class, () -> counter.failSystem(5));
        assertEquals(5, failed.minor);
        assertEquals(CompletionStatus.COMPLETED_YES, failed.completed);
        counter.add(1);
        assertTrue(group.seen("add").get(0).context().orElseThrow().finished().contains(1));
    }

    @Test
    void aServantsObjectNotExistIsNotTriedElsewhere() {
        // Begins at another member than the reference names: the delegate is forwarded.
        Counter counter = group.counter(group.client("amo.firstMember", "1"));
        OBJECT_NOT_EXIST failed = assertThrows(OBJECT_NOT_EXIST.class, () -> counter.failSystem(1));
        assertEquals(17, failed.minor);
        assertEquals(1, group.seen("failSystem").size());
    }

    @Test
    void anObjectThatNoMemberHasDoesNotExist() {
        Counter missing = group.missing(group.client());
        assertThrows(OBJECT_NOT_EXIST.class, () -> missing.add(1));
        Counter counter = group.counter(group.client());
        assertEquals(1, counter.add(1));
    }

    @Test
    void anExceptionInFrontOfTheReplicasSaysNothingAboutALostCopy() {
        Counter counter = group.counter(group.client("amo.deadlineMillis", "1000"));
        counter.add(1);
        group.rejects = seen -> seen.member() != 0;
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        TIMEOUT failed = assertThrows(TIMEOUT.class, () -> counter.add(1));
        assertEquals(CompletionStatus.COMPLETED_MAYBE, failed.completed);
        assertEquals(Set.of(1L, 2L), numbers("add"));
    }

    @Test
    void anExceptionInFrontOfTheReplicasIsPassedOnWhenNoOtherCopyWasSent() {
        Counter counter = group.counter(group.client());
        group.rejects = seen -> true;
        assertEquals(CompletionStatus.COMPLETED_NO, assertThrows(NO_RESOURCES.class, () -> counter.add(1)).completed);
        assertEquals(1, group.seen("add").size());
    }

    // ---- acknowledgements without a request to ride on

    @Test
    void anIdleClientFlushesAfterASecond() {
        Counter counter = group.counter(group.client());
        counter.add(1);
        await().atMost(Duration.ofSeconds(4)).until(() -> !flushes().isEmpty());
        assertTrue(flushes().get(0).finished().contains(1));
        assertTrue(flushes().get(0).call().isEmpty());
    }

    @Test
    void aFlushThatIsLostIsRepeatedElsewhere() {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        counter.add(1);
        group.members.forEach(member -> member.proxy.down());
        await().atMost(Duration.ofSeconds(20))
                .until(() -> interceptor(orb).groups().iterator().next().redirects() > 0);
        group.member(2).proxy.up();
        await().atMost(Duration.ofSeconds(20)).until(() -> !flushes().isEmpty());
        assertTrue(flushes().get(0).finished().contains(1));
        assertEquals(2, group.seen("_non_existent").get(0).member());
    }

    @Test
    void anOrbThatIsShutDownFlushesAtOnce() {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        counter.add(1);
        group.member(0).proxy.down();
        orb.shutdown(true);
        assertTrue(flushes().get(0).finished().contains(1));
    }

    private Process exiting(String property, Class<?> main) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Damo.firstMember=0", property));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        JacorbClientDefaults.properties().forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.add(main.getName());
        command.add(group.reference(0, Optional.of(FakeGroup.groupTag(7)), false));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void aProgramThatEndsFlushesWithoutKnowing() throws Exception {
        Process process = exiting("-Damo.deadlineMillis=10000", ExitingClient.class);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        assertTrue(output.contains("1\n"), output);
        assertEquals(0, process.exitValue());
        assertTrue(flushes().get(0).finished().contains(1));
    }

    /** The application's own shutdown hook makes it, after amo's has run. */
    @Test
    void aCallInAShutdownHookFailsOver() throws Exception {
        Process process = exiting("-Damo.attemptMillis=300", HookingClient.class);
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            BufferedReader output = process.inputReader();
            assertEquals("1", pool.submit(output::readLine).get(20, TimeUnit.SECONDS));
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            await().atMost(Duration.ofSeconds(20)).until(() -> !flushes().isEmpty());
            group.member(0).proxy.replies(TcpProxy.Replies.MUTE);
            process.getOutputStream().close();
            // These members execute every copy that they get.
            assertEquals("3", pool.submit(output::readLine).get(20, TimeUnit.SECONDS));
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        } finally {
            process.destroyForcibly();
            pool.shutdownNow();
        }
        assertEquals(
                List.of(1L, 2L, 2L),
                group.seen("add").stream().map(FakeMember.Seen::number).toList());
    }

    @Test
    void sackOffSendsNoneAtAll() {
        Counter counter = group.counter(group.client("amo.sack", "off"));
        counter.add(1);
        counter.add(1);
        assertTrue(group.seen("add").stream()
                .allMatch(seen -> seen.context().orElseThrow().finished().isEmpty()));
    }

    // ---- many calls

    @Test
    void manyCallsLeaveNothingBehind() {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        for (int i = 0; i < MANY; i++) {
            counter.add(1);
        }
        assertEquals(0, interceptor(orb).openCalls());
        assertEquals(new ReplicatedGroup.Usage(MANY, 0), usage(orb));
        assertEquals(MANY, group.value.get());
    }

    @Test
    void sixtyFourThreadsHaveDistinctNumbersAndAllAreFinished() throws Exception {
        ORB orb = group.client();
        Counter shared = group.counter(orb);
        inParallel(64, thread -> {
            Counter counter = thread % 2 == 0 ? shared : group.counter(orb);
            for (int i = 0; i < EACH; i++) {
                counter.add(1);
            }
        });
        assertEquals(64 * EACH, group.seen("add").size());
        assertEquals(64 * EACH, numbers("add").size());
        await().atMost(Duration.ofSeconds(5)).until(() -> flushes().stream()
                .anyMatch(flush -> flush.finished().floor() == 64L * EACH));
        assertEquals(new ReplicatedGroup.Usage(64L * EACH, 0), usage(orb));
    }

    @Test
    void membersThatDieUnderLoadCostNoCallAndNoNumber() throws Exception {
        ORB orb = group.client();
        Counter shared = group.counter(orb);
        inParallel(16, thread -> {
            Counter counter = thread % 2 == 0 ? shared : group.counter(orb);
            for (int i = 0; i < 200; i++) {
                counter.add(1);
                if (thread == 0 && i % 50 == 25) {
                    TcpProxy proxy = group.member(i / 50 % 3).proxy;
                    proxy.down();
                    proxy.up();
                }
            }
        });
        assertEquals(3_200, numbers("add").size());
        assertEquals(new ReplicatedGroup.Usage(3_200, 0), usage(orb));
        assertEquals(0, interceptor(orb).openCalls());
    }

    // ---- errors of the Java runtime

    /** As at the limit of threads. */
    private static OutOfMemoryError noThread() {
        return new OutOfMemoryError("unable to create native thread");
    }

    @Test
    void anErrorDoesNotEndTheWatch() throws Exception {
        Counter counter = group.counter(group.client("amo.attemptMillis", "200"));
        counter.add(1);
        group.member(0).proxy.replies(TcpProxy.Replies.MUTE);
        CompletableFuture<Integer> result = new CompletableFuture<>();
        AtomicBoolean first = new AtomicBoolean(true);
        Thread caller = new Thread(() -> result.complete(counter.add(1))) {
            @Override
            public StackTraceElement[] getStackTrace() {
                if (first.getAndSet(false)) {
                    throw noThread();
                }
                return super.getStackTrace();
            }
        };
        caller.setDaemon(true);
        caller.start();
        assertEquals(3, result.get(20, TimeUnit.SECONDS));
        assertFalse(first.get(), "the watch looks where the thread stands");
    }

    /** Stops the first thread that amo makes on behalf of the caller. */
    private static final class NoThreads extends InheritableThreadLocal<Boolean> {
        private final AtomicBoolean armed = new AtomicBoolean(true);

        @Override
        protected Boolean childValue(Boolean parent) {
            boolean ours = StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().equals(ClientInterceptor.class.getName())));
            if (ours && armed.getAndSet(false)) {
                throw noThread();
            }
            return parent;
        }
    }

    @Test
    void ifTheWatchCannotStartTheNextCallStartsIt() throws Exception {
        Counter counter = CounterHelper.unchecked_narrow(group.client("amo.attemptMillis", "200")
                .string_to_object(group.reference(0, Optional.of(FakeGroup.groupTag(7)), false)));
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> calls = pool.submit(() -> {
                NoThreads noThreads = new NoThreads();
                noThreads.set(true);
                assertThrows(OutOfMemoryError.class, () -> counter.add(1));
                noThreads.remove();
                group.member(0).proxy.replies(TcpProxy.Replies.MUTE);
                return counter.add(1);
            });
            assertEquals(2, calls.get(20, TimeUnit.SECONDS));
        } finally {
            pool.shutdownNow();
        }
    }

    // ---- other ways to call

    @Test
    void aOnewaysNumberIsFinishedAfterItsDeadline() {
        ORB orb = group.client("amo.deadlineMillis", "300");
        Counter counter = group.counter(orb);
        counter.note(4);
        await().atMost(Duration.ofSeconds(5)).until(() -> group.notes.get() == 4);
        assertEquals(1, group.seen("note").get(0).number());
        counter.add(1);
        assertFalse(group.seen("add").get(0).context().orElseThrow().finished().contains(1));
        await().atMost(Duration.ofSeconds(8)).until(() -> flushes().stream()
                .anyMatch(flush -> flush.finished().floor() == 2));
    }

    @Test
    void aOnewayThatNeverLeftGoesToTheNextMember() {
        Counter counter = group.counter(group.client());
        group.member(0).proxy.down();
        counter.note(3);
        await().atMost(Duration.ofSeconds(5)).until(() -> group.notes.get() == 3);
        assertEquals(1, group.seen("note").get(0).number());
    }

    @Test
    void dynamicAndDeferredRequestsAreCallsLikeAnyOther() throws Exception {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        Request direct = dynamicAdd(orb, counter);
        direct.invoke();
        assertEquals(1, direct.return_value().extract_long());
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        Request deferred = dynamicAdd(orb, counter);
        deferred.send_deferred();
        deferred.get_response();
        assertEquals(3, deferred.return_value().extract_long());
        assertEquals(
                List.of(1L, 2L, 2L),
                group.seen("add").stream().map(FakeMember.Seen::number).toList());
        assertEquals(new ReplicatedGroup.Usage(2, 0), usage(orb));
        assertEquals(0, interceptor(orb).openCalls());
    }

    @Test
    void anAsynchronousCallIsNeverCutShortAndItsNumberIsFinishedInTheEnd() throws Exception {
        ORB orb = group.client("amo.deadlineMillis", "600", "amo.attemptMillis", "50");
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        root.the_POAManager().activate();
        CompletableFuture<Integer> result = new CompletableFuture<>();
        AMI_CounterHandler handler = new SlowHandler(result)._this(orb);
        ((_CounterStub) group.counter(orb)).sendc_slow(handler, 300);
        assertEquals(1, result.get(10, TimeUnit.SECONDS));
        assertEquals(
                List.of(1L),
                group.seen("slow").stream().map(FakeMember.Seen::number).toList());
        await().atMost(Duration.ofSeconds(20)).until(() -> flushes().stream()
                .anyMatch(flush -> flush.finished().contains(1)));
        await().until(() -> interceptor(orb).openCalls() == 0);
    }

    /** A thread of JacORB's for it could keep the client's process, if the connection breaks. */
    @Test
    void aRetryGetsNoTimeLimitOfTheOrb() throws Exception {
        Counter counter = group.counter(group.client());
        counter.add(1);
        Set<Thread> before = timers();
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        group.member(1).proxy.replies(TcpProxy.Replies.MUTE);
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> call = pool.submit(() -> counter.add(1));
            await().atMost(Duration.ofSeconds(20)).until(() -> group.seen("add").stream()
                    .map(FakeMember.Seen::member)
                    .toList()
                    .contains(1));
            Set<Thread> now = timers();
            now.removeAll(before);
            assertEquals(Set.of(), now);
            group.members.forEach(member -> member.proxy.replies(TcpProxy.Replies.PASS));
            call.get(20, TimeUnit.SECONDS);
        } finally {
            pool.shutdownNow();
        }
    }

    private static Set<Thread> timers() {
        Set<Thread> timers = new HashSet<>();
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().startsWith("ReplyReceiver")) {
                timers.add(each);
            }
        }
        return timers;
    }

    @Test
    void theApplicationsOwnTimeoutEndsTheCallAndTellsTheTruth() throws Exception {
        Counter counter = withRoundtripMillis(group.client(), 400);
        assertEquals(1, counter.add(1));
        group.members.forEach(member -> member.proxy.replies(TcpProxy.Replies.MUTE));
        long before = System.nanoTime();
        TIMEOUT failed = assertThrows(TIMEOUT.class, () -> counter.add(1));
        assertTrue(System.nanoTime() - before < TimeUnit.SECONDS.toNanos(8));
        assertEquals(CompletionStatus.COMPLETED_MAYBE, failed.completed);
    }

    /** The member of the retry completes no connection, and JacORB's own limit for that is long. */
    @Test
    void aRetryGetsWhatIsLeftOfTheApplicationsTimeout() throws Exception {
        try (DeafPort deaf = new DeafPort()) {
            String members = "a=127.0.0.1:1/" + group.member(0).proxy.port() + ",b=127.0.0.1:1/" + deaf.port();
            ORB orb = group.client(
                    "amo.members", members,
                    "amo.firstMember", "a",
                    "amo.deadlineMillis", "40000",
                    "jacorb.connection.client.connect_timeout", "30000");
            Counter counter = limited(orb, group.plain(orb, 0), RELATIVE_RT_TIMEOUT_POLICY_TYPE.value, 2_000);
            group.member(0).proxy.replies(TcpProxy.Replies.CUT);
            long before = System.nanoTime();
            TIMEOUT failed = assertThrows(TIMEOUT.class, () -> counter.add(1));
            assertTrue(System.nanoTime() - before < TimeUnit.SECONDS.toNanos(15));
            assertEquals(CompletionStatus.COMPLETED_MAYBE, failed.completed);
            assertEquals(1, group.seen("add").size());
        }
    }

    /** One thread watches all calls, and to close a connection waits until it is made. */
    @Test
    void aCallThatStillConnectsAtItsEndHoldsUpNoOther() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try (DeafPort deaf = new DeafPort()) {
            ORB orb = group.client(
                    "amo.members", "a=127.0.0.1:1/" + deaf.port(),
                    "amo.deadlineMillis", "2000",
                    "amo.attemptMillis", "200",
                    "jacorb.connection.client.connect_timeout", "30000");
            Counter unreachable = CounterHelper.unchecked_narrow(
                    orb.string_to_object("corbaloc:iiop:1.2@127.0.0.1:" + deaf.port() + "/counter"));
            Counter counter = group.counter(orb);
            counter.add(1);
            long begun = System.nanoTime();
            Future<Integer> connecting = pool.submit(() -> unreachable.add(1));
            await().until(() -> System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(3));
            assertFalse(connecting.isDone());
            group.member(0).proxy.replies(TcpProxy.Replies.MUTE);
            pool.submit(() -> counter.add(1)).get(10, TimeUnit.SECONDS);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void noRetryLeavesAfterTheApplicationsTimeToSend() throws Exception {
        ORB orb = group.client("amo.deadlineMillis", "40000");
        Counter counter = limited(orb, group.counter(orb), RELATIVE_REQ_TIMEOUT_POLICY_TYPE.value, 600);
        group.members.forEach(member -> member.proxy.down());
        long before = System.nanoTime();
        SystemException failed = assertThrows(SystemException.class, () -> counter.add(1));
        assertTrue(System.nanoTime() - before < TimeUnit.SECONDS.toNanos(15));
        assertEquals(CompletionStatus.COMPLETED_NO, failed.completed);
    }

    @Test
    void theOrbsLimitForOneReplyLeavesTheNextMemberToAnswer() {
        Counter counter = group.counter(
                group.client("amo.attemptMillis", "9000", "jacorb.connection.client.pending_reply_timeout", "500"));
        counter.add(1);
        group.member(0).proxy.replies(TcpProxy.Replies.MUTE);
        counter.add(1);
        assertEquals(
                List.of(0, 0, 1),
                group.seen("add").stream().map(FakeMember.Seen::member).toList());
    }

    @Test
    void aReplyThatIsThereIsHandedOverThoughTheTimeRunsOut() throws Exception {
        Counter counter = withRoundtripMillis(group.client(ApplicationInterceptor.last(), ""), 400);
        assertEquals(1, counter.add(1));
        ApplicationInterceptor.onReply(info -> Clock.pause(600));
        assertEquals(2, counter.add(1));
    }

    @Test
    void aUserExceptionThatHoldsAnAnyArrivesWhole() {
        ORB orb = group.client();
        for (Counter counter : List.of(group.counter(orb), group.plain(orb, 1))) {
            WithAny failed = assertThrows(WithAny.class, () -> counter.failWithAny(42));
            assertEquals("before", failed.before);
            assertEquals(0.5, failed.number);
            assertEquals(42, failed.content.extract_long());
            assertEquals("inner", RefusedHelper.extract(failed.nested).why);
            assertEquals("after", failed.after);
        }
    }

    @Test
    void aReSendThatNoInterceptionPointEndsKeepsItsIdAndCountsAsLost() {
        // JacORB sends again by itself when the connection breaks: send_request comes twice, and nothing between.
        Counter counter = group.counter(group.client("jacorb.connection.client.retry_on_failure", "on"));
        counter.add(1);
        AtomicInteger copies = new AtomicInteger();
        group.script = seen -> {
            if (copies.incrementAndGet() == 1) {
                return Optional.empty();
            }
            group.member(0).proxy.replies(TcpProxy.Replies.PASS);
            return Optional.of(group.refusal(Refusal.STALE));
        };
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        TIMEOUT failed = assertThrows(TIMEOUT.class, () -> counter.add(1));
        assertEquals(CompletionStatus.COMPLETED_MAYBE, failed.completed);
        // Two copies at least: the proxy may cut the answer to the second as well before it lets replies pass.
        assertTrue(group.seen("add").size() >= 3, "the ORB did not send again by itself");
        assertEquals(Set.of(1L, 2L), numbers("add"));
    }

    @Test
    void aServerThatClosesGracefullyCostsNoCall() throws Exception {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        counter.add(1);
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> slow = pool.submit(() -> counter.slow(500));
            await().atMost(Duration.ofSeconds(5)).until(() -> group.seen("slow").size() == 1);
            group.member(0).orb().shutdown(false);
            group.member(0).proxy.down();
            slow.get(20, TimeUnit.SECONDS);
        } finally {
            pool.shutdownNow();
        }
        assertEquals(Set.of(2L), numbers("slow"));
        assertEquals(0, interceptor(orb).openCalls());
    }

    // ---- history

    @Test
    void theHistoryTellsEveryCallAndItsOutcome(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("history");
        ORB orb = group.client("amo.history", file.toString(), "amo.clientName", "c1", "amo.deadlineMillis", "300");
        Counter counter = group.counter(orb);
        counter.add(1);
        group.refuseFirst(1, Refusal.ID_REUSED);
        assertThrows(BAD_PARAM.class, () -> counter.add(1));
        group.script = seen -> Optional.of(Answer.unknown(group.time(), group.upper()));
        assertThrows(TIMEOUT.class, () -> counter.add(1));
        String client =
                group.seen("add").get(0).context().orElseThrow().client().toString();
        List<String> lines = Files.readAllLines(file).stream()
                .map(line -> line.replaceAll("\"t\":\\d+", "\"t\":T").replace(client, "ID"))
                .toList();
        assertEquals(
                List.of(
                        "{\"type\":\"invoke\",\"client\":\"c1\",\"id\":\"ID-1\",\"op\":\"add\",\"t\":T}",
                        "{\"type\":\"ok\",\"client\":\"c1\",\"id\":\"ID-1\",\"t\":T}",
                        "{\"type\":\"invoke\",\"client\":\"c1\",\"id\":\"ID-2\",\"op\":\"add\",\"t\":T}",
                        "{\"type\":\"fail\",\"client\":\"c1\",\"id\":\"ID-2\",\"reason\":\"ID_REUSED\",\"t\":T}",
                        "{\"type\":\"invoke\",\"client\":\"c1\",\"id\":\"ID-3\",\"op\":\"add\",\"t\":T}",
                        "{\"type\":\"info\",\"client\":\"c1\",\"id\":\"ID-3\",\"reason\":\"UNKNOWN\",\"t\":T}"),
                lines);
    }

    /** The device takes no byte, as a full disk. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aHistoryThatCannotBeWrittenCostsNoCall() {
        Counter counter = group.counter(group.client("amo.history", "/dev/full"));
        assertEquals(1, counter.add(1));
        assertEquals(2, counter.add(1));
    }

    // ---- helpers

    /** Takes the reply of one asynchronous call. */
    private static final class SlowHandler extends AMI_CounterHandlerPOA {
        private final CompletableFuture<Integer> result;

        SlowHandler(CompletableFuture<Integer> result) {
            this.result = result;
        }

        @Override
        public void slow(int value) {
            result.complete(value);
        }

        @Override
        public void slow_excep(ExceptionHolder holder) {
            result.completeExceptionally(new AssertionError("an exception came"));
        }

        @Override
        public void _get_label(String value) {}

        @Override
        public void _get_label_excep(ExceptionHolder holder) {}

        @Override
        public void _set_label() {}

        @Override
        public void _set_label_excep(ExceptionHolder holder) {}

        @Override
        public void add(int value) {}

        @Override
        public void add_excep(ExceptionHolder holder) {}

        @Override
        public void fail(int value) {}

        @Override
        public void fail_excep(ExceptionHolder holder) {}

        @Override
        public void failWithAny() {}

        @Override
        public void failWithAny_excep(ExceptionHolder holder) {}

        @Override
        public void failSystem() {}

        @Override
        public void failSystem_excep(ExceptionHolder holder) {}

        @Override
        public void note() {}

        @Override
        public void note_excep(ExceptionHolder holder) {}

        @Override
        public void echo(String value) {}

        @Override
        public void echo_excep(ExceptionHolder holder) {}
    }

    private interface Body {
        void run(int thread) throws Exception;
    }

    private static void inParallel(int threads, Body body) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<? extends Future<?>> all = IntStream.range(0, threads)
                    .mapToObj(thread -> pool.submit(() -> {
                        body.run(thread);
                        return "";
                    }))
                    .toList();
            for (Future<?> one : all) {
                one.get(50, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private Counter withRoundtripMillis(ORB orb, int millis) throws Exception {
        return limited(orb, group.counter(orb), RELATIVE_RT_TIMEOUT_POLICY_TYPE.value, millis);
    }

    private static Counter limited(ORB orb, Counter counter, int policyType, int millis) throws Exception {
        Any timeout = orb.create_any();
        timeout.insert_ulonglong(millis * 10_000L);
        Policy policy = orb.create_policy(policyType, timeout);
        return CounterHelper.narrow(counter._set_policy_override(new Policy[] {policy}, SetOverrideType.ADD_OVERRIDE));
    }

    private static Request dynamicAdd(ORB orb, Counter counter) {
        Request request = counter._request("add");
        request.add_in_arg().insert_long(1);
        request.set_return_type(orb.get_primitive_tc(TCKind.tk_long));
        return request;
    }

    private List<RequestContext> flushes() {
        return group.seen("_non_existent").stream()
                .flatMap(seen -> seen.context().stream())
                .toList();
    }

    private Set<Long> numbers(String operation) {
        Set<Long> numbers = new HashSet<>();
        group.seen(operation).forEach(seen -> numbers.add(seen.number()));
        return numbers;
    }

    private static ClientInterceptor interceptor(ORB orb) {
        try {
            return (ClientInterceptor) orb.resolve_initial_references(AmoClientInitializer.INITIAL_REFERENCE);
        } catch (org.omg.CORBA.ORBPackage.InvalidName absent) {
            throw new AssertionError(absent);
        }
    }

    private static ReplicatedGroup.Usage usage(ORB orb) {
        return interceptor(orb).groups().iterator().next().usage();
    }
}
