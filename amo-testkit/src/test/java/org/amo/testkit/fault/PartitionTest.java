package org.amo.testkit.fault;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.amo.core.order.LogListener;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class PartitionTest {
    private static final long ENTRIES = 5;

    /** Heals while the log goes on delivering: what was held back comes first, and nothing is held back for ever. */
    @Test
    void whatWasHeldBackIsToldBeforeWhatCameLater() {
        Meetings.prove(
                () -> {
                    List<Long> told = new ArrayList<>();
                    Partition partition = new Partition();
                    LogListener listener = partition.around(telling(told));
                    partition.cut();
                    return healing(at -> listener.onDelivered(at, new byte[0]), partition::heal, told);
                },
                () -> {
                    List<Long> told = new ArrayList<>();
                    WithoutLock partition = new WithoutLock(told);
                    return healing(partition::deliver, partition::heal, told);
                });
    }

    private static Meeting healing(LongConsumer deliver, Runnable heal, List<Long> told) {
        deliver.accept(1);
        return Meeting.of(
                () -> told.equals(LongStream.rangeClosed(1, ENTRIES).boxed().toList()) ? "" : "told: " + told,
                () -> {
                    for (long at = 2; at <= ENTRIES; at++) {
                        deliver.accept(at);
                    }
                },
                heal::run);
    }

    private static LogListener telling(List<Long> told) {
        return (LogListener) Proxy.newProxyInstance(
                LogListener.class.getClassLoader(), new Class<?>[] {LogListener.class}, (proxy, method, arguments) -> {
                    told.add((Long) arguments[0]);
                    return null;
                });
    }

    /** Tells what was held back and what comes now in two threads at once. */
    private static final class WithoutLock {
        private final Queue<Long> held = new ArrayDeque<>();
        private final List<Long> told;
        private volatile boolean cut = true;

        WithoutLock(List<Long> told) {
            this.told = told;
        }

        void deliver(long at) {
            if (cut) {
                held.add(at);
            } else {
                told.add(at);
            }
        }

        void heal() {
            while (!held.isEmpty()) {
                told.add(held.remove());
            }
            cut = false;
        }
    }
}
