package org.amo.core.door;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which connections of a port stay and which of them may take more memory. If memory is short, the largest offender
 * gives way: the unproved connection that holds most, never a proved one. Proved connections wait for each other.
 *
 * <p>Invariant: the bytes held of all connections, of the unproved ones and of each single one never exceed the limits.
 *
 * <p>It closes nothing itself: it names the connections that the caller must close, and counts them as gone at once. One
 * thread at a time owns it.
 *
 * @param <C> a connection
 */
public final class Doorkeeper<C> {
    private final DoorLimits limits;

    // In order of arrival.
    private final Map<C, Guest> guests = new LinkedHashMap<>();
    private final Map<Object, Integer> perAddress = new HashMap<>();
    private long held;
    private long heldUnproved;

    private static final class Guest {
        private final Object address;
        private long held;
        private boolean proved;

        private Guest(Object address) {
            this.address = address;
        }
    }

    /** The result of an arrival or of a request for memory. */
    public enum Outcome {
        /** The connection stays, the bytes are its own. */
        GRANTED,
        /** Only proved connections hold the missing bytes: ask again when one of them has given back. */
        WAIT,
        /** The connection must be closed. It is counted as gone. */
        REFUSED
    }

    /**
     * An outcome.
     *
     * @param close other connections that must be closed for it; they are counted as gone
     */
    public record Decision<C>(Outcome outcome, List<C> close) {}

    public Doorkeeper(DoorLimits limits) {
        this.limits = limits;
    }

    /** A connection was opened from this address. It is unproved. */
    public Decision<C> arrive(C connection, Object address) {
        List<C> close = new ArrayList<>(1);
        if (perAddress.getOrDefault(address, 0) >= limits.connectionsPerAddress()) {
            oldestUnproved(Optional.of(address)).ifPresent(close::add);
        } else if (guests.size() >= limits.connections()) {
            oldestUnproved(crowdedAddress()).ifPresent(close::add);
        }
        close.forEach(this::leave);
        if (perAddress.getOrDefault(address, 0) >= limits.connectionsPerAddress()
                || guests.size() >= limits.connections()) {
            return new Decision<>(Outcome.REFUSED, close);
        }
        guests.put(connection, new Guest(address));
        perAddress.merge(address, 1, Integer::sum);
        return new Decision<>(Outcome.GRANTED, close);
    }

    /** The connection is authenticated, or a request of it was answered: it is kept before those that are not. */
    public void prove(C connection) {
        Guest guest = guests.get(connection);
        if (guest != null && !guest.proved) {
            guest.proved = true;
            heldUnproved -= guest.held;
        }
    }

    /** A connection wants to hold so many bytes more. Call it before they are allocated. */
    public Decision<C> take(C connection, long bytes) {
        Guest guest = guests.get(connection);
        if (guest == null) {
            return new Decision<>(Outcome.REFUSED, List.of());
        }
        long own = guest.proved ? limits.connectionBytes() : limits.unprovedConnectionBytes();
        if (guest.held + bytes > own) {
            leave(connection);
            return new Decision<>(Outcome.REFUSED, List.of());
        }
        List<C> close = new ArrayList<>(0);
        while (held + bytes > limits.bytes() || (!guest.proved && heldUnproved + bytes > limits.unprovedBytes())) {
            Optional<Map.Entry<C, Guest>> largest = largestUnproved();
            if (largest.isEmpty()) {
                return new Decision<>(Outcome.WAIT, close);
            }
            if (!guest.proved && largest.get().getValue().held <= guest.held + bytes) {
                leave(connection);
                return new Decision<>(Outcome.REFUSED, close);
            }
            C victim = largest.get().getKey();
            close.add(victim);
            leave(victim);
        }
        guest.held += bytes;
        held += bytes;
        heldUnproved += guest.proved ? 0 : bytes;
        return new Decision<>(Outcome.GRANTED, close);
    }

    /** The connection holds so many bytes less. */
    public void give(C connection, long bytes) {
        Guest guest = guests.get(connection);
        if (guest != null) {
            long given = Math.min(bytes, guest.held);
            guest.held -= given;
            held -= given;
            heldUnproved -= guest.proved ? 0 : given;
        }
    }

    /** The connection was closed: all that it held is free. */
    public void leave(C connection) {
        Guest guest = guests.remove(connection);
        if (guest != null) {
            held -= guest.held;
            heldUnproved -= guest.proved ? 0 : guest.held;
            perAddress.computeIfPresent(guest.address, (address, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Open connections. */
    public int connections() {
        return guests.size();
    }

    /** Bytes that all of them hold. */
    public long held() {
        return held;
    }

    private Optional<Map.Entry<C, Guest>> largestUnproved() {
        return guests.entrySet().stream()
                .filter(each -> !each.getValue().proved && each.getValue().held > 0)
                .max(Comparator.comparingLong(each -> each.getValue().held));
    }

    private Optional<C> oldestUnproved(Optional<Object> address) {
        for (Map.Entry<C, Guest> each : guests.entrySet()) {
            Guest guest = each.getValue();
            if (!guest.proved && (address.isEmpty() || address.get().equals(guest.address))) {
                return Optional.of(each.getKey());
            }
        }
        return Optional.empty();
    }

    /** The address with the most unproved connections; empty when all are proved. */
    private Optional<Object> crowdedAddress() {
        Map<Object, Integer> unproved = new HashMap<>();
        guests.values().stream()
                .filter(guest -> !guest.proved)
                .forEach(guest -> unproved.merge(guest.address, 1, Integer::sum));
        return unproved.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }
}
