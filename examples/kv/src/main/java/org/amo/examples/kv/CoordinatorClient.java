package org.amo.examples.kv;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.Authority;
import org.amo.linearizable.rocksdb.BackupGroup;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.replication.lease.LeaseClient;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoNotExecutedException;

/** Asks the coordinator's group. Futures fail when no majority of it answers in time. Any thread may use it. */
final class CoordinatorClient implements Authority, AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private final AmoClient client;
    private final LeaseClient leases;

    /** The coordinator's reply to a server's heartbeat. */
    record Orders(
            KvSettings settings,
            boolean dealt,
            List<KeyRange> owned,
            List<Inheritance> inherited,
            List<HandOver> handOvers) {}

    /**
     * A tablet of the server that moves to another one.
     *
     * @param done whether the coordinator knows its copy already
     */
    record HandOver(int number, long epoch, KeyRange range, boolean done) {}

    /**
     * A tablet of a dead server.
     *
     * @param store id of the store that has its calls; empty if the coordinator does not know it
     */
    record Inheritance(int number, long epoch, KeyRange range, String directory, Optional<String> store) {}

    /** Where a range is served. */
    record Place(KeyRange range, String host, int port) {}

    /** A backup's address, and whether it was heard of lately. */
    record BackupPlace(String id, String host, int port, boolean live) {}

    /** @param places empty until the ranges are dealt */
    record Places(long version, List<Place> places) {}

    CoordinatorClient(KvAccess access) {
        AmoClient.Builder builder =
                AmoClient.builder(KvAccess.GROUP).members(access.coordinators()).deadline(DEADLINE);
        access.secret().ifPresentOrElse(builder::secret, builder::insecure);
        access.tls().ifPresent(builder::tls);
        client = builder.build();
        leases = new LeaseClient(
                request -> {
                    byte[] framed = new byte[request.length + 1];
                    framed[0] = CoordinatorState.LEASE;
                    System.arraycopy(request, 0, framed, 1, request.length);
                    return client.callAsync(framed);
                },
                question -> client.ask(question, LeaseClient.PATIENCE));
    }

    /** The reason if all coordinators refuse this process for its secret or certificate. */
    static Optional<String> refusal(Throwable failed) {
        Throwable why = failed instanceof CompletionException ? failed.getCause() : failed;
        return why instanceof AmoNotExecutedException refused && refused.refusesClient()
                ? Optional.ofNullable(refused.getMessage())
                : Optional.empty();
    }

    LeaseClient leases() {
        return leases;
    }

    @Override
    public CompletableFuture<LeaseAnswer> check(LeaseId lease) {
        return leases.check(lease);
    }

    @Override
    public CompletableFuture<ClusterTime> time() {
        return leases.time();
    }

    /** The settings of the cluster: these if there were none before. */
    CompletableFuture<KvSettings> configure(KvSettings settings) {
        WireWriter writer = new WireWriter(32);
        writer.u8(CoordinatorState.CONFIGURE);
        settings.write(writer);
        return call(writer).thenApply(bytes -> KvSettings.read(new WireReader("settings", bytes)));
    }

    /** A heartbeat of a server whose process knows its ranges. */
    CompletableFuture<Orders> beat(String id, String host, int port, String directory, long process) {
        WireWriter writer = beatRequest(CoordinatorState.BEAT_OF_PROCESS, id, host, port, directory);
        writer.i64(process);
        return call(writer).thenApply(CoordinatorClient::orders);
    }

    /** A new epoch of a server's log; refused if another process has begun since this one's first epoch. */
    CompletableFuture<BackupGroup.Term> newEpoch(String id, String store, long process, boolean isFirst) {
        return call(newEpochRequest(id, store, process, isFirst)).thenApply(CoordinatorClient::term);
    }

    static WireWriter newEpochRequest(String id, String store, long process, boolean isFirst) {
        WireWriter writer = new WireWriter(64);
        writer.u8(CoordinatorState.NEW_EPOCH);
        writer.text("id", id, BackupTable.MAX_TEXT);
        writer.text("store", store, CoordinatorState.MAX_TEXT);
        writer.i64(process);
        writer.u8(isFirst ? 1 : 0);
        return writer;
    }

    static BackupGroup.Term term(byte[] bytes) {
        WireReader reader = new WireReader("term", bytes);
        long epoch = reader.varint("epoch", 1, Long.MAX_VALUE);
        boolean ownIsComplete = reader.flag("complete");
        long log = reader.varint("log", 0, epoch);
        BackupGroup.Term term = new BackupGroup.Term(epoch, ownIsComplete, log, BackupTable.readHolders(reader));
        reader.end();
        return term;
    }

    /** Whether the coordinators know now that those backups, and that store, have the log of the epoch. */
    CompletableFuture<Boolean> complete(String id, String store, long epoch, List<String> holders) {
        return call(completeRequest(id, store, epoch, holders))
                .thenApply(bytes -> new WireReader("complete", bytes).flag("complete"));
    }

    static WireWriter completeRequest(String id, String store, long epoch, List<String> holders) {
        WireWriter writer = new WireWriter(64);
        writer.u8(CoordinatorState.COMPLETE);
        writer.text("id", id, BackupTable.MAX_TEXT);
        writer.text("store", store, CoordinatorState.MAX_TEXT);
        writer.varint(epoch);
        BackupTable.write(writer, holders);
        return writer;
    }

    /** A heartbeat of a backup. */
    CompletableFuture<KvSettings> backupBeat(String id, String host, int port) {
        WireWriter writer = new WireWriter(64);
        writer.u8(CoordinatorState.BACKUP_BEAT);
        writer.text("id", id, BackupTable.MAX_TEXT);
        writer.text("host", host, BackupTable.MAX_TEXT);
        writer.varint(port);
        return call(writer).thenApply(bytes -> KvSettings.read(new WireReader("settings", bytes)));
    }

    /** All backups that were ever there. */
    CompletableFuture<List<BackupPlace>> backups() {
        WireWriter writer = new WireWriter(16);
        writer.u8(CoordinatorState.BACKUPS);
        return call(writer).thenApply(CoordinatorClient::backupPlaces);
    }

    /** The logs of all servers that have begun one. */
    CompletableFuture<List<KvLog>> logs() {
        WireWriter writer = new WireWriter(16);
        writer.u8(CoordinatorState.LOGS);
        return call(writer).thenApply(CoordinatorClient::logs);
    }

    static List<KvLog> logs(byte[] bytes) {
        WireReader reader = new WireReader("logs", bytes);
        List<KvLog> logs = new ArrayList<>();
        while (reader.remaining() > 0) {
            logs.add(new KvLog(
                    reader.text("server", BackupTable.MAX_TEXT),
                    reader.varint("epoch", 0, Long.MAX_VALUE),
                    BackupTable.readHolders(reader)));
        }
        return logs;
    }

    static List<BackupPlace> backupPlaces(byte[] bytes) {
        WireReader reader = new WireReader("backups", bytes);
        List<BackupPlace> places = new ArrayList<>();
        while (reader.remaining() > 0) {
            places.add(new BackupPlace(
                    reader.text("id", BackupTable.MAX_TEXT),
                    reader.text("host", BackupTable.MAX_TEXT),
                    (int) reader.varint("port", 1, 65_535),
                    reader.flag("live")));
        }
        return places;
    }

    /**
     * A heartbeat of a server whose process does not know its ranges yet.
     *
     * @param store id of the store that it has opened
     * @param lost id of the store whose calls are given up for it, if any
     */
    CompletableFuture<Orders> begin(
            String id, String host, int port, String directory, String store, Optional<String> lost) {
        return call(beginRequest(id, host, port, directory, store, lost)).thenApply(CoordinatorClient::orders);
    }

    static WireWriter beginRequest(
            String id, String host, int port, String directory, String store, Optional<String> lost) {
        WireWriter writer = beatRequest(CoordinatorState.BEGIN_WITH_STORE, id, host, port, directory);
        writer.text("store", store, CoordinatorState.MAX_TEXT);
        writer.text("lost store", lost.orElse(Tablets.NO_STORE), CoordinatorState.MAX_TEXT);
        return writer;
    }

    static WireWriter beatRequest(int kind, String id, String host, int port, String directory) {
        WireWriter writer = new WireWriter(128);
        writer.u8(kind);
        writer.text("id", id, CoordinatorState.MAX_TEXT);
        writer.text("host", host, CoordinatorState.MAX_TEXT);
        writer.varint(port);
        writer.text("directory", directory, CoordinatorState.MAX_TEXT);
        return writer;
    }

    static Orders orders(byte[] bytes) {
        WireReader reader = new WireReader("orders", bytes);
        KvSettings settings = KvSettings.read(reader);
        boolean dealt = reader.flag("dealt");
        List<KeyRange> owned = new ArrayList<>();
        for (long left = reader.varint("owned", 0, reader.remaining()); left > 0; left--) {
            owned.add(readRange(reader));
        }
        List<Inheritance> inherited = new ArrayList<>();
        for (long left = reader.varint("inherited", 0, reader.remaining()); left > 0; left--) {
            inherited.add(new Inheritance(
                    (int) reader.varint("number", 0, KvSettings.MAX_TABLETS),
                    reader.varint("epoch", 0, Long.MAX_VALUE),
                    readRange(reader),
                    reader.text("directory", CoordinatorState.MAX_TEXT),
                    Optional.of(reader.text("store", CoordinatorState.MAX_TEXT))
                            .filter(store -> !store.equals(Tablets.NO_STORE))));
        }
        List<HandOver> handOvers = new ArrayList<>();
        for (long left = reader.varint("hand-overs", 0, reader.remaining()); left > 0; left--) {
            handOvers.add(new HandOver(
                    (int) reader.varint("number", 0, KvSettings.MAX_TABLETS),
                    reader.varint("epoch", 0, Long.MAX_VALUE),
                    readRange(reader),
                    reader.flag("done")));
        }
        reader.end();
        return new Orders(settings, dealt, owned, inherited, handOvers);
    }

    /** Whether the server owns those tablets now. */
    CompletableFuture<Boolean> recovered(String id, Map<Integer, Long> claims) {
        WireWriter writer = new WireWriter(64);
        writer.u8(CoordinatorState.RECOVERED);
        writer.text("id", id, CoordinatorState.MAX_TEXT);
        writer.varint(claims.size());
        claims.forEach((number, epoch) -> {
            writer.varint(number);
            writer.varint(epoch);
        });
        return call(writer).thenApply(bytes -> new WireReader("recovered", bytes).flag("owner"));
    }

    /** Whether the tablet moves to that server now. */
    CompletableFuture<Boolean> move(int number, String to) {
        WireWriter writer = new WireWriter(64);
        writer.u8(CoordinatorState.MOVE);
        writer.varint(number);
        writer.text("to", to, CoordinatorState.MAX_TEXT);
        return call(writer).thenApply(bytes -> new WireReader("move", bytes).flag("moves"));
    }

    /** Whether the tablet still moves, and its heir reads that copy. */
    CompletableFuture<Boolean> handedOver(String id, int number, long epoch, String copy) {
        WireWriter writer = new WireWriter(64);
        writer.u8(CoordinatorState.HANDED_OVER);
        writer.text("id", id, CoordinatorState.MAX_TEXT);
        writer.varint(number);
        writer.varint(epoch);
        writer.text("copy", copy, CoordinatorState.MAX_TEXT);
        return call(writer).thenApply(bytes -> new WireReader("handed over", bytes).flag("moves"));
    }

    CompletableFuture<Places> map() {
        WireWriter writer = new WireWriter(16);
        writer.u8(CoordinatorState.MAP);
        return call(writer).thenApply(CoordinatorClient::places);
    }

    static Places places(byte[] bytes) {
        WireReader reader = new WireReader("map", bytes);
        long version = reader.varint("version", 0, Long.MAX_VALUE);
        List<Place> places = new ArrayList<>();
        for (long left = reader.varint("tablets", 0, reader.remaining()); left > 0; left--) {
            places.add(new Place(readRange(reader), reader.text("host", CoordinatorState.MAX_TEXT), (int)
                    reader.varint("port", 1, 65_535)));
        }
        reader.end();
        return new Places(version, places);
    }

    static void write(WireWriter writer, KeyRange range) {
        writer.i64(range.table());
        writer.i64(range.first());
        writer.i64(range.last());
    }

    private static KeyRange readRange(WireReader reader) {
        long table = reader.i64("table");
        long first = reader.i64("first");
        long last = reader.i64("last");
        if (Long.compareUnsigned(first, last) > 0) {
            throw reader.malformed("end of a range", last);
        }
        return new KeyRange(table, first, last);
    }

    private CompletableFuture<byte[]> call(WireWriter request) {
        CompletionStage<byte[]> stage = client.callAsync(request.toBytes());
        return stage.toCompletableFuture();
    }

    @Override
    public void close() {
        client.close();
    }
}
