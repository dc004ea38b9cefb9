package org.amo.lab.chaos;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** Makes the faults of a schedule when their time comes, and ends them when theirs is over. One thread owns it. */
final class Injector {
    private static final long LOOK_EVERY_MILLIS = 500;

    private final ClusterView scene;
    private final Map<FaultKind, Function<FaultSchedule.Slot, Optional<Active>>> faults;
    private final Consumer<String> progress;
    private final List<FaultSchedule.Slot> slots;
    private final List<Lasting> lasting = new ArrayList<>();
    private final Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
    private boolean waits;
    private int tried;
    private long nextLookMillis;

    private record Lasting(FaultKind kind, Active fault, long endMillis) {}

    Injector(
            ClusterView scene,
            Map<FaultKind, Function<FaultSchedule.Slot, Optional<Active>>> faults,
            List<FaultSchedule.Slot> slots,
            Consumer<String> progress) {
        this.scene = scene;
        this.faults = new EnumMap<>(faults);
        this.slots = new ArrayList<>(slots);
        this.progress = progress;
    }

    /** To be called often; time from the beginning of the load. */
    void tick(long nowMillis) {
        for (Iterator<Lasting> all = lasting.iterator(); all.hasNext(); ) {
            Lasting each = all.next();
            if (nowMillis >= each.endMillis || each.fault.isOver()) {
                all.remove();
                end(each);
            }
        }
        boolean looks = nowMillis >= nextLookMillis;
        if (looks) {
            nextLookMillis = nowMillis + LOOK_EVERY_MILLIS;
            scene.look();
        }
        if (!slots.isEmpty() && nowMillis >= slots.get(0).atMillis() && (looks || !waits)) {
            tryFirst(nowMillis);
        }
    }

    /** A slot in which no fault is possible waits until one is, and those behind it with it. */
    private void tryFirst(long nowMillis) {
        if (!waits) {
            tried++;
        }
        if (make(slots.get(0), nowMillis)) {
            waits = false;
            slots.remove(0);
        } else if (!waits) {
            waits = true;
            progress.accept("no fault is possible now without leaving fewer than a majority");
        }
    }

    /** Nothing new begins, and all faults end but those that wait for something. */
    void finish() {
        slots.clear();
        endAll(each -> each.fault.awaited().isEmpty());
    }

    /** Whether a fault waits for something. */
    boolean isWaiting() {
        return lasting.stream().anyMatch(each -> each.fault.awaited().isPresent());
    }

    /** Ends all faults; nothing new begins. */
    void endAll() {
        slots.clear();
        endAll(each -> true);
    }

    private void endAll(Predicate<Lasting> which) {
        List<Lasting> ending = lasting.stream().filter(which).toList();
        lasting.removeAll(ending);
        ending.forEach(this::end);
    }

    /** How many faults of the schedule had their time. */
    int tried() {
        return tried;
    }

    /** How many of each kind were made and happened, in words of the JSON. */
    Map<String, Integer> counts() {
        Map<String, Integer> words = new TreeMap<>();
        counts.forEach((kind, count) -> words.put(kind.word(), count));
        return words;
    }

    private boolean make(FaultSchedule.Slot slot, long nowMillis) {
        for (FaultKind kind : slot.wanted()) {
            Optional<Active> made = Optional.ofNullable(faults.get(kind)).flatMap(fault -> fault.apply(slot));
            if (made.isPresent()) {
                Active fault = made.get();
                counts.merge(kind, 1, Integer::sum);
                scene.impair(fault.impaired());
                lasting.add(new Lasting(
                        kind,
                        fault,
                        fault.lastsMillis() == Long.MAX_VALUE ? Long.MAX_VALUE : nowMillis + fault.lastsMillis()));
                progress.accept(fault.words());
                return true;
            }
        }
        return false;
    }

    private void end(Lasting each) {
        Active fault = each.fault;
        boolean happened = fault.hasHappened();
        fault.heal().run();
        scene.repair(fault.impaired());
        if (!happened) {
            counts.computeIfPresent(each.kind, (kind, count) -> count == 1 ? null : count - 1);
        }
        progress.accept((happened ? "over: " : "did not happen: ") + fault.words());
    }
}
