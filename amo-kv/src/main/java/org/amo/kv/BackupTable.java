package org.amo.kv;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;

/**
 * Keeps the backups, and for each server the epoch of its log, its present process, and the backups that have its last complete
 * log. A part of the coordinator's state machine. One thread owns it.
 */
final class BackupTable {
    static final int MAX_TEXT = 255;
    private static final int MAX_HOLDERS = 64;

    private final TreeMap<String, Backup> backups = new TreeMap<>();
    private final TreeMap<String, ServerLog> logs = new TreeMap<>();

    /** A backup as it last said, and when it did. */
    record Backup(String id, String host, int port, long heardMillis) {}

    /**
     * The log of a server.
     *
     * @param epoch the newest that was begun
     * @param process a random number of the process that began it
     * @param logEpoch of the last complete log; 0 if there was none
     * @param holders backups that have it
     */
    record ServerLog(long epoch, long process, long logEpoch, List<String> holders) {}

    void onBeat(String id, String host, int port, ClusterTime now) {
        backups.put(id, new Backup(id, host, port, now.millis()));
    }

    Iterable<Backup> backups() {
        return backups.values();
    }

    /** By server. */
    Map<String, ServerLog> logs() {
        return logs;
    }

    Optional<ServerLog> log(String server) {
        return Optional.ofNullable(logs.get(server));
    }

    /**
     * The first epoch of a process is granted. Later ones only to the process that began the last one.
     *
     * @throws IllegalArgumentException if another process has begun since
     */
    ServerLog newEpoch(String server, long process, boolean isFirst) {
        ServerLog log = log(server).orElse(new ServerLog(0, process, 0, List.of()));
        if (!isFirst) {
            check(server, process);
        }
        ServerLog next = new ServerLog(log.epoch() + 1, process, log.logEpoch(), log.holders());
        logs.put(server, next);
        return next;
    }

    /** @throws IllegalArgumentException if another process of the server has begun an epoch since this one */
    void check(String server, long process) {
        if (log(server).filter(log -> log.process() != process).isPresent()) {
            throw new IllegalArgumentException("another process of server " + server + " has begun since");
        }
    }

    /** @return false if a newer epoch was begun; then nothing changed */
    boolean onComplete(String server, long epoch, List<String> holders) {
        ServerLog log = logs.get(server);
        if (log == null || log.epoch() != epoch) {
            return false;
        }
        logs.put(server, new ServerLog(epoch, log.process(), epoch, List.copyOf(holders)));
        return true;
    }

    void write(WireWriter writer) {
        writer.varint(backups.size());
        backups.values().forEach(each -> {
            writer.text(each.id());
            writer.text(each.host());
            writer.varint(each.port());
            writer.varint(each.heardMillis());
        });
        writer.varint(logs.size());
        logs.forEach((server, log) -> {
            writer.text(server);
            writer.varint(log.epoch());
            writer.i64(log.process());
            writer.varint(log.logEpoch());
            write(writer, log.holders());
        });
    }

    void read(WireReader reader) {
        for (long left = reader.varint("backups", 0, reader.remaining()); left > 0; left--) {
            Backup backup = new Backup(
                    reader.text("id", MAX_TEXT),
                    reader.text("host", MAX_TEXT),
                    (int) reader.varint("port", 0, 65_535),
                    reader.varint("heard", 0, ClusterTime.MAX_MILLIS));
            backups.put(backup.id(), backup);
        }
        for (long left = reader.varint("logs", 0, reader.remaining()); left > 0; left--) {
            String server = reader.text("server", MAX_TEXT);
            long epoch = reader.varint("epoch", 1, Long.MAX_VALUE);
            long process = reader.i64("process");
            logs.put(server, new ServerLog(epoch, process, reader.varint("log", 0, epoch), readHolders(reader)));
        }
    }

    static void write(WireWriter writer, List<String> holders) {
        writer.varint(holders.size());
        holders.forEach(each -> writer.text("holder", each, MAX_TEXT));
    }

    static List<String> readHolders(WireReader reader) {
        List<String> holders = new ArrayList<>();
        for (long left = reader.varint("holders", 0, MAX_HOLDERS); left > 0; left--) {
            holders.add(reader.text("holder", MAX_TEXT));
        }
        return holders;
    }
}
