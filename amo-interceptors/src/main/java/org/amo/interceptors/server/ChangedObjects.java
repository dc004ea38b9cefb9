package org.amo.interceptors.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.omg.PortableServer.Servant;

/**
 * The objects of one adapter that operations have changed, in front of JacORB's map of active objects. JacORB takes an object away in
 * a thread of its own, behind its own requests for that object, so at another moment at each member; here it is gone at once. The
 * objects of a servant activator are here, too, since operations make their servants. Any thread may call it.
 *
 * <p>Invariant: JacORB keeps its entry of such an object for as long as a client may ask for the reply of a request that took the
 * object away. A request for an object without an entry never reaches the group, and so not the cached reply either.
 */
final class ChangedObjects {
    private final long keptNanos;

    // Guarded by this.
    private final Map<PoaObjectKey, Change> changes = new HashMap<>();
    private final IdentityHashMap<Servant, Set<PoaObjectKey>> ids = new IdentityHashMap<>();
    private final Deque<Departure> departures = new ArrayDeque<>();

    /**
     * The state in which operations have left an object.
     *
     * @param servant that runs its requests; empty if the object is gone
     * @param sinceNanos when it went, or when {@link #due} named it last
     * @param leaving whether JacORB has been told to remove its entry
     */
    record Change(Optional<Servant> servant, long sinceNanos, boolean leaving) {}

    private record Departure(PoaObjectKey id, long sinceNanos) {}

    /** @param keptNanos how long JacORB's entry outlives its object */
    ChangedObjects(long keptNanos) {
        this.keptNanos = keptNanos;
    }

    synchronized boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Empty if JacORB's map says it all. */
    synchronized Optional<Change> of(byte[] objectId) {
        return Optional.ofNullable(changes.get(new PoaObjectKey(objectId)));
    }

    /** One of the objects to which operations have given this servant. */
    synchronized Optional<byte[]> idOf(Servant servant) {
        return ids.getOrDefault(servant, Set.of()).stream().findFirst().map(PoaObjectKey::bytes);
    }

    /** From now on the servant runs the requests for this object. */
    synchronized void activated(byte[] objectId, Servant servant) {
        PoaObjectKey id = new PoaObjectKey(objectId.clone());
        put(id, new Change(Optional.of(servant), 0, false));
        ids.computeIfAbsent(servant, absent -> new HashSet<>()).add(id);
    }

    /** From now on there is no such object. */
    synchronized void deactivated(byte[] objectId, long nowNanos) {
        PoaObjectKey id = new PoaObjectKey(objectId.clone());
        put(id, new Change(Optional.empty(), nowNanos, false));
        departures.add(new Departure(id, nowNanos));
    }

    private void put(PoaObjectKey id, Change change) {
        forget(id);
        changes.put(id, change);
    }

    /** JacORB's map says it all again. */
    synchronized void forget(byte[] objectId) {
        forget(new PoaObjectKey(objectId));
    }

    private void forget(PoaObjectKey id) {
        Optional.ofNullable(changes.remove(id)).flatMap(Change::servant).ifPresent(servant -> {
            Set<PoaObjectKey> left = ids.computeIfAbsent(servant, absent -> new HashSet<>());
            left.remove(id);
            if (left.isEmpty()) {
                ids.remove(servant);
            }
        });
    }

    /** The objects that have been gone for long enough, each one again after the same time until it is forgotten. */
    synchronized List<byte[]> due(long nowNanos) {
        List<byte[]> due = new ArrayList<>();
        while (!departures.isEmpty() && nowNanos - departures.peek().sinceNanos() >= keptNanos) {
            Departure departure = departures.remove();
            Change change = changes.get(departure.id());
            // Otherwise it came back, and perhaps went again.
            if (change != null && change.servant().isEmpty() && change.sinceNanos() == departure.sinceNanos()) {
                due.add(departure.id().bytes());
            }
        }
        for (byte[] objectId : due) {
            PoaObjectKey id = new PoaObjectKey(objectId);
            changes.computeIfPresent(id, (key, change) -> new Change(change.servant(), nowNanos, change.leaving()));
            departures.add(new Departure(id, nowNanos));
        }
        return due;
    }

    /** JacORB removes its entry, in a thread of its own. */
    synchronized void leaving(byte[] objectId) {
        changes.computeIfPresent(
                new PoaObjectKey(objectId), (id, change) -> new Change(change.servant(), change.sinceNanos(), true));
    }
}
