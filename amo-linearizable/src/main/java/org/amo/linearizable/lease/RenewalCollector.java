package org.amo.linearizable.lease;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gathers renewals before they are ordered, so that one entry of the order carries many (docs/decisions/0020). Any member
 * may have one, and a client may ask any of them, again and at several: a renewal that is ordered twice only makes a
 * lease longer.
 *
 * <p>Promises: no client is told that a lease was renewed before that was ordered, nor to a later end than was ordered. A
 * renewal leaves no later than {@code gatherMillis} after it came. No client was told of one that is lost with this member.
 *
 * <p>{@code nowMillis} is monotonic. One thread owns it. Nothing survives a crash, and nothing need to.
 *
 * @param <A> the shell's type for an asker
 */
public class RenewalCollector<A> {
    private static final long NEVER = Long.MAX_VALUE;

    private final RenewalCollectorEffects<A> effects;
    private final long gatherMillis;
    private final int mostInABatch;
    private final int mostWaiting;

    private List<Asked<A>> gathering = new ArrayList<>();
    private long orderAtMillis = NEVER;

    /** By their numbers: batches that were handed to the order and have no known outcome yet. */
    private final Map<Long, List<Asked<A>>> ordering = new HashMap<>();

    private long lastBatch;
    private int waiting;

    private record Asked<A>(A asker, LeaseId client) {}

    /**
     * @param gatherMillis for which the first renewal of a batch waits for others; at least 0
     * @param mostInABatch renewals; a batch with as many leaves at once
     * @param mostWaiting renewals without an answer, at least {@code mostInABatch}; more are not taken
     */
    public RenewalCollector(long gatherMillis, int mostInABatch, int mostWaiting, RenewalCollectorEffects<A> effects) {
        if (gatherMillis < 0 || mostInABatch < 1 || mostWaiting < mostInABatch) {
            throw new IllegalArgumentException("gatherMillis must not be negative and mostWaiting >= mostInABatch >= 1:"
                    + " gatherMillis=" + gatherMillis + " mostInABatch=" + mostInABatch + " mostWaiting="
                    + mostWaiting);
        }
        this.effects = effects;
        this.gatherMillis = gatherMillis;
        this.mostInABatch = mostInABatch;
        this.mostWaiting = mostWaiting;
    }

    /**
     * A client asks for one more term. It hears the outcome when that is known.
     *
     * @return false if too many wait: the client hears nothing and may ask again
     */
    public boolean onRenewal(A asker, LeaseId client, long nowMillis) {
        if (waiting == mostWaiting) {
            return false;
        }
        waiting++;
        gathering.add(new Asked<>(asker, client));
        if (gathering.size() == 1) {
            orderAtMillis = nowMillis + gatherMillis;
        }
        if (gathering.size() == mostInABatch) {
            order();
        }
        return true;
    }

    /** A batch was ordered, and this came of it. A second word on it does not count. */
    public void onOrdered(long batch, Renewed renewed) {
        take(batch).forEach(asked -> effects.answer(asked.asker, renewed.of(asked.client)));
    }

    /** A batch was ordered or was not; the outcome is unknown. */
    public void onFailed(long batch) {
        take(batch).forEach(asked -> effects.unanswered(asked.asker));
    }

    /** To be called when {@link #nextDeadline} has come. */
    public void onTick(long nowMillis) {
        if (nowMillis >= orderAtMillis) {
            order();
        }
    }

    /** When {@link #onTick} must be called; {@code Long.MAX_VALUE} if never. */
    public long nextDeadline() {
        return orderAtMillis;
    }

    /** Renewals that have not been answered yet. */
    public int waiting() {
        return waiting;
    }

    private List<Asked<A>> take(long batch) {
        List<Asked<A>> asked = ordering.remove(batch);
        if (asked == null) {
            return List.of();
        }
        waiting -= asked.size();
        return asked;
    }

    private void order() {
        List<Asked<A>> batch = gathering;
        gathering = new ArrayList<>();
        orderAtMillis = NEVER;
        ordering.put(++lastBatch, batch);
        long[] clients = batch.stream()
                .mapToLong(asked -> asked.client.value())
                .distinct()
                .toArray();
        Arrays.sort(clients);
        effects.order(lastBatch, clients);
    }
}
