package org.amo.benchmarks.link;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Emulates one direction of a link, in virtual time: loss and duplicates, then a serializer with a finite queue, then
 * the delay, and for some a longer one. A packet's departure does not depend on when the carrying thread looked, so its
 * lateness is jitter and never a lower rate. One thread owns it.
 */
final class LinkDirection {
    /** Of a frame around the packet, as netem counts it. */
    static final int OVERHEAD_BYTES = 14;

    private final LinkSettings settings;
    private final SplittableRandom random;
    private final ArrayDeque<Packet> travelling = new ArrayDeque<>();
    private final PriorityQueue<Packet> heldBack =
            new PriorityQueue<>(Comparator.comparingLong(Packet::arrivalNanos).thenComparingLong(Packet::order));
    private long freeAtNanos;
    private long order;
    private long carried;
    private long lost;
    private long dropped;
    private long doubled;
    private long held;

    record Packet(byte[] bytes, long arrivalNanos, long order) {}

    LinkDirection(LinkSettings settings, long seed) {
        this.settings = settings;
        this.random = new SplittableRandom(seed);
    }

    void enter(byte[] packet, long nowNanos) {
        if (happens(settings.loss())) {
            lost++;
            return;
        }
        pass(packet, nowNanos);
        if (happens(settings.duplication())) {
            doubled++;
            pass(packet, nowNanos);
        }
    }

    private boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    private void pass(byte[] packet, long nowNanos) {
        double nanosPerByte = settings.megabitsPerSecond() == 0 ? 0 : 8_000 / settings.megabitsPerSecond();
        long begin = Math.max(nowNanos, freeAtNanos);
        if ((begin - nowNanos) > settings.queueBytes() * nanosPerByte && nanosPerByte > 0) {
            dropped++;
            return;
        }
        freeAtNanos = begin + (long) ((packet.length + OVERHEAD_BYTES) * nanosPerByte);
        long arrival = freeAtNanos + settings.delayMicros() * 1_000;
        if (settings.reorderMicros() > 0 && happens(settings.reordering())) {
            held++;
            heldBack.add(new Packet(packet, arrival + random.nextLong(settings.reorderMicros() * 1_000), order++));
        } else {
            travelling.add(new Packet(packet, arrival, order++));
        }
    }

    /** When the next packet arrives at the other side. */
    long nextArrivalNanos() {
        return Math.min(arrival(travelling.peek()), arrival(heldBack.peek()));
    }

    private static long arrival(@Nullable Packet packet) {
        return packet == null ? Long.MAX_VALUE : packet.arrivalNanos;
    }

    Optional<byte[]> leave(long nowNanos) {
        if (nextArrivalNanos() > nowNanos) {
            return Optional.empty();
        }
        carried++;
        boolean late = arrival(heldBack.peek()) < arrival(travelling.peek());
        return Optional.of((late ? heldBack : travelling).remove().bytes);
    }

    LinkStatistics statistics() {
        return new LinkStatistics(carried, lost, dropped, doubled, held);
    }
}
