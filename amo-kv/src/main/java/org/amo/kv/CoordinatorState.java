package org.amo.kv;

import java.util.ArrayList;
import java.util.List;
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

    /** As coordinators sent it before there were backups; an older log may have it. */
    static final int FIRST_CONFIGURE = 1;

    static final int BEAT = 2;
    static final int RECOVERED = 3;
    static final int MAP = 4;

    /** As servers sent it before stores had ids; an older log may have it. */
    static final int BEGIN = 5;

    static final int BEGIN_WITH_STORE = 6;
    static final int CONFIGURE = 7;

    /** A beat that names its process. */
    static final int BEAT_OF_PROCESS = 8;

    static final int NEW_EPOCH = 9;
    static final int COMPLETE = 10;
    static final int BACKUP_BEAT = 11;
    static final int BACKUPS = 12;
    static final int LOGS = 13;
    static final int MOVE = 14;
    static final int HANDED_OVER = 15;

    static final int MAX_TEXT = 4_096;

    private static final int SNAPSHOT_VERSION = 3;

    /** Without backups and moves. */
    private static final int SECOND_SNAPSHOT_VERSION = 2;

    /** Without the ids of stores. */
    private static final int FIRST_SNAPSHOT_VERSION = 1;

    /** Empty until the first coordinator of the first start has given the cluster's settings. */
    private Optional<Cluster> cluster = Optional.empty();

    private record Cluster(KvSettings settings, LeaseService leases, Tablets tablets, BackupTable backups) {
        static Cluster of(KvSettings settings) {
            return new Cluster(
                    settings,
                    new LeaseService(settings.termMillis(), settings.maxLeases()),
                    new Tablets(settings.tablets(), settings.servers(), settings.deadAfterMillis()),
                    new BackupTable());
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
        if (kind == FIRST_CONFIGURE) {
            return configure(KvSettings.readFirst(reader));
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
                    case BEAT, BEGIN, BEGIN_WITH_STORE, BEAT_OF_PROCESS -> beat(kind, reader, now, time);
                    case NEW_EPOCH -> newEpoch(reader, now);
                    case COMPLETE -> complete(reader, now);
                    case BACKUP_BEAT -> backupBeat(reader, now, time);
                    case BACKUPS -> backups(now, time);
                    case LOGS -> logs(now);
                    case MOVE -> move(reader, now.tablets);
                    case HANDED_OVER -> handedOver(reader, now.tablets);
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
        return answer(cluster.get().settings);
    }

    private static byte[] answer(KvSettings settings) {
        WireWriter writer = new WireWriter(32);
        settings.write(writer);
        return writer.toBytes();
    }

    private static byte[] beat(int kind, WireReader reader, Cluster cluster, ClusterTime time) {
        boolean tellsStore = kind == BEGIN_WITH_STORE;
        KnownServer server = new KnownServer(
                reader.text("id", MAX_TEXT),
                reader.text("host", MAX_TEXT),
                (int) reader.varint("port", 1, 65_535),
                reader.text("directory", MAX_TEXT),
                tellsStore ? reader.text("store", MAX_TEXT) : Tablets.NO_STORE,
                0,
                false);
        String lost = tellsStore ? reader.text("lost store", MAX_TEXT) : Tablets.NO_STORE;
        Tablets tablets = cluster.tablets;
        switch (kind) {
            case BEAT -> tablets.onBeat(server, time);
            case BEAT_OF_PROCESS -> {
                cluster.backups.check(server.id(), reader.i64("process"));
                tablets.onBeat(server, time);
            }
            default -> tablets.onBegin(server, lost, cluster.settings.backups() > 0, time);
        }
        tablets.onTime(time);
        return orders(server.id(), cluster).encode();
    }

    private static Orders orders(String server, Cluster cluster) {
        Tablets tablets = cluster.tablets;
        List<Orders.Inheritance> inherited = tablets.inheritedBy(server).stream()
                .map(number -> inheritance(number, tablets))
                .toList();
        List<Orders.HandOver> handOvers = tablets.movedFrom(server).stream()
                .map(number -> handOver(number, tablets.tablets().get(number)))
                .toList();
        return new Orders(cluster.settings, tablets.isDealt(), tablets.ownedBy(server), inherited, handOvers);
    }

    private static Orders.Inheritance inheritance(int number, Tablets tablets) {
        Tablet tablet = tablets.tablets().get(number);
        KnownServer owner = tablets.server(tablet.owner()).orElseThrow();
        return new Orders.Inheritance(
                number,
                tablet.epoch(),
                tablet.range(),
                tablet.moves() ? tablet.copy() : owner.directory(),
                Optional.of(owner.store()).filter(store -> !store.equals(Tablets.NO_STORE)));
    }

    private static Orders.HandOver handOver(int number, Tablet tablet) {
        return new Orders.HandOver(number, tablet.epoch(), tablet.range(), tablet.isReadable());
    }

    private static byte[] move(WireReader reader, Tablets tablets) {
        int number = (int) reader.varint("tablet", 0, tablets.tablets().size() - 1L);
        return flag(tablets.onMove(number, reader.text("to", MAX_TEXT)));
    }

    private static byte[] handedOver(WireReader reader, Tablets tablets) {
        String id = reader.text("id", MAX_TEXT);
        int number = (int) reader.varint("tablet", 0, tablets.tablets().size() - 1L);
        long epoch = reader.varint("epoch", 0, Long.MAX_VALUE);
        return flag(tablets.onHandedOver(id, number, epoch, reader.text("copy", MAX_TEXT)));
    }

    private static byte[] flag(boolean value) {
        return new byte[] {(byte) (value ? 1 : 0)};
    }

    private static byte[] newEpoch(WireReader reader, Cluster cluster) {
        String id = reader.text("id", BackupTable.MAX_TEXT);
        String store = reader.text("store", MAX_TEXT);
        long process = reader.i64("process");
        BackupTable.ServerLog log = cluster.backups.newEpoch(id, process, reader.flag("first"));
        String known = cluster.tablets.server(id).map(KnownServer::store).orElse(Tablets.NO_STORE);
        WireWriter writer = new WireWriter(64);
        writer.varint(log.epoch());
        writer.u8(known.equals(store) || log.logEpoch() == 0 ? 1 : 0);
        writer.varint(log.logEpoch());
        BackupTable.write(writer, log.holders());
        return writer.toBytes();
    }

    private static byte[] complete(WireReader reader, Cluster cluster) {
        String id = reader.text("id", BackupTable.MAX_TEXT);
        String store = reader.text("store", MAX_TEXT);
        long epoch = reader.varint("epoch", 1, Long.MAX_VALUE);
        boolean isComplete = cluster.backups.onComplete(id, epoch, BackupTable.readHolders(reader));
        if (isComplete) {
            cluster.tablets.onRestored(id, store);
        }
        return flag(isComplete);
    }

    private static byte[] backupBeat(WireReader reader, Cluster cluster, ClusterTime time) {
        cluster.backups.onBeat(
                reader.text("id", BackupTable.MAX_TEXT),
                reader.text("host", BackupTable.MAX_TEXT),
                (int) reader.varint("port", 1, 65_535),
                time);
        return answer(cluster.settings);
    }

    private static byte[] backups(Cluster cluster, ClusterTime time) {
        List<BackupPlace> places = new ArrayList<>();
        cluster.backups.backups().forEach(each -> {
            boolean isLive = time.millis() - each.heardMillis() <= cluster.settings.deadAfterMillis();
            places.add(new BackupPlace(each.id(), each.host(), each.port(), isLive));
        });
        return BackupPlace.encode(places);
    }

    private static byte[] logs(Cluster cluster) {
        WireWriter writer = new WireWriter(256);
        cluster.backups.logs().forEach((server, log) -> {
            writer.text(server);
            writer.varint(log.logEpoch());
            BackupTable.write(writer, log.holders());
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
        return flag(tablets.onRecovered(id, claims));
    }

    private static byte[] map(Tablets tablets) {
        List<TabletMap.Place> places = new ArrayList<>();
        if (tablets.isDealt()) {
            tablets.tablets().forEach(tablet -> {
                KnownServer owner = tablets.server(tablet.owner()).orElseThrow();
                places.add(new TabletMap.Place(tablet.range(), owner.host(), owner.port()));
            });
        }
        return new TabletMap(tablets.version(), places).encode();
    }

    @Override
    public byte[] take() {
        WireWriter writer = new WireWriter(1_024);
        writer.u8(SNAPSHOT_VERSION);
        writer.u8(cluster.isPresent() ? 1 : 0);
        cluster.ifPresent(each -> {
            each.settings.writeFirst(writer);
            each.leases.write(writer);
            each.tablets.write(writer);
            writer.varint(each.settings.backups());
            each.backups.write(writer);
        });
        return writer.toBytes();
    }

    @Override
    public void restore(byte[] state) {
        WireReader reader = new WireReader("coordinator snapshot", state);
        int version = reader.u8("version");
        if (version < FIRST_SNAPSHOT_VERSION || version > SNAPSHOT_VERSION) {
            throw reader.malformed("version", version);
        }
        cluster = Optional.empty();
        if (reader.flag("configured")) {
            Cluster read = Cluster.of(KvSettings.readFirst(reader));
            read.leases.read(reader);
            read.tablets.read(reader, version != FIRST_SNAPSHOT_VERSION, version > SECOND_SNAPSHOT_VERSION);
            KvSettings settings = read.settings;
            if (version > SECOND_SNAPSHOT_VERSION) {
                settings = settings.withBackups(KvSettings.readBackups(reader));
                read.backups.read(reader);
            }
            cluster = Optional.of(new Cluster(settings, read.leases, read.tablets, read.backups));
        }
        reader.end();
    }
}
