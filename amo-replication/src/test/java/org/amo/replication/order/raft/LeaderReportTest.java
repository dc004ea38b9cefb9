package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LeaderReportTest {
    @Test
    void whatIsNothingNewWakesNobody() {
        String[] leader = {""};
        Queue<Runnable> woken = new ArrayDeque<>();
        List<String> told = new ArrayList<>();
        LeaderReport report = new LeaderReport(() -> leader[0], woken::add, told::add);
        say(report, leader, woken, "", 1);
        say(report, leader, woken, "", 0);
        say(report, leader, woken, "a", 1);
        say(report, leader, woken, "a", 0);
        say(report, leader, woken, "b", 1);
        assertEquals(List.of("", "a", "b"), told);
    }

    private static void say(LeaderReport report, String[] leader, Queue<Runnable> woken, String who, int times) {
        leader[0] = who;
        report.mayHaveChanged();
        assertEquals(times, woken.size());
        woken.forEach(Runnable::run);
        woken.clear();
    }

    /** RAFT's thread and the one that counts votes say who leads; whoever is told last is the one who leads. */
    @Test
    void theLastLeaderIsTold() {
        prove(20);
    }

    /** The planted bug is hard to meet, so that the acts run far more often. */
    @Test
    @Tag("slow")
    void theSameBesideABugThatShowsForAMoment() {
        prove(1);
    }

    /** @param looks of the planted bug for the change that it does not hear of */
    private static void prove(int looks) {
        Meetings.prove(
                () -> telling(Sound::new),
                () -> telling((leader, thread, told) -> new ForgetsToForget(leader, thread, told, looks)));
    }

    private interface Reports {
        void mayHaveChanged();
    }

    private interface Maker {
        Reports make(Supplier<String> leader, Executor thread, Consumer<String> told);
    }

    private static Meeting telling(Maker maker) {
        AtomicInteger leader = new AtomicInteger();
        AtomicInteger busy = new AtomicInteger(1);
        Queue<Runnable> woken = new ConcurrentLinkedQueue<>();
        List<String> told = new ArrayList<>();
        Reports reports = maker.make(() -> String.valueOf(leader.get()), woken::add, told::add);
        return Meeting.of(
                () -> {
                    String last = told.isEmpty() ? "" : told.get(told.size() - 1);
                    return last.equals(String.valueOf(leader.get())) ? "" : "led by " + leader + ", told " + told;
                },
                () -> change(leader, reports, busy),
                () -> run(woken, busy));
    }

    @SuppressWarnings("ThreadPriorityCheck") // both threads take turns, where there is one core for them
    private static void change(AtomicInteger leader, Reports reports, AtomicInteger busy) {
        for (int i = 1; i <= 6; i++) {
            leader.set(i % 2);
            reports.mayHaveChanged();
            Thread.yield();
        }
        busy.set(0);
    }

    @SuppressWarnings("ThreadPriorityCheck") // for the other, where there is one core
    private static void run(Queue<Runnable> woken, AtomicInteger busy) {
        while (busy.get() > 0 || !woken.isEmpty()) {
            Runnable next = woken.poll();
            if (next == null) {
                Thread.yield();
            } else {
                next.run();
            }
        }
    }

    private static final class Sound implements Reports {
        private final LeaderReport report;

        Sound(Supplier<String> leader, Executor thread, Consumer<String> told) {
            report = new LeaderReport(leader, thread, told);
        }

        @Override
        public void mayHaveChanged() {
            report.mayHaveChanged();
        }
    }

    /** While it looks it still says that it has seen the one before. */
    private static final class ForgetsToForget implements Reports {
        private final Supplier<String> leader;
        private final Executor thread;
        private final Consumer<String> told;
        private final int looks;
        private final AtomicBoolean waits = new AtomicBoolean();
        private volatile String seen = "nobody yet";

        ForgetsToForget(Supplier<String> leader, Executor thread, Consumer<String> told, int looks) {
            this.leader = leader;
            this.thread = thread;
            this.told = told;
            this.looks = looks;
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // so that the moment is long enough to be met
        public void mayHaveChanged() {
            if (!leader.get().equals(seen) && waits.compareAndSet(false, true)) {
                thread.execute(() -> {
                    waits.set(false);
                    String now = leader.get();
                    if (!now.equals(seen)) {
                        told.accept(now);
                    }
                    for (int i = 0; i < looks && leader.get().equals(now); i++) {
                        Thread.yield();
                    }
                    seen = now;
                });
            }
        }
    }
}
