package org.amo.core.door;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides which connections of a port stay and which of them may take more memory. If memory is short, the largest offender
 * gives way: the unproved connection that holds most, never a proved one. Proved connections wait for each other.
 *
 * <p>Invariant: the bytes held of all connections, of the unproved ones and of each single one never exceed the limits.
 *
 * <p>Arrivals and requests for memory take the logarithm of the number of connections: strangers choose how often they come.
 *
 * <p>It closes nothing itself: it names the connections that the caller must close, and counts them as gone at once. One
 * thread at a time owns it.
 *
 * @param <C> a connection
 */
public final class Doorkeeper<C> {
    private final DoorLimits limits;

    private final Map<C, Guest<C>> guests = new HashMap<>();
    private final Map<Object, Crowd<C>> crowds = new HashMap<>();

    /** Those with unproved connections: the one with most of them first, among equals the one whose oldest came first. */
    private final TreeSet<Crowd<C>> crowded =
            new TreeSet<>(Comparator.<Crowd<C>>comparingInt(crowd -> -crowd.unproved.size())
                    .thenComparingLong(crowd -> crowd.unproved.firstKey()));

    /** The unproved connections that hold something: the one that holds most first, among equals the one that came first. */
    private final TreeSet<Guest<C>> largest = new TreeSet<>(
            Comparator.<Guest<C>>comparingLong(guest -> -guest.held).thenComparingLong(guest -> guest.arrival));

    private long arrivals;
    private long held;
    private long heldUnproved;

    private static final class Guest<C> {
        private final C connection;
        private final Crowd<C> crowd;
        private final long arrival;
        private long held;
        private boolean proved;

        private Guest(C connection, Crowd<C> crowd, long arrival) {
            this.connection = connection;
            this.crowd = crowd;
            this.arrival = arrival;
        }
    }

    /** The connections from one address. */
    private static final class Crowd<C> {
        private final Object address;

        /** In order of arrival. */
        private final TreeMap<Long, C> unproved = new TreeMap<>();

        private int connections;

        private Crowd(Object address) {
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
        Crowd<C> own = crowds.get(address);
        if (own != null && own.connections >= limits.connectionsPerAddress()) {
            if (own.unproved.isEmpty()) {
                return new Decision<>(Outcome.REFUSED, close);
            }
            close.add(own.unproved.firstEntry().getValue());
        } else if (guests.size() >= limits.connections()) {
            if (crowded.isEmpty()) {
                return new Decision<>(Outcome.REFUSED, close);
            }
            close.add(crowded.first().unproved.firstEntry().getValue());
        }
        close.forEach(this::leave);
        Crowd<C> crowd = crowds.computeIfAbsent(address, Crowd::new);
        Guest<C> guest = new Guest<>(connection, crowd, arrivals++);
        guests.put(connection, guest);
        crowd.connections++;
        if (!crowd.unproved.isEmpty()) {
            crowded.remove(crowd);
        }
        crowd.unproved.put(guest.arrival, connection);
        crowded.add(crowd);
        return new Decision<>(Outcome.GRANTED, close);
    }

    /** The connection is authenticated, or a request of it was answered: it is kept before those that are not. */
    public void prove(C connection) {
        Guest<C> guest = guests.get(connection);
        if (guest != null && !guest.proved) {
            noLongerUnproved(guest);
            guest.proved = true;
        }
    }

    /** A connection wants to hold so many bytes more. Call it before they are allocated. */
    public Decision<C> take(C connection, long bytes) {
        Guest<C> guest = guests.get(connection);
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
            if (largest.isEmpty()) {
                return new Decision<>(Outcome.WAIT, close);
            }
            if (!guest.proved && largest.first().held <= guest.held + bytes) {
                leave(connection);
                return new Decision<>(Outcome.REFUSED, close);
            }
            C victim = largest.first().connection;
            close.add(victim);
            leave(victim);
        }
        hold(guest, bytes);
        return new Decision<>(Outcome.GRANTED, close);
    }

    /** The connection holds so many bytes less. */
    public void give(C connection, long bytes) {
        Guest<C> guest = guests.get(connection);
        if (guest != null) {
            hold(guest, -Math.min(bytes, guest.held));
        }
    }

    /** The connection was closed: all that it held is free. */
    public void leave(C connection) {
        Guest<C> guest = guests.remove(connection);
        if (guest != null) {
            held -= guest.held;
            if (!guest.proved) {
                noLongerUnproved(guest);
            }
            if (--guest.crowd.connections == 0) {
                crowds.remove(guest.crowd.address);
            }
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

    private void hold(Guest<C> guest, long more) {
        if (guest.proved) {
            guest.held += more;
        } else {
            largest.remove(guest);
            guest.held += more;
            heldUnproved += more;
            if (guest.held > 0) {
                largest.add(guest);
            }
        }
        held += more;
    }

    private void noLongerUnproved(Guest<C> guest) {
        heldUnproved -= guest.held;
        largest.remove(guest);
        Crowd<C> crowd = guest.crowd;
        crowded.remove(crowd);
        crowd.unproved.remove(guest.arrival);
        if (!crowd.unproved.isEmpty()) {
            crowded.add(crowd);
        }
    }
}
