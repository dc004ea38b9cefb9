package org.amo.exon;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.amo.sim.SimWorld;
import org.jspecify.annotations.Nullable;

/**
 * The application of a node and its way to it, as in an endpoint: one message at a time, slow or fast, with or without a
 * durable inbox. Its own ledger survives crashes, as the changes of a transaction do.
 */
final class SimApplication {
    private final SimWorld world;
    private final ExonLedger ledger;
    private final ExonSimNode node;
    private final boolean writesFirst;
    private final boolean inbox;
    private final long mostMicros;
    private final double fails;

    // On disk.
    private final List<Entry> written = new ArrayList<>();
    private long noted;
    private long appliedPosition;

    // In memory.
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();
    private final List<Entry> unwritten = new ArrayList<>();
    private @Nullable Entry running;
    private boolean writing;
    private boolean healed;
    private long lastPosition;
    private long stoppedUntilMicros;

    /** A message in the inbox at a position, or without one. */
    private record Entry(MessageName delivery, ExonLedger.Message message, long position) {}

    /**
     * @param mayFail whether it may fail at messages
     * @param writesFirst whether the inbox has a message before the node may acknowledge it
     */
    SimApplication(SimWorld world, ExonLedger ledger, ExonSimNode node, boolean mayFail, boolean writesFirst) {
        this.world = world;
        this.ledger = ledger;
        this.node = node;
        this.writesFirst = writesFirst;
        this.inbox = world.chance(0.4);
        this.mostMicros = world.chance(0.3) ? world.between(5_000, 40_000) : 2_000;
        this.fails = world.chance(0.3) && mayFail ? 0.05 : 0;
    }

    boolean hasInbox() {
        return inbox;
    }

    /** A process starts. Returns the room that messages of former ones take. */
    int start() {
        int units = 0;
        for (Entry entry : written) {
            if (entry.position > noted) {
                queue.add(entry);
                units += entry.delivery.units();
            }
        }
        written.removeIf(entry -> entry.position <= noted);
        next();
        return units;
    }

    void crash() {
        queue.clear();
        unwritten.clear();
        running = null;
        writing = false;
    }

    void stop(long untilMicros) {
        stoppedUntilMicros = untilMicros;
    }

    void heal() {
        healed = true;
        stoppedUntilMicros = 0;
    }

    /** A message came. */
    void gather(MessageName delivery, ExonLedger.Message message) {
        if (inbox) {
            Entry entry = new Entry(delivery, message, ++lastPosition);
            unwritten.add(entry);
            if (!writesFirst) {
                later(entry, () -> node.input(node.life(), core -> core.onAccepted(delivery, world.nowMicros())));
            }
            write();
        } else {
            queue.add(new Entry(delivery, message, 0));
            next();
        }
    }

    private void write() {
        if (writing || unwritten.isEmpty()) {
            return;
        }
        writing = true;
        int then = node.life();
        List<Entry> batch = new ArrayList<>(unwritten);
        unwritten.clear();
        world.after(world.between(100, 15_000), () -> {
            if (node.life() != then) {
                return;
            }
            writing = false;
            for (Entry entry : batch) {
                entry.message.stored = true;
                written.add(entry);
                queue.add(entry);
                later(entry, () -> node.input(then, core -> core.onAccepted(entry.delivery, world.nowMicros())));
            }
            write();
            next();
        });
    }

    /** After the thread that has done it is heard. */
    private void later(Entry entry, Runnable action) {
        int then = node.life();
        world.after(world.between(0, 300), () -> {
            if (node.life() == then) {
                node.trace("has m" + entry.message.number);
                action.run();
            }
        });
    }

    private void next() {
        if (running != null || queue.isEmpty()) {
            return;
        }
        Entry entry = queue.remove();
        running = entry;
        int then = node.life();
        long most = healed ? 500 : mostMicros;
        long at = Math.max(world.nowMicros() + world.between(0, most), stoppedUntilMicros);
        world.at(at, () -> {
            if (node.life() == then) {
                onReturn(entry);
            }
        });
    }

    private void onReturn(Entry entry) {
        boolean failed = !healed && fails > 0 && world.happens("application failed", fails);
        if (entry.position > 0) {
            if (failed) {
                queue.addFirst(entry);
                goOn();
                return;
            }
            if (entry.position > appliedPosition) {
                appliedPosition = entry.position;
                ledger.onTaken(entry.message);
            }
            later(entry, () -> {
                noted = entry.position;
                taken(entry, true);
            });
            return;
        }
        if (failed) {
            entry.message.failed = true;
        } else {
            ledger.onTaken(entry.message);
        }
        taken(entry, !failed);
    }

    private void taken(Entry entry, boolean accepted) {
        int then = node.life();
        later(
                entry,
                () -> node.input(then, core -> {
                    if (entry.position == 0 && accepted) {
                        core.onAccepted(entry.delivery, world.nowMicros());
                    } else if (entry.position == 0) {
                        core.onRefused(entry.delivery, world.nowMicros());
                    }
                    core.onTaken(entry.delivery.units(), world.nowMicros());
                }));
        goOn();
    }

    private void goOn() {
        running = null;
        next();
    }
}
