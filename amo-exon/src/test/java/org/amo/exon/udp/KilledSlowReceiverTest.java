package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.amo.exon.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** DELIVERED is true of a receiver that takes 10 ms a message and is killed while messages wait in it. */
@Timeout(1_200)
class KilledSlowReceiverTest {
    private static final int MILLIS = 10;
    private static final int UNDER_WAY = 60;

    /** Messages that are sent and not in the ledger: more than are under way only with an inbox. */
    private static final int BACKLOG = 100;

    @TempDir
    private Path folder;

    private final Map<Integer, Outcome> outcomes = new ConcurrentHashMap<>();
    private final Semaphore room = new Semaphore(UNDER_WAY);
    private int next;

    @Test
    void theApplicationHasEachDeliveredMessage() throws Exception {
        atHandOver(2);
    }

    @Test
    @Tag("slow")
    void theApplicationHasEachDeliveredMessageAfterAHundredKills() throws Exception {
        atHandOver(100);
    }

    @Test
    void withAnInboxTheNextProcessHasEachDeliveredMessageOnce() throws Exception {
        byInbox(2);
    }

    @Test
    @Tag("slow")
    void withAnInboxTheNextProcessHasEachDeliveredMessageOnceAfterAHundredKills() throws Exception {
        byInbox(100);
    }

    private void atHandOver(int kills) throws Exception {
        run(kills, "-");
        assertEquals(Set.of(), missing(), "delivered, and the application does not have them");
        assertTrue(outcomes.containsValue(Outcome.UNKNOWN), "no kill met a message that waited");
    }

    private void byInbox(int kills) throws Exception {
        run(kills, folder.resolve("inbox").toString());
        assertEquals(Set.of(), missing(), "delivered, and neither in the ledger nor in the inbox");
    }

    /** Messages that were reported as delivered, and are not in the application's ledger. */
    private Set<Integer> missing() throws Exception {
        Set<Integer> missing = new TreeSet<>();
        outcomes.forEach((number, outcome) -> {
            if (outcome == Outcome.DELIVERED) {
                missing.add(number);
            }
        });
        missing.removeAll(ledger());
        return missing;
    }

    private Set<Integer> ledger() throws Exception {
        return NodeProcess.ledger(folder);
    }

    private void run(int kills, String inbox) throws Exception {
        Random random = new Random(9);
        int port = NodeProcess.freePort();
        try (ExonEndpoint sender = ExonEndpoint.open(
                ExonEndpointOptions.builder(NodeProcess.TESTER, NodeProcess.SECRET)
                        .build(),
                (from, message) -> {})) {
            sender.hint(NodeProcess.ID, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            for (int life = 0; life <= kills; life++) {
                try (NodeProcess receiver = NodeProcess.slow(port, folder, MILLIS, inbox)) {
                    int until = ledger().size() + 5 + random.nextInt(15);
                    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                    while (ledger().size() < until) {
                        assertTrue(System.nanoTime() < end && receiver.alive(), "life " + life + " receives nothing");
                        long most = ledger().size() + unknown() + BACKLOG;
                        while (next < most && room.tryAcquire(5, TimeUnit.MILLISECONDS)) {
                            send(sender, next++);
                        }
                    }
                    if (life == kills) {
                        int sent = next;
                        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> outcomes.size() == sent);
                        if (!inbox.equals("-")) {
                            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> missing()
                                    .isEmpty());
                        }
                    }
                }
            }
        }
        assertTrue(outcomes.values().stream().noneMatch(outcome -> outcome == Outcome.NOT_SENT), outcomes::toString);
    }

    private long unknown() {
        return outcomes.values().stream()
                .filter(outcome -> outcome == Outcome.UNKNOWN)
                .count();
    }

    private void send(ExonEndpoint sender, int number) {
        CompletableFuture<Void> unused = sender.send(
                        NodeProcess.ID, ByteBuffer.allocate(100).putInt(number).array(), Duration.ofMinutes(2))
                .thenAccept(outcome -> {
                    outcomes.put(number, outcome);
                    room.release();
                });
    }
}
