package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.amo.exon.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Row E12: both ends are killed at random points, again and again. The receiver has a durable inbox, and its application a ledger with
 * the last position: each message that a sender knows as delivered is in the ledger once.
 */
@Timeout(1_200)
class BothEndsKilledTest {
    private static final int MILLIS = 1;
    private static final int NUMBERS_OF_A_LIFE = 1_000_000;

    @TempDir
    private Path folder;

    private Path senders;
    private Path receivers;

    @BeforeEach
    void makeFolders() throws Exception {
        senders = Files.createDirectory(folder.resolve("sender"));
        receivers = Files.createDirectory(folder.resolve("receiver"));
    }

    @Test
    void eachDeliveredMessageIsInTheLedgerOnce() throws Exception {
        kill(4);
    }

    @Test
    @Tag("slow")
    void eachDeliveredMessageIsInTheLedgerOnceAfterAHundredKills() throws Exception {
        kill(100);
    }

    private void kill(int kills) throws Exception {
        Random random = new Random(11);
        int port = NodeProcess.freePort();
        int life = 0;
        NodeProcess receiver = receiver(port);
        NodeProcess sender = NodeProcess.tester(senders, port, 0);
        try {
            for (int i = 0; i < kills; i++) {
                awaitMessages(life, random.nextInt(120));
                if (i % 2 == 0 || random.nextInt(4) == 0) {
                    receiver.close();
                    receiver = receiver(port);
                }
                if (i % 2 == 1) {
                    sender.close();
                    sender = NodeProcess.tester(senders, port, NUMBERS_OF_A_LIFE * ++life);
                }
            }
            awaitMessages(life, 1);
            sender.close();
            Set<Integer> delivered = heard(Outcome.DELIVERED);
            assertTrue(delivered.size() > kills, delivered::toString);
            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> ledger().containsAll(delivered));
        } finally {
            sender.close();
            receiver.close();
        }
        Set<Integer> wrong = heard(Outcome.NOT_SENT);
        wrong.retainAll(ledger());
        assertEquals(Set.of(), wrong, "NOT_SENT, and in the ledger");
    }

    private NodeProcess receiver(int port) throws Exception {
        return NodeProcess.slow(port, receivers, MILLIS, folder.resolve("inbox").toString());
    }

    /** The application takes a message of that life of the sender, and so many more. */
    private void awaitMessages(int life, int more) throws Exception {
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> ledger().stream()
                .anyMatch(number -> number / NUMBERS_OF_A_LIFE == life));
        int until = ledger().size() + more;
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> ledger().size() >= until);
    }

    private Set<Integer> ledger() throws Exception {
        return NodeProcess.ledger(receivers);
    }

    /** The messages of all senders with that outcome. */
    private Set<Integer> heard(Outcome outcome) throws Exception {
        String word = outcome + " ";
        Set<Integer> numbers = new TreeSet<>();
        for (String line : NodeProcess.lines(senders)) {
            if (line.startsWith(word)) {
                assertTrue(numbers.add(Integer.parseInt(line.substring(word.length()))), "a second outcome: " + line);
            }
        }
        return numbers;
    }
}
