package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group of style passive with one member, over a real log. */
@Timeout(120)
class PassiveAloneTest {
    private static final Duration BOUND = Duration.ofSeconds(30);

    @TempDir
    Path folder = Path.of("unset");

    private final List<Member> members = FreePorts.members(1);
    private final List<String> ended = new CopyOnWriteArrayList<>();

    /** Its state is one byte. */
    private static class OneByte implements ServantPort {
        @Override
        public byte[] execute(long position, long orderedTimeMillis, Request request) {
            return new byte[1];
        }

        @Override
        public Optional<byte[]> takeState() {
            return Optional.of(new byte[1]);
        }

        @Override
        public void restoreState(byte[] state) {
            assertEquals(1, state.length);
        }
    }

    private Optional<ReplicatedService> open(ServantPort servant) {
        ReplicaSettings settings = ReplicaSettings.builder("one", members.get(0).id(), members)
                .log(ReplicaSettings.Log.FILE)
                .data(folder)
                .style(ReplicaSettings.Style.PASSIVE)
                .build();
        try {
            return Optional.of(
                    new ReplicationProvider().open(settings, servant, why -> ended.add("" + why.getMessage())));
        } catch (OrderedLogException e) {
            ended.add("" + e.getMessage());
            return Optional.empty();
        }
    }

    private static void call(ReplicatedService member) throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        ReplicaStatus status = member.status();
        long timestamp = Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
        member.submit(
                new Request(RequestId.own(new ClientId(1, 2), 1), timestamp, timestamp + 60_000, 1, false, new byte[0]),
                FinishedNumbers.NONE,
                answer::complete);
        assertEquals(Answer.Kind.REPLY, answer.get(20, TimeUnit.SECONDS).kind());
    }

    /** No other member can give it a state. */
    @Test
    void aMemberThatCannotApplyAnUpdateOfItsLogSaysSo() throws Exception {
        ReplicatedService first = open(new OneByte()).orElseThrow();
        await().atMost(BOUND)
                .until(() -> first.status().orderedTimeMillis() > 0
                        && !first.status().leader().isEmpty());
        call(first);
        first.close();
        assertEquals(List.of(), ended);
        Optional<ReplicatedService> second = open(new OneByte() {
            @Override
            public void applyUpdate(byte[] update) {
                throw new IllegalStateException("planted");
            }
        });
        await().atMost(BOUND).until(() -> !ended.isEmpty());
        second.ifPresent(ReplicatedService::close);
        assertTrue(
                ended.get(0).contains("could not apply the update at ")
                        && ended.get(0).contains("(java.lang.IllegalStateException: planted)")
                        && ended.get(0).endsWith("start it again, and it runs its log anew"),
                ended::toString);
    }

    /** The tick ends a member whose servant gives no state, and a supervisor does not start that one again. */
    @Test
    void aRunIsUndoneBeforeItsMemberEnds() throws Exception {
        AtomicBoolean failed = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        ReplicatedService member = open(new OneByte() {
                    @Override
                    public Optional<byte[]> takeUpdate() {
                        failed.set(true);
                        return Optional.empty();
                    }

                    @Override
                    public Optional<String> stateObstacle() {
                        asked.incrementAndGet();
                        return failed.get() ? Optional.of("planted") : Optional.empty();
                    }

                    @Override
                    public byte[] undone(Request request, String why) {
                        int before = asked.get();
                        await().atMost(BOUND).until(() -> asked.get() > before + 2);
                        return new byte[2];
                    }
                })
                .orElseThrow();
        await().atMost(BOUND)
                .until(() -> member.status().orderedTimeMillis() > 0
                        && !member.status().leader().isEmpty());
        call(member);
        await().atMost(BOUND).until(() -> !ended.isEmpty());
        member.close();
        assertTrue(
                ended.get(0).contains("cannot run in style passive: planted; the group has undone the request at "),
                ended::toString);
    }

    /** A backup has no timers, and would fire none once it is the primary. */
    @Test
    void aServantWithTimersIsRefused() {
        assertTrue(open(new OneByte() {
                    @Override
                    public boolean hasTimers() {
                        return true;
                    }
                })
                .isEmpty());
        assertEquals(
                List.of("member " + members.get(0).id()
                        + " of group one cannot run in style passive: timers of operations (--threads ordered, amo.threads)"
                        + " would be at the primary alone, and be lost with it; use --threads warn or refuse, or style"
                        + " active"),
                ended);
    }
}
