package org.amo.benchmarks.link;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * What happens to packets in one direction, in virtual time: loss, then a serializer with a finite queue, then the delay. A
 * packet's departure does not depend on when the carrying thread looked, so its lateness is jitter and never a lower rate. One
 * thread owns it.
 */
final class LinkDirection {
    /** Of a frame around the packet, as netem counts it. */
    private static final int OVERHEAD_BYTES = 14;

    private final LinkSettings settings;
    private final SplittableRandom random;
    private final ArrayDeque<Packet> travelling = new ArrayDeque<>();
    private long freeAtNanos;
    private long carried;
    private long lost;
    private long dropped;

    record Packet(byte[] bytes, long arrivalNanos) {}

    LinkDirection(LinkSettings settings, long seed) {
        this.settings = settings;
        this.random = new SplittableRandom(seed);
    }

    void enter(byte[] packet, long nowNanos) {
        if (settings.loss() > 0 && random.nextDouble() < settings.loss()) {
            lost++;
            return;
        }
        double nanosPerByte = settings.megabitsPerSecond() == 0 ? 0 : 8_000 / settings.megabitsPerSecond();
        long begin = Math.max(nowNanos, freeAtNanos);
        if ((begin - nowNanos) > settings.queueBytes() * nanosPerByte && nanosPerByte > 0) {
            dropped++;
            return;
        }
        freeAtNanos = begin + (long) ((packet.length + OVERHEAD_BYTES) * nanosPerByte);
        travelling.add(new Packet(packet, freeAtNanos + settings.delayMicros() * 1_000));
    }

    /** When the next packet arrives at the other side. */
    long nextArrivalNanos() {
        Packet first = travelling.peek();
        return first == null ? Long.MAX_VALUE : first.arrivalNanos;
    }

    Optional<byte[]> leave(long nowNanos) {
        if (nextArrivalNanos() > nowNanos) {
            return Optional.empty();
        }
        carried++;
        return Optional.of(travelling.remove().bytes);
    }

    LinkStatistics statistics() {
        return new LinkStatistics(carried, lost, dropped);
    }
}
