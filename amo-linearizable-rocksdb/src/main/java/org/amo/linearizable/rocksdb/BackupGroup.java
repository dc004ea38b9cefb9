package org.amo.linearizable.rocksdb;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.amo.base.Experimental;

/**
 * The backups of a store, and the coordinator that says which of them are complete. The coordinator must be replicated, and the
 * connections authenticated: answers are believed.
 *
 * <p>An implementation belongs to one process of a server. Any thread asks. Futures that fail are asked again, except with a
 * {@link StoreException}, which ends the store. One that neither comes nor fails keeps the store waiting, so give each a time limit.
 */
@Experimental
public interface BackupGroup {
    /** How many backups have each write before its answer; 0 turns backups off. Asked once, after the store asked for its ranges. */
    int copies();

    /** Names the log of this server at the backups; at most 255 bytes, the same for all its processes. */
    String server();

    /**
     * Begins a new epoch of the server's log, higher than all before. The first one of a process is always granted; a later one fails
     * with a {@link StoreException} if another process of the server has begun an epoch since.
     *
     * @param store id of the store that this process has opened
     */
    CompletableFuture<Term> newEpoch(String store);

    /**
     * Notes that those backups, and this store, have the complete log of an epoch.
     *
     * @return false if a newer epoch has begun; then nothing was noted. Said again, it is true again
     */
    CompletableFuture<Boolean> complete(long epoch, String store, List<String> backups);

    /** Backups that run, and whose disk is not that of this server. */
    CompletableFuture<List<String>> live();

    /** Brings a request to a backup's {@link StoreBackup#handle}, and its answer back. A failed one may have arrived, or may yet. */
    CompletableFuture<byte[]> send(String backup, byte[] request);

    /**
     * The coordinator's answer to a new epoch.
     *
     * @param epoch the new one
     * @param ownIsComplete whether this process' store has all answered calls; else it must be restored from a holder
     * @param logEpoch of the last complete log; 0 if there was none yet
     * @param holders backups that have it
     */
    record Term(long epoch, boolean ownIsComplete, long logEpoch, List<String> holders) {}
}
