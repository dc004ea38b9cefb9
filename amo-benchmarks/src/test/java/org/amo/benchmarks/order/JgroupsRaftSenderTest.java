package org.amo.benchmarks.order;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class JgroupsRaftSenderTest {
    private static final int MESSAGES = 300;

    @Test
    void messagesOfTheLeaderAndOfFollowersAreCompletedOnce() throws Exception {
        List<Member> members = FreePorts.members(3);
        List<JgroupsRaftSender> senders = new ArrayList<>();
        List<List<Long>> completed = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Callable<Boolean>> starts = new ArrayList<>();
            for (Member member : members) {
                JgroupsRaftSender sender = new JgroupsRaftSender(member.id(), members);
                List<Long> done = new CopyOnWriteArrayList<>();
                senders.add(sender);
                completed.add(done);
                starts.add(() -> {
                    sender.start(done::add);
                    return true;
                });
            }
            for (Future<Boolean> start : threads.invokeAll(starts)) {
                start.get();
            }
            assertEquals(1, senders.stream().filter(JgroupsRaftSender::leads).count());
            for (long sequence = 1; sequence <= MESSAGES; sequence++) {
                for (JgroupsRaftSender sender : senders) {
                    sender.send(sequence, new byte[280]);
                }
            }
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> completed.stream()
                    .allMatch(done -> done.size() >= MESSAGES));
            for (List<Long> done : completed) {
                assertEquals(MESSAGES, done.size());
                assertEquals(MESSAGES, Set.copyOf(done).size());
            }
        } finally {
            threads.shutdownNow();
            senders.forEach(JgroupsRaftSender::close);
        }
    }
}
