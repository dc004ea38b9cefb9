package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads of a group in this process. */
@Timeout(60)
final class EmbeddedReadsTest {
    private static final AtomicReference<Optional<AmoClient>> CALLS = new AtomicReference<>(Optional.empty());

    /** The service. */
    interface Notes {
        int write(String note);

        @ReadOnly
        String latest();

        @ReadOnly
        int writeInARead();

        @ReadOnly
        String callInARead();

        @ReadOnly
        int fall(int depth);
    }

    /** In memory. */
    static final class NotesInMemory implements Notes {
        private String latest = "";
        private int count;

        @Override
        public int write(String note) {
            latest = note;
            return ++count;
        }

        @Override
        public String latest() {
            return latest + (ReplicaContext.current().readOnly() ? " read" : " ordered");
        }

        @Override
        public int writeInARead() {
            return ++count;
        }

        @Override
        public String callInARead() {
            return new String(CALLS.get().orElseThrow().call(new byte[0]), UTF_8);
        }

        @Override
        public int fall(int depth) {
            return depth == 0 ? 0 : 1 + fall(depth - 1);
        }
    }

    /** The client's version of the interface, in which another method is a read. */
    interface OtherNotes {
        @ReadOnly
        int write(String note);
    }

    /** A void method can only have an effect. */
    interface Wrong {
        @ReadOnly
        void nothing();
    }

    @Test
    void aReadSeesTheLatestCallWhileMembersCrash() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Notes.class, NotesInMemory::new)) {
            Notes notes = group.client().proxy(Notes.class);
            Notes stale = group.client()
                    .with(CallOptions.stale(Duration.ofMinutes(1)))
                    .proxy(Notes.class);
            for (int i = 0; i < 12; i++) {
                String member = group.members().get(i % 3);
                notes.write("note " + i);
                assertEquals("note " + i + " read", notes.latest());
                group.crash(member);
                assertEquals("note " + i + " read", notes.latest());
                assertTrue(stale.latest().startsWith("note "));
                group.restart(member);
            }
            assertTrue(group.awaitAgreement(Duration.ofSeconds(20)));
        }
    }

    @Test
    void aReadThatChangesTheStateIsFound() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Notes.class, NotesInMemory::new)) {
            Notes notes = group.client().proxy(Notes.class);
            AmoServiceException found = assertThrows(AmoServiceException.class, notes::writeInARead);
            assertTrue(String.valueOf(found.getMessage()).contains("a read changed the state"), found.getMessage());
        }
    }

    @Test
    void aMemberRunsNoMethodAsAReadThatIsNoneThere() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Notes.class, NotesInMemory::new)) {
            OtherNotes wrong = group.client().proxy(OtherNotes.class);
            AmoServiceException refused = assertThrows(AmoServiceException.class, () -> wrong.write("x"));
            assertTrue(String.valueOf(refused.getMessage()).contains("is not @ReadOnly"), refused.getMessage());
            assertEquals(1, group.client().proxy(Notes.class).write("x"));
        }
    }

    @Test
    void aReadMakesNoCalls() {
        try (EmbeddedGroup group = EmbeddedGroup.ofOrderingNestedCalls("notes", 1, Notes.class, NotesInMemory::new);
                EmbeddedGroup other = EmbeddedGroup.ofHandler(1, () -> (request, context) -> request)) {
            CALLS.set(Optional.of(other.client()));
            Notes notes = group.client().proxy(Notes.class);
            AmoServiceException refused = assertThrows(AmoServiceException.class, notes::callInARead);
            assertTrue(String.valueOf(refused.getMessage()).contains("a read of group"), refused.getMessage());
        }
    }

    @Test
    void aReadWithoutStackEndsNoMember() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Notes.class, NotesInMemory::new)) {
            Notes notes = group.client().proxy(Notes.class);
            AmoServiceException thrown = assertThrows(AmoServiceException.class, () -> notes.fall(100_000_000));
            assertEquals(StackOverflowError.class.getName(), thrown.type());
            assertEquals(10, notes.fall(10));
            assertTrue(group.members().stream()
                    .allMatch(member -> group.status(member).isPresent()));
        }
    }

    @Test
    void styleActiveReadsAndStylePassiveOrders() {
        try (EmbeddedGroup group = EmbeddedGroup.ofPassive(3, Notes.class, NotesInMemory::new)) {
            Notes notes = group.client().proxy(Notes.class);
            notes.write("x");
            assertEquals("x ordered", notes.latest());
        }
    }

    @Test
    void aServiceWithoutReadsHasThemOrdered() {
        AtomicInteger runs = new AtomicInteger();
        try (EmbeddedGroup group = EmbeddedGroup.ofHandler(3, () -> (request, context) -> {
            runs.incrementAndGet();
            return request;
        })) {
            byte[] request = "read".getBytes(UTF_8);
            assertArrayEquals(request, group.client().query(request));
            assertTrue(group.awaitAgreement(Duration.ofSeconds(20)));
            assertEquals(3, runs.get(), "each member ran it");
        }
    }

    @Test
    void aReadWithoutAMemberEndsAtItsDeadline() {
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Notes.class, NotesInMemory::new)) {
            AmoClient client = group.client(Duration.ofMillis(300));
            group.crash("a");
            assertThrows(AmoReadException.class, () -> client.proxy(Notes.class).latest());
        }
    }

    @Test
    void aReadThatReturnsNothingIsRefusedAtOnce() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> new MethodTable(Wrong.class));
        assertTrue(String.valueOf(refused.getMessage()).contains("@ReadOnly"), refused.getMessage());
    }
}
