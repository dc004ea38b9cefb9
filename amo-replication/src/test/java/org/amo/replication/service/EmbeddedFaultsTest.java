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
            Ledger hasty = client.with(CallOptions.deadline(Duration.ofMillis(300))).proxy(Ledger.class);
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
