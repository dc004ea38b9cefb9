package org.amo.examples.kv;

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
    private static final int MAX_TEXT = 4_096;
    private static final String NOBODY = "";
    private static final String NO_COPY = "";

    /** Of a server that did not tell the id of its store, as those of older versions. */
    static final String NO_STORE = "";

    private final int wantedServers;
    private final long deadAfterMillis;
    private final TreeMap<String, Server> servers = new TreeMap<>();
    private final List<Tablet> tablets = new ArrayList<>();
    private long version;

    /**
     * A server as it last said, and when it did.
     *
     * @param store id of the store that has the calls of its ranges, or NO_STORE
     */
    record Server(String id, String host, int port, String directory, String store, long heardMillis, boolean dead) {
        Server heard(long millis) {
            return new Server(id, host, port, directory, store, millis, false);
        }

        Server died() {
            return new Server(id, host, port, directory, store, heardMillis, true);
        }

        Server with(String otherStore) {
            return new Server(id, host, port, directory, otherStore, heardMillis, dead);
        }
    }

    /**
     * A range and its owner.
     *
     * @param owner the id of a server; empty until the ranges are dealt
     * @param heir the id of the server that recovers it, or to which it moves; empty if none does
     * @param epoch counts heirs, their processes, and returns of owners
     * @param moves whether its owner lives and is to hand it over
     * @param copy the folder with the owner's copy of it; empty until the owner serves it no more, and if it does not move
     */
    record Tablet(KeyRange range, String owner, String heir, long epoch, boolean moves, String copy) {
        /** One that does not move. */
        Tablet(KeyRange range, String owner, String heir, long epoch) {
            this(range, owner, heir, epoch, false, NO_COPY);
        }

        /** The same, and claims for it so far are void. A copy is of the former epoch: its owner deletes it, and makes another. */
        Tablet again() {
            return new Tablet(range, owner, heir, epoch + 1, moves, NO_COPY);
        }

        /** Its owner serves it on. */
        Tablet stays() {
            return new Tablet(range, owner, NOBODY, epoch + 1);
        }

        /** Whether its heir can read it. */
        boolean isReadable() {
            return !moves || !copy.equals(NO_COPY);
        }
    }

    /** @param count of equal ranges; a power of two keeps them equal */
    Tablets(int count, int wantedServers, long deadAfterMillis) {
        this.wantedServers = wantedServers;
        this.deadAfterMillis = deadAfterMillis;
        long width = Long.divideUnsigned(-1, count);
        for (int i = 0; i < count; i++) {
            long last = i == count - 1 ? -1 : (i + 1) * width - 1;
            tablets.add(new Tablet(new KeyRange(KvRequest.TABLE, i * width, last), NOBODY, NOBODY, 0));
        }
    }

    /** Whether there were enough servers once; until then no server owns a range. */
    boolean isDealt() {
        return !tablets.get(0).owner().isEmpty();
    }

    /** Rises with each change of owners or addresses. */
    long version() {
        return version;
    }

    List<Tablet> tablets() {
        return tablets;
    }

    Optional<Server> server(String id) {
        return Optional.ofNullable(servers.get(id));
    }

    /**
     * A server is there, with its directory locked.
     *
     * @throws IllegalArgumentException if another directory has that id
     */
    void onBeat(Server server, ClusterTime now) {
        Server known = servers.get(server.id());
        if (known != null && !known.directory().equals(server.directory())) {
            throw new IllegalArgumentException("server " + server.id() + " is in " + known.directory() + ", not in "
                    + server.directory() + "; give this one another id");
        }
        if (known == null || known.port() != server.port() || !known.host().equals(server.host())) {
            version++;
        }
        String store = known != null && server.store().equals(NO_STORE) ? known.store() : server.store();
        servers.put(server.id(), server.with(store).heard(now.millis()));
        for (int i = 0; i < tablets.size(); i++) {
            Tablet tablet = tablets.get(i);
            if (tablet.owner().equals(server.id()) && !tablet.heir().isEmpty() && !tablet.moves()) {
                tablets.set(i, tablet.stays());
            }
        }
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
    void onBegin(Server server, String lost, boolean copied, ClusterTime now) {
        Server known = servers.get(server.id());
        boolean isLost = known != null
                && known.directory().equals(server.directory())
                && isOther(known.store(), server.store())
                && !known.store().equals(lost)
                && !ownedBy(server.id()).isEmpty();
        if (isLost && !copied) {
            throw new IllegalArgumentException("the answered calls of server " + server.id() + " are in the store "
                    + known.store() + ", and its directory " + server.directory() + " has the store " + server.store()
                    + " without them; put a copy of the lost folder in its place, or give these calls up: start the"
                    + " server once with --give-up " + known.store());
        }
        onBeat(isLost ? server.with(known.store()) : server, now);
        for (int i = 0; i < tablets.size(); i++) {
            Tablet tablet = tablets.get(i);
            if (tablet.moves() && tablet.owner().equals(server.id())) {
                // Its new process serves it.
                tablets.set(i, tablet.stays());
            } else if (tablet.heir().equals(server.id())) {
                tablets.set(i, tablet.again());
            }
        }
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
            tablets.set(i, new Tablet(tablets.get(i).range(), ids.get(i % ids.size()), NOBODY, 0));
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
            if (tablets.get(i).moves()) {
                onTimeOfMove(i);
            }
            Tablet tablet = tablets.get(i);
            if (isDead(tablet.owner()) && (tablet.heir().isEmpty() || isDead(tablet.heir()))) {
                Optional<String> heir = leastLoaded();
                if (heir.isPresent()) {
                    tablets.set(i, new Tablet(tablet.range(), tablet.owner(), heir.get(), tablet.epoch() + 1));
                }
            }
        }
    }

    private void onTimeOfMove(int number) {
        Tablet tablet = tablets.get(number);
        if (isDead(tablet.owner()) && !tablet.isReadable()) {
            // Its heir reads the dead server's directory, as any heir does.
            tablets.set(number, new Tablet(tablet.range(), tablet.owner(), tablet.heir(), tablet.epoch() + 1));
        } else if (isDead(tablet.heir()) && !isDead(tablet.owner())) {
            tablets.set(number, tablet.stays());
        }
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
                && tablet.heir().isEmpty()
                && !tablet.owner().equals(to)
                && servers.containsKey(to)
                && !isDead(to)
                && !isDead(tablet.owner());
        if (isPossible) {
            tablets.set(number, new Tablet(tablet.range(), tablet.owner(), to, tablet.epoch() + 1, true, NO_COPY));
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
        boolean fits = tablet.owner().equals(id) && tablet.moves() && tablet.epoch() == epoch;
        if (fits) {
            tablets.set(number, new Tablet(tablet.range(), id, tablet.heir(), epoch, true, copy));
        }
        return fits;
    }

    /** Numbers of tablets that a server is to hand over, or has handed over to a server that does not have them yet. */
    List<Integer> movedFrom(String id) {
        return numbers(tablet -> tablet.moves() && tablet.owner().equals(id));
    }

    private boolean isDead(String id) {
        Server server = servers.get(id);
        return server != null && server.dead();
    }

    private Optional<String> leastLoaded() {
        Optional<String> best = Optional.empty();
        long least = Long.MAX_VALUE;
        for (Server server : servers.values()) {
            long load = tablets.stream()
                    .filter(each ->
                            each.owner().equals(server.id()) || each.heir().equals(server.id()))
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
                .filter(each -> each.owner().equals(id))
                .map(Tablet::range)
                .toList();
    }

    /** Numbers of tablets that a server is to recover. */
    List<Integer> inheritedBy(String id) {
        return numbers(tablet -> tablet.heir().equals(id) && tablet.isReadable());
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
            return tablet.owner().equals(id) || (tablet.heir().equals(id) && tablet.epoch() == claim.getValue());
        });
        if (fits) {
            claims.keySet().forEach(number -> {
                Tablet tablet = tablets.get(number);
                if (!tablet.owner().equals(id)) {
                    tablets.set(number, new Tablet(tablet.range(), id, NOBODY, tablet.epoch()));
                    version++;
                }
            });
        }
        return fits;
    }

    void write(WireWriter writer) {
        writer.varint(version);
        writer.varint(servers.size());
        servers.values().forEach(each -> {
            writer.text(each.id());
            writer.text(each.host());
            writer.varint(each.port());
            writer.text(each.directory());
            writer.text(each.store());
            writer.varint(each.heardMillis());
            writer.u8(each.dead() ? 1 : 0);
        });
        tablets.forEach(each -> {
            writer.text(each.owner());
            writer.text(each.heir());
            writer.varint(each.epoch());
            writer.u8(each.moves() ? 1 : 0);
            writer.text(each.copy());
        });
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
            Server server = new Server(
                    reader.text("id", MAX_TEXT),
                    reader.text("host", MAX_TEXT),
                    (int) reader.varint("port", 0, 65_535),
                    reader.text("directory", MAX_TEXT),
                    hasStores ? reader.text("store", MAX_TEXT) : NO_STORE,
                    reader.varint("heard", 0, ClusterTime.MAX_MILLIS),
                    reader.flag("dead"));
            servers.put(server.id(), server);
        }
        for (int i = 0; i < tablets.size(); i++) {
            tablets.set(
                    i,
                    new Tablet(
                            tablets.get(i).range(),
                            reader.text("owner", MAX_TEXT),
                            reader.text("heir", MAX_TEXT),
                            reader.varint("epoch", 0, Long.MAX_VALUE),
                            hasMoves && reader.flag("moves"),
                            hasMoves ? reader.text("copy", MAX_TEXT) : NO_COPY));
        }
    }
}
