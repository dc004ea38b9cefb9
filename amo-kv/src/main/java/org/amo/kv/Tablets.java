package org.amo.kv;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.rpclog.KeyRange;

/**
 * Keeps the owner of each range of keys, and the heir that recovers a dead server's range. A part of the coordinator's state
 * machine: all that it knows comes from ordered requests, and "now" is the cluster time.
 *
 * <p>A server beats as long as it has its directory locked. One that does not beat for a while is called dead, and its
 * tablets get heirs; an heir becomes the owner when it says that it has all of a tablet on its disk. Invariant: a tablet
 * changes owners only while the old one does not hold its lock. The heir reads under a shared lock; a server that came back
 * in between has beaten, which gave the tablet another epoch, and the heir's word no longer fits. Nor does that of an heir's
 * former process.
 *
 * <p>One thread owns it.
 */
final class Tablets {
    /** Of a server that did not tell the id of its store, as those of older versions. */
    static final String NO_STORE = "";

    private final int wantedServers;
    private final long deadAfterMillis;
    private final TreeMap<String, KnownServer> servers = new TreeMap<>();
    private final List<Tablet> tablets = new ArrayList<>();
    private long version;

    /** @param count of equal ranges; a power of two keeps them equal */
    Tablets(int count, int wantedServers, long deadAfterMillis) {
        this.wantedServers = wantedServers;
        this.deadAfterMillis = deadAfterMillis;
        long width = Long.divideUnsigned(-1, count);
        for (int i = 0; i < count; i++) {
            long last = i == count - 1 ? -1 : (i + 1) * width - 1;
            tablets.add(Tablet.unowned(new KeyRange(KvRequest.TABLE, i * width, last)));
        }
    }

    /** Whether there were enough servers once; until then no server owns a range. */
    boolean isDealt() {
        return tablets.get(0).hasOwner();
    }

    /** Rises with each change of owners or addresses. */
    long version() {
        return version;
    }

    List<Tablet> tablets() {
        return tablets;
    }

    Optional<KnownServer> server(String id) {
        return Optional.ofNullable(servers.get(id));
    }

    /**
     * A server is there, with its directory locked.
     *
     * @throws IllegalArgumentException if another directory has that id
     */
    void onBeat(KnownServer server, ClusterTime now) {
        KnownServer known = servers.get(server.id());
        if (known != null && !known.directory().equals(server.directory())) {
            throw new IllegalArgumentException("server " + server.id() + " is in " + known.directory() + ", not in "
                    + server.directory() + "; give this one another id");
        }
        if (known == null || !known.hasAddressOf(server)) {
            version++;
        }
        String store = known != null && server.store().equals(NO_STORE) ? known.store() : server.store();
        servers.put(server.id(), server.with(store).heard(now.millis()));
        tablets.replaceAll(tablet ->
                tablet.isOwnedBy(server.id()) && tablet.hasHeir() && !tablet.moves() ? tablet.stays() : tablet);
        if (!isDealt() && servers.size() >= wantedServers) {
            deal(now);
        }
    }

    /**
     * The first heartbeat of a server's process. A former process may have claimed tablets that this server is to recover,
     * and this process writes them anew: such a claim no longer fits.
     *
     * <p>Invariant: a server that owns ranges has the store with which it got or recovered them. An empty store in a directory that was
     * lost has another id; its server would serve the ranges without their answered calls.
     *
     * @param lost id of a store whose calls are given up; empty if none is
     * @param copied whether the server can restore a lost store: it does so before it serves, and {@link #onRestored} tells
     * @throws IllegalArgumentException if another store has the calls of the server's ranges, or another directory has its id
     */
    void onBegin(KnownServer server, String lost, boolean copied, ClusterTime now) {
        Optional<String> missed = server(server.id())
                .filter(known -> known.directory().equals(server.directory()))
                .map(KnownServer::store)
                .filter(store -> isOther(store, server.store()) && !store.equals(lost))
                .filter(store -> !ownedBy(server.id()).isEmpty());
        if (missed.isPresent() && !copied) {
            throw new IllegalArgumentException("the answered calls of server " + server.id() + " are in the store "
                    + missed.get() + ", and its directory " + server.directory() + " has the store " + server.store()
                    + " without them; put a copy of the lost folder in its place, or give these calls up: start the"
                    + " server once with --give-up " + missed.get());
        }
        onBeat(missed.map(server::with).orElse(server), now);
        tablets.replaceAll(tablet -> {
            if (tablet.moves() && tablet.isOwnedBy(server.id())) {
                // Its new process serves it.
                return tablet.stays();
            }
            return tablet.isInheritedBy(server.id()) ? tablet.again() : tablet;
        });
    }

    /** Another store has all calls of a server now. */
    void onRestored(String id, String store) {
        servers.computeIfPresent(id, (same, server) -> server.with(store));
    }

    private static boolean isOther(String known, String store) {
        return !known.equals(NO_STORE) && !store.equals(NO_STORE) && !known.equals(store);
    }

    private void deal(ClusterTime now) {
        servers.replaceAll((id, each) -> each.heard(now.millis()));
        List<String> ids = List.copyOf(servers.keySet());
        for (int i = 0; i < tablets.size(); i++) {
            tablets.set(i, tablets.get(i).ownedBy(ids.get(i % ids.size())));
        }
        version++;
    }

    /** Declares servers dead after too long a silence, and names heirs for their tablets. */
    void onTime(ClusterTime now) {
        if (!isDealt()) {
            return;
        }
        servers.replaceAll(
                (id, each) -> !each.dead() && now.millis() - each.heardMillis() > deadAfterMillis ? each.died() : each);
        for (int i = 0; i < tablets.size(); i++) {
            Tablet tablet = tablets.get(i).moves() ? moving(tablets.get(i)) : tablets.get(i);
            boolean needsHeir = isDead(tablet.owner()) && (!tablet.hasHeir() || isDead(tablet.heir()));
            Optional<String> heir = needsHeir ? leastLoaded() : Optional.empty();
            tablets.set(i, heir.map(tablet::inheritedBy).orElse(tablet));
        }
    }

    private Tablet moving(Tablet tablet) {
        if (isDead(tablet.owner()) && !tablet.isReadable()) {
            // Its heir reads the dead server's directory, as any heir does.
            return tablet.inheritedBy(tablet.heir());
        }
        return isDead(tablet.heir()) && !isDead(tablet.owner()) ? tablet.stays() : tablet;
    }

    /**
     * Moves a tablet from its owner to another server, while it serves. The owner hands it over, and the other one takes it as an
     * heir does.
     *
     * @return false if the tablet is its own already or has an heir, or one of the servers is not there
     */
    boolean onMove(int number, String to) {
        Tablet tablet = tablets.get(number);
        boolean isPossible = isDealt()
                && !tablet.hasHeir()
                && !tablet.isOwnedBy(to)
                && servers.containsKey(to)
                && !isDead(to)
                && !isDead(tablet.owner());
        if (isPossible) {
            tablets.set(number, tablet.movingTo(to));
        }
        return isPossible;
    }

    /**
     * An owner serves a tablet no more, and has put a copy of it in a folder.
     *
     * @return false if it does not move any more, or anew
     */
    boolean onHandedOver(String id, int number, long epoch, String copy) {
        Tablet tablet = tablets.get(number);
        boolean fits = tablet.isOwnedBy(id) && tablet.moves() && tablet.epoch() == epoch;
        if (fits) {
            tablets.set(number, tablet.copiedTo(copy));
        }
        return fits;
    }

    /** Numbers of tablets that a server is to hand over, or has handed over to a server that does not have them yet. */
    List<Integer> movedFrom(String id) {
        return numbers(tablet -> tablet.moves() && tablet.isOwnedBy(id));
    }

    private boolean isDead(String id) {
        KnownServer server = servers.get(id);
        return server != null && server.dead();
    }

    private Optional<String> leastLoaded() {
        Optional<String> best = Optional.empty();
        long least = Long.MAX_VALUE;
        for (KnownServer server : servers.values()) {
            long load = tablets.stream()
                    .filter(each -> each.isOwnedBy(server.id()) || each.isInheritedBy(server.id()))
                    .count();
            if (!server.dead() && load < least) {
                best = Optional.of(server.id());
                least = load;
            }
        }
        return best;
    }

    /** Ranges that a server has. */
    List<KeyRange> ownedBy(String id) {
        return tablets.stream()
                .filter(each -> each.isOwnedBy(id))
                .map(Tablet::range)
                .toList();
    }

    /** Numbers of tablets that a server is to recover. */
    List<Integer> inheritedBy(String id) {
        return numbers(tablet -> tablet.isInheritedBy(id) && tablet.isReadable());
    }

    private List<Integer> numbers(Predicate<Tablet> which) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < tablets.size(); i++) {
            if (which.test(tablets.get(i))) {
                numbers.add(i);
            }
        }
        return numbers;
    }

    /**
     * An heir has tablets on its disk. Said again, it is true again, whatever epoch they have by now: an owner keeps its
     * directory locked while its process runs, so no heir has read it since.
     *
     * @param claims epochs by numbers of tablets
     * @return whether it is their owner now; false if somebody came back, and then none of them changed
     */
    boolean onRecovered(String id, Map<Integer, Long> claims) {
        boolean fits = claims.entrySet().stream().allMatch(claim -> {
            Tablet tablet = tablets.get(claim.getKey());
            return tablet.isOwnedBy(id) || (tablet.isInheritedBy(id) && tablet.epoch() == claim.getValue());
        });
        if (fits) {
            claims.keySet().forEach(number -> {
                Tablet tablet = tablets.get(number);
                if (!tablet.isOwnedBy(id)) {
                    tablets.set(number, tablet.ownedBy(id));
                    version++;
                }
            });
        }
        return fits;
    }

    void write(WireWriter writer) {
        writer.varint(version);
        writer.varint(servers.size());
        servers.values().forEach(each -> each.write(writer));
        tablets.forEach(each -> each.write(writer));
    }

    /**
     * Into new tablets of the same parameters.
     *
     * @param hasStores false for a snapshot of a version that knew no ids of stores
     * @param hasMoves false for one that moved no tablets
     */
    void read(WireReader reader, boolean hasStores, boolean hasMoves) {
        version = reader.varint("version", 0, Long.MAX_VALUE);
        int count = (int) reader.varint("servers", 0, reader.remaining());
        for (int i = 0; i < count; i++) {
            KnownServer server = KnownServer.read(reader, hasStores);
            servers.put(server.id(), server);
        }
        tablets.replaceAll(tablet -> Tablet.read(reader, tablet.range(), hasMoves));
    }
}
