package org.amo.lab.chaos;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.amo.lab.cluster.ReplicaProcess;

/**
 * A fault that lasts.
 *
 * @param words for the operator
 * @param impaired replicas that cannot do their part while it lasts
 * @param lastsMillis from its beginning, at most
 * @param awaited condition that has to come true meanwhile and ends the fault early; the fault keeps its time even
 *     if the load is over
 * @param happened says at the end whether a fault that waits for its chance has had one; empty for a fault that happens at once
 * @param heal ends it
 */
record Active(
        String words,
        List<ReplicaProcess> impaired,
        long lastsMillis,
        Optional<BooleanSupplier> awaited,
        Optional<BooleanSupplier> happened,
        Runnable heal) {

    /** One that lasts for its time. */
    Active(String words, List<ReplicaProcess> impaired, long lastsMillis, Runnable heal) {
        this(words, impaired, lastsMillis, Optional.empty(), Optional.empty(), heal);
    }

    /** One that lasts until something has happened, or its time is over. */
    Active(String words, List<ReplicaProcess> impaired, long lastsMillis, BooleanSupplier awaited, Runnable heal) {
        this(words, impaired, lastsMillis, Optional.of(awaited), Optional.empty(), heal);
    }

    /** The same, if it has a chance to happen. */
    Active onlyIf(BooleanSupplier hasHappened) {
        return new Active(words, impaired, lastsMillis, awaited, Optional.of(hasHappened), heal);
    }

    /** To be asked before it ends. */
    boolean hasHappened() {
        return happened.map(BooleanSupplier::getAsBoolean).orElse(true);
    }

    boolean isOver() {
        return awaited.filter(BooleanSupplier::getAsBoolean).isPresent();
    }
}
