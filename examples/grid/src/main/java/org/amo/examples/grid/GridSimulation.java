package org.amo.examples.grid;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * The grid in computed time on a multicast that keeps one order, of which a share of the messages is then disturbed at each site. The
 * seed alone decides the run.
 */
final class GridSimulation {
    private static final long DELAY_MICROS = 1_000;
    private static final long TICK_MICROS = 1_000;

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atMicros).thenComparingLong(Event::number));
    private final List<GridSite> sites = new ArrayList<>();
    private final List<Disorder> disorders = new ArrayList<>();
    private long nowMicros;
    private long numbers;
    /** Arrival time of the last message: later messages arrive no earlier, which keeps the order. */
    private long lastArrivalMicros;

    private record Event(long atMicros, long number, Runnable what) {}

    /**
     * Outcome of a run.
     *
     * @param done operations
     * @param timeouts requests that waited in vain
     */
    record Result(long done, long timeouts) {}

    private GridSimulation(GridSettings settings, double disorder, long seed) {
        Random seeds = new Random(seed);
        for (int i = 0; i < settings.sites(); i++) {
            GridSite site = new GridSite(i, settings, seeds.nextLong(), 0);
            sites.add(site);
            disorders.add(
                    new Disorder(disorder, seeds.nextLong(), message -> multicast(site.onMessage(message, nowMicros))));
        }
    }

    /** @param disorder share of messages out of order, 0 to 1 */
    static Result run(GridSettings settings, double disorder, long seconds, long seed) {
        GridSimulation run = new GridSimulation(settings, disorder, seed);
        run.sites.forEach(run::tick);
        while (run.nowMicros < seconds * 1_000_000) {
            Event next = run.events.remove();
            run.nowMicros = next.atMicros;
            next.what.run();
        }
        return new Result(
                run.sites.stream().mapToLong(GridSite::done).sum(),
                run.sites.stream().mapToLong(GridSite::timeouts).sum());
    }

    private void at(long micros, Runnable what) {
        events.add(new Event(micros, ++numbers, what));
    }

    private void tick(GridSite site) {
        multicast(site.onTick(nowMicros));
        at(nowMicros + TICK_MICROS, () -> tick(site));
    }

    private void multicast(List<GridMessage> messages) {
        for (GridMessage message : messages) {
            lastArrivalMicros = Math.max(lastArrivalMicros, nowMicros + DELAY_MICROS);
            at(lastArrivalMicros, () -> disorders.forEach(each -> each.accept(message)));
        }
    }
}
