package org.amo.examples.kv;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.replication.lease.LeaseService;
import org.amo.replication.service.AmoHandler;
import org.amo.replication.service.AmoState;
import org.amo.replication.service.ReplicaContext;

/** Executes the ordered requests at each member of the coordinator's group: leases, and the owner of each tablet. */
final class CoordinatorState implements AmoHandler, AmoState {
    static final int LEASE = 0;
    static final int CONFIGURE = 1;
    static final int BEAT = 2;
    static final int RECOVERED = 3;
    static final int MAP = 4;

    /** As servers sent it before stores had ids; an older log may have it. */
    static final int BEGIN = 5;

    static final int BEGIN_WITH_STORE = 6;

    static final int MAX_TEXT = 4_096;

    private static final int SNAPSHOT_VERSION = 2;

    /** Without the ids of stores. */
    private static final int FIRST_SNAPSHOT_VERSION = 1;

    /** Empty until the first coordinator of the first start has given the cluster's settings. */
    private Optional<Cluster> cluster = Optional.empty();

    private record Cluster(KvSettings settings, LeaseService leases, Tablets tablets) {
        static Cluster of(KvSettings settings) {
            return new Cluster(
                    settings,
                    new LeaseService(settings.termMillis(), settings.maxLeases()),
                    new Tablets(settings.tablets(), settings.servers(), settings.deadAfterMillis()));
        }
    }

    @Override
    public byte[] handle(byte[] request, ReplicaContext context) {
        return handle(request, context.time().toEpochMilli(), context.random()::nextLong);
    }

    /**
     * @param orderedMillis the group's time at this request
     * @param random numbers that are the same at every member
     */
    byte[] handle(byte[] request, long orderedMillis, LongSupplier random) {
        WireReader reader = new WireReader("coordinator request", request);
        int kind = reader.u8("kind");
        if (kind == CONFIGURE) {
            return configure(KvSettings.read(reader));
        }
        Cluster now = cluster.orElseThrow(() -> new IllegalStateException("no coordinator has said the settings yet"));
        ClusterTime time = now.leases.onOrdered(orderedMillis);
        if (kind == LEASE) {
            byte[] answer = now.leases.handle(reader, orderedMillis, random);
            now.tablets.onTime(time);
            return answer;
        }
        byte[] answer =
                switch (kind) {
                    case BEAT, BEGIN, BEGIN_WITH_STORE -> beat(kind, reader, now, time);
                    case RECOVERED -> recovered(reader, now.tablets);
                    case MAP -> map(now.tablets);
                    default -> throw reader.malformed("kind", kind);
                };
        reader.end();
        return answer;
    }

    /** The first settings count; the answer holds them. */
    private byte[] configure(KvSettings settings) {
        if (cluster.isEmpty()) {
            cluster = Optional.of(Cluster.of(settings));
        }
        WireWriter writer = new WireWriter(32);
        cluster.get().settings.write(writer);
        return writer.toBytes();
    }

    private static byte[] beat(int kind, WireReader reader, Cluster cluster, ClusterTime time) {
        boolean tellsStore = kind == BEGIN_WITH_STORE;
        Tablets.Server server = new Tablets.Server(
                reader.text("id", MAX_TEXT),
                reader.text("host", MAX_TEXT),
                (int) reader.varint("port", 1, 65_535),
                reader.text("directory", MAX_TEXT),
                tellsStore ? reader.text("store", MAX_TEXT) : Tablets.NO_STORE,
                0,
                false);
        String lost = tellsStore ? reader.text("lost store", MAX_TEXT) : Tablets.NO_STORE;
        Tablets tablets = cluster.tablets;
        if (kind == BEAT) {
            tablets.onBeat(server, time);
        } else {
            tablets.onBegin(server, lost, time);
        }
        tablets.onTime(time);
        WireWriter writer = new WireWriter(256);
        cluster.settings.write(writer);
        writer.u8(tablets.isDealt() ? 1 : 0);
        var owned = tablets.ownedBy(server.id());
        writer.varint(owned.size());
        owned.forEach(range -> CoordinatorClient.write(writer, range));
        var inherited = tablets.inheritedBy(server.id());
        writer.varint(inherited.size());
        inherited.forEach(number -> {
            Tablets.Tablet tablet = tablets.tablets().get(number);
            writer.varint(number);
            writer.varint(tablet.epoch());
            CoordinatorClient.write(writer, tablet.range());
            Tablets.Server owner = tablets.server(tablet.owner()).orElseThrow();
            writer.text(owner.directory());
            writer.text(owner.store());
        });
        return writer.toBytes();
    }

    private static byte[] recovered(WireReader reader, Tablets tablets) {
        String id = reader.text("id", MAX_TEXT);
        int count = (int) reader.varint("tablets", 1, tablets.tablets().size());
        Map<Integer, Long> claims = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            int number = (int) reader.varint("tablet", 0, tablets.tablets().size() - 1L);
            claims.put(number, reader.varint("epoch", 0, Long.MAX_VALUE));
        }
        return new byte[] {(byte) (tablets.onRecovered(id, claims) ? 1 : 0)};
    }

    private static byte[] map(Tablets tablets) {
        WireWriter writer = new WireWriter(64 * tablets.tablets().size());
        writer.varint(tablets.version());
        writer.varint(tablets.isDealt() ? tablets.tablets().size() : 0);
        if (tablets.isDealt()) {
            tablets.tablets().forEach(tablet -> {
                CoordinatorClient.write(writer, tablet.range());
                Tablets.Server owner = tablets.server(tablet.owner()).orElseThrow();
                writer.text(owner.host());
                writer.varint(owner.port());
            });
        }
        return writer.toBytes();
    }

    @Override
    public byte[] take() {
        WireWriter writer = new WireWriter(1_024);
        writer.u8(SNAPSHOT_VERSION);
        writer.u8(cluster.isPresent() ? 1 : 0);
        cluster.ifPresent(each -> {
            each.settings.write(writer);
            each.leases.write(writer);
            each.tablets.write(writer);
        });
        return writer.toBytes();
    }

    @Override
    public void restore(byte[] state) {
        WireReader reader = new WireReader("coordinator snapshot", state);
        int version = reader.u8("version");
        if (version != SNAPSHOT_VERSION && version != FIRST_SNAPSHOT_VERSION) {
            throw reader.malformed("version", version);
        }
        cluster = Optional.empty();
        if (reader.flag("configured")) {
            Cluster read = Cluster.of(KvSettings.read(reader));
            read.leases.read(reader);
            read.tablets.read(reader, version != FIRST_SNAPSHOT_VERSION);
            cluster = Optional.of(read);
        }
        reader.end();
    }
}
