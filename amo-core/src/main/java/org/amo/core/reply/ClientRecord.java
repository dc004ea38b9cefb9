package org.amo.core.reply;

import java.util.Arrays;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;
import org.amo.core.sack.FinishedNumbers;

/**
 * The state that a replica keeps of one own client (docs/explanation/safety.md, client record). All its fields are replicated state,
 * except whether an entry has its reply yet.
 *
 * <p>An acknowledgement frees the reply and never the id. Each number that it names is resolved, whether it was live,
 * completed here or never seen, and resolved numbers are kept until {@code upper} covers them.
 */
public final class ClientRecord {
    /** The budget charge of a resolved range: a little more than its room in memory. */
    public static final int RANGE_BYTES = 32;

    private final ClientId client;
    private final Principal principal;
    private final ReplyStore store;
    private ResolvedNumbers resolved = new ResolvedNumbers();
    private LiveWindow live = new LiveWindow();
    private long highestTimestampMillis;
    private long lastHeardMillis;
    private long wakeAtMillis = Long.MAX_VALUE;
    private long chargedBytes;
    private long replyBytes;
    private long accountedBytes;

    /** One that keeps replies on the heap. */
    public ClientRecord(ClientId client, Principal principal) {
        this(client, principal, ReplyStore.heap());
    }

    ClientRecord(ClientId client, Principal principal, ReplyStore store) {
        this.client = client;
        this.principal = principal;
        this.store = store;
    }

    /** One that has neither live entries nor ranges, made again from its row in {@link ClientRecords}. */
    static ClientRecord idle(
            ClientId client,
            Principal principal,
            ReplyStore store,
            long floor,
            long highestTimestampMillis,
            long lastHeardMillis,
            long wakeAtMillis) {
        ClientRecord record = new ClientRecord(client, principal, store);
        record.resolved = ResolvedNumbers.upTo(floor);
        record.highestTimestampMillis = highestTimestampMillis;
        record.lastHeardMillis = lastHeardMillis;
        record.wakeAtMillis = wakeAtMillis;
        return record;
    }

    public ClientId client() {
        return client;
    }

    /** Of the request that made the record: the record is charged to its shares. */
    public Principal principal() {
        return principal;
    }

    public boolean isResolved(long number) {
        return resolved.contains(number);
    }

    public Optional<LiveEntry> live(long number) {
        return live.find(number).map(entry -> onHeap(number, entry));
    }

    public int liveCount() {
        return live.live();
    }

    public int rangeCount() {
        return resolved.rangeCount();
    }

    /** Every number up to it is resolved. */
    public long floor() {
        return resolved.floor();
    }

    /** Nothing but its floor and three times has to be remembered. */
    boolean isIdle() {
        return live.live() == 0 && resolved.rangeCount() == 0;
    }

    long highestTimestampMillis() {
        return highestTimestampMillis;
    }

    long lastHeardMillis() {
        return lastHeardMillis;
    }

    /** Bytes of the replies kept here. */
    public long replyBytes() {
        return replyBytes;
    }

    /** The budget charge of its live entries and resolved ranges. */
    public long chargedBytes() {
        return chargedBytes + (long) RANGE_BYTES * resolved.rangeCount();
    }

    /** How much more it takes now than when this was last asked. */
    long newlyCharged() {
        long before = accountedBytes;
        accountedBytes = chargedBytes();
        return accountedBytes - before;
    }

    public void heard(long orderedTimeMillis) {
        lastHeardMillis = orderedTimeMillis;
    }

    public void accept(long number, LiveEntry entry) {
        live.put(number, entry);
        chargedBytes += entry.charge();
        highestTimestampMillis = Math.max(highestTimestampMillis, entry.timestampMillis());
    }

    /** A request that needs no reply: resolved as soon as it is accepted. */
    public void acceptOneway(long number, long timestampMillis) {
        resolved.add(number, number, timestampMillis);
        highestTimestampMillis = Math.max(highestTimestampMillis, timestampMillis);
    }

    /** The execution of a live number, which has no reply yet, has ended. */
    public void complete(long number, byte[] reply) {
        live.complete(number, store.put(client, number, reply) ? LiveEntry.IN_STORE : reply);
        replyBytes += reply.length;
    }

    /** Whether one of these numbers is live. */
    public boolean hasLive(long first, long last) {
        return live.hasBetween(first, last);
    }

    /** Whether one of these numbers is live. */
    public boolean hasLive(FinishedNumbers numbers) {
        if (numbers.floor() > floor() && hasLive(floor() + 1, numbers.floor())) {
            return true;
        }
        for (int i = 0; i < numbers.rangeCount(); i++) {
            if (hasLive(numbers.rangeFirst(i), numbers.rangeLast(i))) {
                return true;
            }
        }
        return false;
    }

    public boolean areResolved(long first, long last) {
        return resolved.containsAll(first, last);
    }

    /** The part of these numbers that is not resolved here yet: their floor, and the ranges that hold something new. */
    public FinishedNumbers unresolved(FinishedNumbers numbers) {
        long[] bounds = new long[2 * numbers.rangeCount()];
        int size = 0;
        for (int i = 0; i < numbers.rangeCount(); i++) {
            if (!areResolved(numbers.rangeFirst(i), numbers.rangeLast(i))) {
                bounds[size++] = numbers.rangeFirst(i);
                bounds[size++] = numbers.rangeLast(i);
            }
        }
        return size == 0 && numbers.floor() <= floor()
                ? FinishedNumbers.NONE
                : FinishedNumbers.of(numbers.floor(), Arrays.copyOf(bounds, size));
    }

    /** Is told of entries that were freed. */
    @FunctionalInterface
    public interface Freed {
        void onFreed(long number, long timestampMillis);
    }

    /**
     * Frees the live entries from first to last and resolves these numbers, also those that were never seen.
     *
     * @param unseenBoundMillis the largest timestamp that a number never seen may carry
     * @return how many entries were freed
     */
    public int resolve(long first, long last, long unseenBoundMillis) {
        long[] bound = {Long.MIN_VALUE};
        int freed = free(first, last, (number, timestamp) -> bound[0] = Math.max(bound[0], timestamp));
        if (freed < last - first + 1) {
            bound[0] = Math.max(bound[0], unseenBoundMillis);
            highestTimestampMillis = Math.max(highestTimestampMillis, unseenBoundMillis);
        }
        resolved.add(first, last, bound[0]);
        return freed;
    }

    /** Frees the live entries from first to last, and leaves their numbers as they are. Returns how many. */
    public int free(long first, long last, Freed each) {
        int[] freed = {0};
        live.removeRange(first, last, (number, entry) -> {
            freed[0]++;
            release(number, entry);
            each.onFreed(number, entry.timestampMillis());
        });
        return freed[0];
    }

    /** Frees the expired entries, and leaves their numbers as they are. Returns how many. */
    public int expire(long orderedTimeMillis, Freed each) {
        int[] expired = {0};
        live.removeExpired(orderedTimeMillis, (number, entry) -> {
            expired[0]++;
            release(number, entry);
            each.onFreed(number, entry.timestampMillis());
        });
        return expired[0];
    }

    /** Resolves the number of an entry that was freed. */
    public void keepId(long number, long timestampMillis) {
        resolved.add(number, number, timestampMillis);
    }

    /** Forgets the resolved ranges that {@code upper} covers. */
    public void forgetUpTo(long upperMillis) {
        resolved.forgetUpTo(upperMillis);
    }

    /** Nothing in it is needed any more: {@code upper} refuses all that it would. */
    public boolean isForgettable(long upperMillis, long orderedTimeMillis, long retentionMillis) {
        return live.live() == 0
                && resolved.rangeCount() == 0
                && highestTimestampMillis <= upperMillis
                && lastHeardMillis + retentionMillis < orderedTimeMillis;
    }

    /**
     * The first ordered time at which something here expires or the record may go; early only while something
     * is live, when looking too early changes nothing.
     */
    public long nextWakeMillis(long upperMillis, long retentionMillis) {
        long expiry = live.earliestExpiry();
        if (expiry != Long.MAX_VALUE) {
            return expiry + 1;
        }
        long unheard = lastHeardMillis + retentionMillis + 1;
        return highestTimestampMillis <= upperMillis
                ? unheard
                : Math.max(unheard, highestTimestampMillis + retentionMillis);
    }

    /** Ends the charges of the record and returns them. */
    long release() {
        long before = accountedBytes;
        accountedBytes = 0;
        return before;
    }

    /** When the table will look at this record next; Long.MAX_VALUE when it is not scheduled. */
    public long wakeAtMillis() {
        return wakeAtMillis;
    }

    public void wakeAtMillis(long value) {
        wakeAtMillis = value;
    }

    /** Writes the record for a snapshot; execution must have ended up to the snapshot's position. */
    public void write(WireWriter writer) {
        writer.clientId(client);
        writer.i64(principal.hash());
        writer.i64(highestTimestampMillis);
        writer.i64(lastHeardMillis);
        writer.i64(wakeAtMillis);
        resolved.write(writer);
        writer.varint(live.live());
        live.forEach((number, entry) -> {
            writer.varint(number);
            LiveEntries.write(writer, onHeap(number, entry));
        });
    }

    public static ClientRecord read(WireReader reader) {
        ClientRecord record = new ClientRecord(reader.clientId("client"), new Principal(reader.i64("principal")));
        record.highestTimestampMillis = reader.i64("highestTimestamp");
        record.lastHeardMillis = reader.i64("lastHeard");
        record.wakeAtMillis = reader.i64("wakeAt");
        record.resolved = ResolvedNumbers.read(reader);
        long count = reader.varint("live", 0, reader.remaining());
        long number = 0;
        for (long i = 0; i < count; i++) {
            number = reader.varint("number", number + 1, Long.MAX_VALUE - 1);
            LiveEntry entry = LiveEntries.read(reader);
            try {
                record.live.put(number, entry);
            } catch (IllegalArgumentException e) {
                throw reader.malformed("expiresAt", entry.expiresAtMillis());
            }
            record.chargedBytes += entry.charge();
            record.replyBytes += entry.replyBytes();
        }
        return record;
    }

    /** As it is now, with all replies on the heap; those that are there already are shared. */
    public ClientRecord copy() {
        return copyTo(ReplyStore.heap());
    }

    /** As it is now, with its replies where the store keeps them. */
    ClientRecord copyTo(ReplyStore other) {
        ClientRecord copy = new ClientRecord(client, principal, other);
        copy.resolved = resolved.copy();
        copy.live = live.copy();
        live.forEach((number, entry) -> {
            if (entry.reply().isPresent()) {
                byte[] reply = entry.isInStore()
                        ? store.get(client, number)
                        : entry.reply().get();
                copy.live.complete(number, other.put(client, number, reply) ? LiveEntry.IN_STORE : reply);
            }
        });
        copy.highestTimestampMillis = highestTimestampMillis;
        copy.lastHeardMillis = lastHeardMillis;
        copy.wakeAtMillis = wakeAtMillis;
        copy.chargedBytes = chargedBytes;
        copy.replyBytes = replyBytes;
        copy.accountedBytes = accountedBytes;
        return copy;
    }

    private LiveEntry onHeap(long number, LiveEntry entry) {
        return entry.isInStore() ? entry.completed(store.get(client, number)) : entry;
    }

    private void release(long number, LiveEntry entry) {
        chargedBytes -= entry.charge();
        if (entry.isInStore()) {
            replyBytes -= store.remove(client, number);
        } else {
            replyBytes -= entry.replyBytes();
            store.forgotten(entry.replyBytes());
        }
    }
}
