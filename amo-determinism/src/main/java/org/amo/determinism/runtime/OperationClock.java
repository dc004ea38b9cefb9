package org.amo.determinism.runtime;

import java.io.Serializable;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The system's clock; inside an operation the operation's. */
final class OperationClock extends Clock implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Clock system;

    OperationClock(Clock system) {
        this.system = system;
    }

    @Override
    public ZoneId getZone() {
        return system.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new OperationClock(system.withZone(zone));
    }

    @Override
    public long millis() {
        return TimeSubstitutes.systemCurrentTimeMillis();
    }

    @Override
    public Instant instant() {
        MemberOperations operation = MemberOperations.running();
        return operation == null ? system.instant() : TimeSubstitutes.instant(operation);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OperationClock clock && system.equals(clock.system);
    }

    @Override
    public int hashCode() {
        return Objects.hash(system);
    }

    @Override
    public String toString() {
        return system.toString();
    }
}
