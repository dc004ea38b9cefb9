package org.amo.kv;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.Authority;
import org.amo.linearizable.rocksdb.BackupGroup;
import org.amo.linearizable.rocksdb.StoreException;
import org.amo.replication.lease.LeaseClient;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoNotExecutedException;
import org.amo.replication.service.AmoServiceException;

/** Asks the coordinator's group. Futures fail when no majority of it answers in time. Any thread may use it. */
final class CoordinatorClient implements Authority, AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private final AmoClient client;
    private final LeaseClient leases;

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
        return cause(failed) instanceof AmoNotExecutedException refused && refused.refusesClient()
                ? Optional.ofNullable(refused.getMessage())
                : Optional.empty();
    }

    /** The coordinators' decision that this process may not go on, in their words. */
    static Optional<StoreException> rejection(Throwable failed) {
        return cause(failed) instanceof AmoServiceException refused
                        && refused.type().equals(IllegalArgumentException.class.getName())
                ? Optional.of(new StoreException(refused.serviceMessage(), refused))
                : Optional.empty();
    }

    private static Throwable cause(Throwable failed) {
        Throwable inner = failed.getCause();
        return failed instanceof CompletionException && inner != null ? inner : failed;
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
        WireWriter writer = request(CoordinatorState.CONFIGURE);
        settings.write(writer);
        return call(writer).thenApply(CoordinatorClient::settings);
    }

    /** A heartbeat of a server whose process knows its ranges. */
    CompletableFuture<Orders> beat(String id, String host, int port, String directory, long process) {
        WireWriter writer = beatRequest(CoordinatorState.BEAT_OF_PROCESS, id, host, port, directory);
        writer.i64(process);
        return call(writer).thenApply(Orders::decode);
    }

    /**
     * A heartbeat of a server whose process does not know its ranges yet.
     *
     * @param store id of the store that it has opened
     * @param lost id of the store whose calls are given up for it, if any
     */
    CompletableFuture<Orders> begin(
            String id, String host, int port, String directory, String store, Optional<String> lost) {
        return call(beginRequest(id, host, port, directory, store, lost)).thenApply(Orders::decode);
    }

    static WireWriter beginRequest(
            String id, String host, int port, String directory, String store, Optional<String> lost) {
        WireWriter writer = beatRequest(CoordinatorState.BEGIN_WITH_STORE, id, host, port, directory);
        writer.text("store", store, CoordinatorState.MAX_TEXT);
        writer.text("lost store", lost.orElse(Tablets.NO_STORE), CoordinatorState.MAX_TEXT);
        return writer;
    }

    static WireWriter beatRequest(int kind, String id, String host, int port, String directory) {
        WireWriter writer = request(kind);
        writer.text("id", id, CoordinatorState.MAX_TEXT);
        writer.text("host", host, CoordinatorState.MAX_TEXT);
        writer.varint(port);
        writer.text("directory", directory, CoordinatorState.MAX_TEXT);
        return writer;
    }

    /** A new epoch of a server's log; refused if another process has begun since this one's first epoch. */
    CompletableFuture<BackupGroup.Term> newEpoch(String id, String store, long process, boolean isFirst) {
        return call(newEpochRequest(id, store, process, isFirst)).thenApply(CoordinatorClient::term);
    }

    static WireWriter newEpochRequest(String id, String store, long process, boolean isFirst) {
        WireWriter writer = request(CoordinatorState.NEW_EPOCH);
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
        return callForFlag(completeRequest(id, store, epoch, holders));
    }

    static WireWriter completeRequest(String id, String store, long epoch, List<String> holders) {
        WireWriter writer = request(CoordinatorState.COMPLETE);
        writer.text("id", id, BackupTable.MAX_TEXT);
        writer.text("store", store, CoordinatorState.MAX_TEXT);
        writer.varint(epoch);
        BackupTable.write(writer, holders);
        return writer;
    }

    /** A heartbeat of a backup. */
    CompletableFuture<KvSettings> backupBeat(String id, String host, int port) {
        WireWriter writer = request(CoordinatorState.BACKUP_BEAT);
        writer.text("id", id, BackupTable.MAX_TEXT);
        writer.text("host", host, BackupTable.MAX_TEXT);
        writer.varint(port);
        return call(writer).thenApply(CoordinatorClient::settings);
    }

    /** All backups that were ever there. */
    CompletableFuture<List<BackupPlace>> backups() {
        return call(request(CoordinatorState.BACKUPS)).thenApply(BackupPlace::decode);
    }

    /** The logs of all servers that have begun one. */
    CompletableFuture<List<KvClient.Log>> logs() {
        return call(request(CoordinatorState.LOGS)).thenApply(CoordinatorClient::logs);
    }

    private static List<KvClient.Log> logs(byte[] bytes) {
        WireReader reader = new WireReader("logs", bytes);
        List<KvClient.Log> logs = new ArrayList<>();
        while (reader.remaining() > 0) {
            logs.add(new KvClient.Log(
                    reader.text("server", BackupTable.MAX_TEXT),
                    reader.varint("epoch", 0, Long.MAX_VALUE),
                    BackupTable.readHolders(reader)));
        }
        return logs;
    }

    /** Whether the server owns those tablets now. */
    CompletableFuture<Boolean> recovered(String id, Map<Integer, Long> claims) {
        WireWriter writer = request(CoordinatorState.RECOVERED);
        writer.text("id", id, CoordinatorState.MAX_TEXT);
        writer.varint(claims.size());
        claims.forEach((number, epoch) -> {
            writer.varint(number);
            writer.varint(epoch);
        });
        return callForFlag(writer);
    }

    /** Whether the tablet moves to that server now. */
    CompletableFuture<Boolean> move(int number, String to) {
        WireWriter writer = request(CoordinatorState.MOVE);
        writer.varint(number);
        writer.text("to", to, CoordinatorState.MAX_TEXT);
        return callForFlag(writer);
    }

    /** Whether the tablet still moves, and its heir reads that copy. */
    CompletableFuture<Boolean> handedOver(String id, int number, long epoch, String copy) {
        WireWriter writer = request(CoordinatorState.HANDED_OVER);
        writer.text("id", id, CoordinatorState.MAX_TEXT);
        writer.varint(number);
        writer.varint(epoch);
        writer.text("copy", copy, CoordinatorState.MAX_TEXT);
        return callForFlag(writer);
    }

    CompletableFuture<TabletMap> map() {
        return call(request(CoordinatorState.MAP)).thenApply(TabletMap::decode);
    }

    private static WireWriter request(int kind) {
        WireWriter writer = new WireWriter(64);
        writer.u8(kind);
        return writer;
    }

    private static KvSettings settings(byte[] bytes) {
        return KvSettings.read(new WireReader("settings", bytes));
    }

    private CompletableFuture<Boolean> callForFlag(WireWriter request) {
        return call(request).thenApply(bytes -> new WireReader("answer", bytes).flag("decision"));
    }

    private CompletableFuture<byte[]> call(WireWriter request) {
        return client.callAsync(request.toBytes()).toCompletableFuture();
    }

    @Override
    public void close() {
        client.close();
    }
}
