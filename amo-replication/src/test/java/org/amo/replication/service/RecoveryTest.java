package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.replication.FreePorts;
import org.amo.replication.service.LedgerClient.Tally;
import org.amo.replication.service.LedgerClient.TallyService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group decides about the calls of a former life. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
final class RecoveryTest {
    private static final MethodTable METHODS = new MethodTable(Tally.class);

    private final TallyService service = new TallyService();
    private final List<RecoveredCall> told = new ArrayList<>();
    private String members = "";
    private AmoReplica replica;
    private Path folder = Path.of("unset");

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        Member alone = FreePorts.members(1).get(0);
        members = Member.format(List.of(alone));
        replica = AmoReplica.builder("tally")
                .id(alone.id())
                .members(members)
                .data(data)
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .service(Tally.class, service)
                .start();
        try (AmoClient client = client(Optional.empty())) {
            client.proxy(Tally.class).add("first");
        }
    }

    @AfterAll
    void end() {
        replica.close();
    }

    @BeforeEach
    void place(@TempDir Path each) {
        folder = each.resolve("identity");
        told.clear();
    }

    private AmoClient client(Optional<Path> identity) {
        AmoClient.Builder builder =
                AmoClient.builder("tally").members(members).insecure().deadline(Duration.ofSeconds(20));
        identity.ifPresent(builder::identity);
        return builder.build();
    }

    private static byte[] request(String key) throws NoSuchMethodException {
        return MethodTable.request(METHODS.of(Tally.class.getMethod("add", String.class)), new Object[] {key});
    }

    /** A former life left this call. */
    private void left(String key, long timestampMillis, long deadlineMillis, Optional<Refusal> refused)
            throws Exception {
        Files.createDirectories(folder);
        ClientId id = AmoClient.Builder.drawId();
        try (CallJournal journal =
                CallJournal.create(folder.resolve("calls-1"), "tally", id, CallJournal.LEAST_REPLACED_BYTES)) {
            journal.call(new ClientCall.Identity(RequestId.own(id, 5), timestampMillis, deadlineMillis), request(key));
            if (refused.isPresent()) {
                journal.notExecuted(5, refused);
                // It goes the same way, and is answered.
                journal.call(
                        new ClientCall.Identity(RequestId.own(id, 6), timestampMillis, deadlineMillis),
                        request("behind " + key));
            }
            journal.write();
        }
    }

    private int recover() {
        try (AmoClient client = client(Optional.of(folder))) {
            return client.recover(told::add);
        }
    }

    private boolean hasRun(String key) {
        return service.results().containsKey(key);
    }

    private void assertNothingIsLeft() {
        told.clear();
        assertEquals(0, recover());
        assertEquals(List.of(), told);
    }

    @Test
    void aCallThatNeverLeftRunsNow() throws Exception {
        long upper = replica.status().upperMillis();
        left("never left", upper + 1, upper + 60_000, Optional.empty());
        assertFalse(hasRun("never left"));
        assertEquals(0, recover());
        assertEquals("add", told.get(0).method(Tally.class));
        assertEquals(List.of("never left"), told.get(0).arguments(Tally.class));
        assertEquals(
                service.results().get("never left"), String.valueOf(told.get(0).result(Tally.class)));
        assertTrue(told.get(0).id().endsWith("-5"));
        assertNothingIsLeft();
    }

    /** A copy of the folder stands for the crash: the thread has its reply, and has handled it as far as anybody knows. */
    @Test
    void theReplyThatAThreadWasHandlingIsToldAgain(@TempDir Path other) throws Exception {
        try (AmoClient client = client(Optional.of(folder))) {
            long result = client.proxy(Tally.class).add("handling");
            Path before = folder;
            folder = other.resolve("copy");
            Files.createDirectories(folder);
            Files.copy(before.resolve("calls-1"), folder.resolve("calls-1"));
            assertEquals(0, recover());
            assertEquals(result, told.get(0).result(Tally.class));
            assertEquals(0, service.twice());
            assertNothingIsLeft();
        }
    }

    @Test
    void aCallPastItsDeadlineThatNeverRanIsNotExecuted() throws Exception {
        long upper = replica.status().upperMillis();
        left("expired", upper + 1, upper + 2, Optional.empty());
        try (AmoClient other = client(Optional.empty())) {
            Tally tally = other.proxy(Tally.class);
            await().until(() -> {
                tally.add("time " + service.results().size());
                return replica.status().orderedTimeMillis() > upper + 10;
            });
        }
        assertEquals(0, recover());
        AmoNotExecutedException why = assertInstanceOf(
                AmoNotExecutedException.class, told.get(0).failure().orElseThrow());
        assertEquals(Optional.of(Refusal.EXPIRED), why.reason());
        assertThrows(AmoNotExecutedException.class, () -> told.get(0).reply());
        assertFalse(hasRun("expired"));
        assertNothingIsLeft();
    }

    @Test
    void aCallThatTheGroupHasForgottenIsUnknown() throws Exception {
        long upper = replica.status().upperMillis();
        left("forgotten", upper - 10, upper + 60_000, Optional.empty());
        assertEquals(0, recover());
        assertInstanceOf(AmoUnknownException.class, told.get(0).failure().orElseThrow());
        assertFalse(hasRun("forgotten"));
        assertNothingIsLeft();
    }

    @Test
    void aCallThatTheProgramWasToldNotToBeExecutedIsNotSent() throws Exception {
        long upper = replica.status().upperMillis();
        left("refused", upper + 1, upper + 60_000, Optional.of(Refusal.OVERLOADED));
        assertEquals(0, recover());
        AmoNotExecutedException why = assertInstanceOf(
                AmoNotExecutedException.class, told.get(0).failure().orElseThrow());
        assertEquals(Optional.of(Refusal.OVERLOADED), why.reason());
        assertTrue(hasRun("behind refused"));
        assertFalse(hasRun("refused"));
        assertNothingIsLeft();
    }

    @Test
    void aCallStaysOpenWhoseHandlerThrows() throws Exception {
        long upper = replica.status().upperMillis();
        left("thrown", upper + 1, upper + 60_000, Optional.empty());
        try (AmoClient client = client(Optional.of(folder))) {
            IllegalStateException thrown = new IllegalStateException("no room for it");
            assertEquals(
                    thrown,
                    assertThrows(
                            IllegalStateException.class,
                            () -> client.recover(call -> {
                                throw thrown;
                            })));
            assertEquals(0, client.recover(told::add));
        }
        assertEquals(1, told.size());
        assertEquals(service.results().get("thrown"), String.valueOf(told.get(0).result(Tally.class)));
        assertEquals(0, service.twice());
        assertNothingIsLeft();
    }

    @Test
    void callsStayOpenWhileNoMemberAnswers() throws Exception {
        long upper = replica.status().upperMillis();
        left("later", upper + 1, upper + 60_000, Optional.empty());
        try (AmoClient client = AmoClient.builder("tally")
                .members(Member.format(FreePorts.members(1)))
                .insecure()
                .deadline(Duration.ofMillis(300))
                .identity(folder)
                .build()) {
            assertEquals(1, client.recover(told::add));
            assertEquals(List.of(), told);
        }
        assertEquals(0, recover());
        assertTrue(told.get(0).failure().isEmpty());
    }

    @Test
    void aClientThatEndsInOrderLeavesNothing() throws IOException {
        try (AmoClient client = client(Optional.of(folder))) {
            client.proxy(Tally.class).add("in order");
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(
                    List.of("lock"),
                    files.map(file -> String.valueOf(file.getFileName())).toList());
        }
        assertNothingIsLeft();
    }

    @Test
    void aClientWithoutAnIdentityOrWithOneInUseIsRefusedInOneLine() {
        try (AmoClient client = client(Optional.empty())) {
            IllegalStateException refused = assertThrows(IllegalStateException.class, () -> client.recover(told::add));
            assertTrue(String.valueOf(refused.getMessage()).contains("give it an identity(folder)"));
        }
        try (AmoClient client = client(Optional.of(folder))) {
            UncheckedIOException refused = assertThrows(UncheckedIOException.class, () -> client(Optional.of(folder)));
            assertTrue(
                    String.valueOf(refused.getMessage()).contains("belongs to a client that is running"),
                    refused.getMessage());
            assertEquals(0, client.recover(told::add));
        }
    }
}
