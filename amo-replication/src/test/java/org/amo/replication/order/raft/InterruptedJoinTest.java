package org.amo.replication.order.raft;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.amo.replication.order.group.GroupChannel;
import org.jgroups.Event;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails behind the join: the member may have acknowledged entries by then. */
@Timeout(120)
final class InterruptedJoinTest {
    private static final Duration BOUND = Duration.ofSeconds(40);

    @TempDir
    private Path data = Path.of("unset");

    private final List<Member> members = FreePorts.members(2);
    private final String group = Groups.freshName();

    @Test
    void aMemberInMemoryThatTookPartBeforeItsStartFailedDoesNotComeBackBlank() throws Exception {
        RaftLog other = open("b");
        other.start(new Recorder());
        RaftLog log = open("a");
        Joined joined = new Joined();
        log.raft().getProtocolStack().insertProtocol(joined, ProtocolStack.Position.ABOVE, RAFT.class);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread starts = new Thread(
                () -> {
                    try {
                        log.start(new Recorder());
                    } catch (OrderedLogException e) {
                        thrown.set(e);
                    }
                },
                "starts");
        starts.start();
        try {
            await().atMost(BOUND)
                    .until(() -> log.raft().log() != null && log.raft().lastAppended() > 0);
            starts.interrupt();
            // It has seen the interrupt, and closes a channel that is still connecting.
            await().atMost(BOUND).until(() -> !starts.isAlive() || closes(starts));
        } finally {
            joined.mayReturn.countDown();
        }
        starts.join();
        assertTrue(String.valueOf(thrown.get()).contains("interrupted while"), "" + thrown.get());
        OrderedLogException refused =
                assertThrows(OrderedLogException.class, () -> open("a").start(new Recorder()));
        assertTrue(String.valueOf(refused.getMessage()).contains("kept its log in memory"), refused.getMessage());
        log.close();
        other.close();
    }

    private static boolean closes(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(each -> each.getClassName().equals(GroupChannel.class.getName())
                        && each.getMethodName().equals("close"));
    }

    private RaftLog open(String id) {
        ReplicaSettings settings = Groups.settings(
                group, id, members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.MEMORY, data, Optional.empty());
        return new RaftLog(settings, FaultHooks.NONE);
    }

    /** The channel has joined the group, and its connect does not return yet. */
    private static final class Joined extends Protocol {
        private final CountDownLatch mayReturn = new CountDownLatch(1);

        @Override
        public Object down(Event event) {
            Object result = down_prot.down(event);
            if (event.type() == Event.CONNECT) {
                try {
                    assertTrue(mayReturn.await(60, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return result;
        }
    }
}
