package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members of an embedded group that are cut off, fewer than a majority, or restarted together. */
@Timeout(60)
final class EmbeddedFaultsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    interface Ledger {
        int add(String entry);

        List<String> entries();

        @ReadOnly
        int size();
    }

    static final class LedgerInMemory implements Ledger {
        private final List<String> entries = new ArrayList<>();

        @Override
        public int add(String entry) {
            entries.add(entry);
            return entries.size();
        }

        @Override
        public List<String> entries() {
            return entries;
        }

        @Override
        public int size() {
            return entries.size();
        }
    }

    private static long executed(EmbeddedGroup group, String member) {
        return group.status(member).orElseThrow().executed();
    }

    @Test
    void aMemberThatIsCutOffLearnsNothingUntilItIsReconnected() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Ledger.class, LedgerInMemory::new)) {
            Ledger ledger = group.client().proxy(Ledger.class);
            for (String member : group.members()) {
                int before = ledger.add("before " + member);
                assertTrue(group.awaitAgreement(PATIENCE));
                long executed = executed(group, member);
                group.cutOff(member);
                for (int i = 1; i <= 5; i++) {
                    assertEquals(before + i, ledger.add("without " + member));
                }
                assertEquals(executed, executed(group, member));
                group.reconnect(member);
                await().atMost(PATIENCE).until(() -> executed(group, member) >= executed + 5);
            }
            assertTrue(group.awaitAgreement(PATIENCE));
            assertEquals(18, ledger.size());
        }
    }

    @Test
    void withoutAMajorityNoCallRunsAndNoReadAnswers() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Ledger.class, LedgerInMemory::new)) {
            AmoClient client = group.client();
            Ledger ledger = client.proxy(Ledger.class);
            Ledger hasty =
                    client.with(CallOptions.deadline(Duration.ofMillis(300))).proxy(Ledger.class);
            assertEquals(1, ledger.add("first"));
            group.crash("b");
            group.cutOff("c");
            assertThrows(AmoException.class, () -> hasty.add("lost"));
            assertThrows(AmoReadException.class, hasty::size);
            group.reconnect("c");
            int size = ledger.add("second");
            List<String> entries = ledger.entries();
            assertEquals(size, entries.size());
            assertEquals("first", entries.get(0));
            assertTrue(entries.indexOf("lost") == entries.lastIndexOf("lost"), "at most once");
            group.restart("b");
            assertTrue(group.awaitAgreement(PATIENCE));
        }
    }

    /** A member that is cut off answers stale reads from its old state, and must not where the client has called since. */
    @Test
    void aReadAfterOwnCallsHoldsThemWhereAStaleOneDoesNot() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Ledger.class, LedgerInMemory::new)) {
            AmoClient client = group.client();
            Ledger ledger = client.proxy(Ledger.class);
            CallOptions old = CallOptions.stale(Duration.ofMinutes(5));
            Ledger stale = client.with(old).proxy(Ledger.class);
            Ledger own = client.with(old.readingOwnCalls()).proxy(Ledger.class);
            int seenOld = 0;
            int size = ledger.add("first");
            for (String member : group.members()) {
                assertTrue(group.awaitAgreement(PATIENCE));
                // The member that serves stale reads has an index from here on.
                assertEquals(size, own.size());
                assertTrue(stale.size() <= size);
                group.cutOff(member);
                size = ledger.add("without " + member);
                if (stale.size() < size) {
                    seenOld++;
                }
                assertEquals(size, own.size());
                group.reconnect(member);
            }
            assertTrue(seenOld > 0, "no member answered from an old state, so the test shows nothing");
        }
    }

    @Test
    void whenAllMembersBeginAnewNothingIsLost() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Ledger.class, LedgerInMemory::new)) {
            Ledger ledger = group.client().proxy(Ledger.class);
            for (int i = 1; i <= 10; i++) {
                assertEquals(i, ledger.add("entry " + i));
            }
            group.restartAll();
            assertEquals(11, ledger.add("behind"));
            assertEquals(11, ledger.entries().size());
            assertTrue(group.awaitAgreement(PATIENCE));
        }
    }
}
