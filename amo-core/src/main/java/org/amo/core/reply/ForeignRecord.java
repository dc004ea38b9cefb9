package org.amo.core.reply;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;

/**
 * The state that a replica keeps of a client of another ORB that sends FT_REQUEST: live entries by retention id, which is
 * sparse and may wrap, so there is neither floor nor range. An entry goes after its expiration time, when the bound
 * orderedTime - ρ covers its timestamp (expiration - ρ).
 */
public final class ForeignRecord {
    private final ClientId client;
    private final Principal principal;
    private final ReplyStore store;
    private final Map<Long, LiveEntry> live = new HashMap<>();

    /** The retention ids of the live entries, by their expiration time: each call asks for the earliest. */
    private final TreeMap<Long, List<Long>> byExpiration = new TreeMap<>();

    private long replyBytes;
    private long wakeAtMillis = Long.MAX_VALUE;
    private long chargedBytes;
    private long accountedBytes;
    private int place = -1;

    /** One that keeps replies on the heap. */
    public ForeignRecord(ClientId client, Principal principal) {
        this(client, principal, ReplyStore.heap());
    }

    ForeignRecord(ClientId client, Principal principal, ReplyStore store) {
        this.client = client;
        this.principal = principal;
        this.store = store;
    }

    /** Of the request that made the record: the record is charged to its shares. */
    public Principal principal() {
        return principal;
    }

    public ClientId client() {
        return client;
    }

    public Optional<LiveEntry> live(long retentionId) {
        return Optional.ofNullable(live.get(retentionId)).map(entry -> onHeap(retentionId, entry));
    }

    public int liveCount() {
        return live.size();
    }

    public void accept(long retentionId, LiveEntry entry) {
        put(retentionId, entry);
        chargedBytes += entry.charge();
        replyBytes += entry.replyBytes();
    }

    private void put(long retentionId, LiveEntry entry) {
        live.put(retentionId, entry);
        byExpiration
                .computeIfAbsent(entry.expiresAtMillis(), time -> new ArrayList<>(1))
                .add(retentionId);
    }

    /** The execution of a live one has ended. */
    public void complete(long retentionId, byte[] reply) {
        live.computeIfPresent(retentionId, (id, entry) -> {
            releaseReply(id, entry);
            replyBytes += reply.length;
            return kept(id, entry.completed(reply));
        });
    }

    /** Removes the expired entries. Returns how many. */
    public int expire(long orderedTimeMillis) {
        int expired = 0;
        while (!byExpiration.isEmpty() && byExpiration.firstKey() < orderedTimeMillis) {
            for (long retentionId : byExpiration.pollFirstEntry().getValue()) {
                LiveEntry entry = live.get(retentionId);
                // Its id may have been used again, with a later time.
                if (entry != null && entry.expiresAtMillis() < orderedTimeMillis) {
                    live.remove(retentionId);
                    expired++;
                    chargedBytes -= entry.charge();
                    releaseReply(retentionId, entry);
                }
            }
        }
        return expired;
    }

    public long nextWakeMillis() {
        return byExpiration.isEmpty() ? Long.MAX_VALUE : Math.min(byExpiration.firstKey(), Long.MAX_VALUE - 1) + 1;
    }

    public long wakeAtMillis() {
        return wakeAtMillis;
    }

    public void wakeAtMillis(long value) {
        wakeAtMillis = value;
    }

    /** Bytes of the replies kept here. */
    public long replyBytes() {
        return replyBytes;
    }

    public void write(WireWriter writer) {
        writer.clientId(client);
        writer.i64(principal.hash());
        writer.i64(wakeAtMillis);
        writer.varint(live.size());
        List<Long> ids = new ArrayList<>(live.keySet());
        Collections.sort(ids);
        for (Long id : ids) {
            writer.varint(id);
            LiveEntries.write(writer, live(id).orElseThrow());
        }
    }

    public static ForeignRecord read(WireReader reader) {
        ForeignRecord record = new ForeignRecord(reader.clientId("client"), new Principal(reader.i64("principal")));
        record.wakeAtMillis = reader.i64("wakeAt");
        long count = reader.varint("live", 0, reader.remaining());
        long id = -1;
        for (long i = 0; i < count; i++) {
            id = reader.varint("retention id", id + 1, 0xFFFF_FFFFL);
            record.accept(id, LiveEntries.read(reader));
        }
        return record;
    }

    /** As it is now, with all replies on the heap; those that are there already are shared. */
    public ForeignRecord copy() {
        return copyTo(ReplyStore.heap());
    }

    /** As it is now, with its replies where the store keeps them. */
    ForeignRecord copyTo(ReplyStore other) {
        ForeignRecord copy = new ForeignRecord(client, principal, other);
        live.forEach((id, entry) -> copy.put(id, copy.kept(id, onHeap(id, entry))));
        copy.replyBytes = replyBytes;
        copy.chargedBytes = chargedBytes;
        copy.wakeAtMillis = wakeAtMillis;
        return copy;
    }

    /** The charge of its live entries to the foreign budget. */
    public long chargedBytes() {
        return chargedBytes;
    }

    /** How much more it takes now than when this was last asked. */
    long newlyCharged() {
        long before = accountedBytes;
        accountedBytes = chargedBytes;
        return accountedBytes - before;
    }

    /** Where its principal stands among the shares; negative while it is not charged. */
    int place() {
        return place;
    }

    void place(int value) {
        place = value;
    }

    /** The entry, its reply in the store if that takes it. */
    private LiveEntry kept(long retentionId, LiveEntry entry) {
        boolean taken = entry.reply()
                .filter(reply -> store.put(client, keyOf(retentionId), reply))
                .isPresent();
        return taken ? entry.completed(LiveEntry.IN_STORE) : entry;
    }

    private LiveEntry onHeap(long retentionId, LiveEntry entry) {
        return entry.isInStore() ? entry.completed(store.get(client, keyOf(retentionId))) : entry;
    }

    private void releaseReply(long retentionId, LiveEntry entry) {
        if (entry.isInStore()) {
            replyBytes -= store.remove(client, keyOf(retentionId));
        } else {
            replyBytes -= entry.replyBytes();
            store.forgotten(entry.replyBytes());
        }
    }

    /** In the store. Negative, since an own client may have the same id, and its numbers are positive. */
    private static long keyOf(long retentionId) {
        return ~retentionId;
    }
}
