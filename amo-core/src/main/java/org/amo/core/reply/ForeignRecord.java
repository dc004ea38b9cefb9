package org.amo.core.reply;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.reply.ForeignEntries.Entry;
import org.amo.core.request.Principal;

/**
 * The state that a replica keeps of a client of another ORB that sends FT_REQUEST: live entries by retention id, which is
 * sparse and may wrap, so there is neither floor nor range. An entry goes after its expiration time, when the bound
 * orderedTime - ρ covers its timestamp (expiration - ρ).
 */
public final class ForeignRecord {
    private final ClientId client;
    private final long principal;
    private final ReplyStore store;
    private final ForeignEntries live = new ForeignEntries();

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
        this.principal = principal.hash();
        this.store = store;
    }

    /** Of the request that made the record: the record is charged to its shares. */
    public Principal principal() {
        return new Principal(principal);
    }

    public ClientId client() {
        return client;
    }

    public Optional<LiveEntry> live(long retentionId) {
        return live.find(retentionId).map(entry -> onHeap(retentionId, entry));
    }

    public int liveCount() {
        return live.size();
    }

    /** @param retentionId that is not live */
    public void accept(long retentionId, LiveEntry entry) {
        live.add(new Entry(retentionId, entry));
        chargedBytes += entry.charge();
        replyBytes += entry.replyBytes();
    }

    /** The execution of a live one has ended. */
    public void complete(long retentionId, byte[] reply) {
        live.find(retentionId).ifPresent(entry -> {
            releaseReply(retentionId, entry);
            replyBytes += reply.length;
            live.replace(new Entry(retentionId, kept(retentionId, entry.completed(reply))));
        });
    }

    /** Removes the expired entries. Returns how many. */
    public int expire(long orderedTimeMillis) {
        int before = live.size();
        live.removeExpired(orderedTimeMillis, expired -> {
            chargedBytes -= expired.live().charge();
            releaseReply(expired.id(), expired.live());
        });
        return before - live.size();
    }

    public long nextWakeMillis() {
        long first = live.firstExpirationMillis();
        return first == Long.MAX_VALUE ? first : first + 1;
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
        writer.i64(principal);
        writer.i64(wakeAtMillis);
        writer.varint(live.size());
        for (Entry each : live.inOrder()) {
            writer.varint(each.id());
            LiveEntries.write(writer, onHeap(each.id(), each.live()));
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
        ForeignRecord copy = new ForeignRecord(client, principal(), other);
        live.forEach(each -> {
            LiveEntry kept = copy.kept(each.id(), onHeap(each.id(), each.live()));
            copy.live.add(kept == each.live() ? each : new Entry(each.id(), kept));
        });
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
