package org.amo.core.replica;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.reply.ClientRecord;
import org.amo.core.reply.ClientRecords;
import org.amo.core.reply.ForeignRecord;
import org.amo.core.reply.ForeignRecords;
import org.amo.core.reply.LiveEntry;
import org.amo.core.reply.RecordMemory;
import org.amo.core.reply.RowPages;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;

/**
 * Decides on ordered requests by the one rule about forgetting (docs/explanation/safety.md): an id may be forgotten only by raising a
 * bound that from then on refuses it, for every sender. Friedman and Hadad, section 2, forget it at the SACK, which runs
 * late attempts twice.
 *
 * <p>Replicated state. Every method that changes it is called only for an ordered entry, in order, with values from that
 * entry: all replicas hold equal tables at equal positions. No decision asks a clock, whether an execution has ended here,
 * or how large a reply is. The only local fact held here is the reply of a live entry, which is there or not yet.
 *
 * <p>Invariants: (1) {@code upper} never falls. (2) A number that was accepted is live, or resolved, or its timestamp is at
 * most {@code upper}. (3) Nothing is evicted for lack of room: row 7 refuses instead.
 *
 * <p>Its part of the invariants of replication (docs/reference/coverage.md names the test that fails without each): The decision to
 * execute is made here, at delivery, by client id and number. The only clock that forgets or refuses is {@code orderedTime},
 * the running maximum of the stamps in the ordered stream. A request has one deadline, fixed at its first send, and it is
 * tested after {@code upper}; an id goes only when {@code upper} covers it. Nothing is evicted by size: a request that does
 * not fit is refused, from ordered facts. A decision asks nothing local.
 *
 * <p>One thread owns it.
 */
class DecisionTable {
    private static final int SNAPSHOT_VERSION = 2;

    private final TableCounters counters = new TableCounters();

    private final ClientRecords own;
    private final ForeignRecords foreign;
    private final RequestBudgets budgets;

    /** For records on this heap; local. */
    private final long mostRecordBytes;

    /** What a client without an entry takes of it. */
    private final int rowBytes;

    private Optional<GroupParameters> parameters = Optional.empty();

    /** The parameters as far as this heap has room for them, once they are known and asked for. They never change. */
    private Optional<GroupParameters> here = Optional.empty();

    private long orderedTimeMillis;
    private long upperMillis = Answer.NO_BOUND;
    private long foreignUpperMillis = Answer.NO_BOUND;
    private long ownEntries;
    private long foreignEntries;
    private long replyBytes;
    private long resolvedRanges;

    DecisionTable() {
        this(RecordMemory.heap(0));
    }

    DecisionTable(RecordMemory memory) {
        this.own = memory.newClientRecords();
        this.foreign = memory.newForeignRecords();
        this.budgets = new RequestBudgets(own, foreign);
        this.mostRecordBytes = memory.mostRecordBytes();
        this.rowBytes = memory.rows() == RowPages.HEAP ? ClientRecords.ROW_BYTES : 0;
    }

    /** A copy that only {@link #copyForSnapshot} makes. */
    private DecisionTable(DecisionTable from) {
        own = from.own.copy();
        foreign = from.foreign.copy();
        budgets = from.budgets.copy(own, foreign);
        mostRecordBytes = from.mostRecordBytes;
        rowBytes = from.rowBytes;
        parameters = from.parameters;
        orderedTimeMillis = from.orderedTimeMillis;
        upperMillis = from.upperMillis;
        foreignUpperMillis = from.foreignUpperMillis;
    }

    /** Whether the group's first entry has been delivered; before it nothing is decided. */
    boolean started() {
        return parameters.isPresent();
    }

    GroupParameters parameters() {
        return parameters.orElseThrow(() -> new IllegalStateException("the group has not started"));
    }

    long orderedTimeMillis() {
        return orderedTimeMillis;
    }

    long upperMillis() {
        return upperMillis;
    }

    TableCounters counters() {
        return counters;
    }

    long clients() {
        return (long) own.size() + foreign.size();
    }

    long entries() {
        return ownEntries + foreignEntries;
    }

    long replyBytes() {
        return replyBytes;
    }

    /** Those of the replies that are kept for the client of a request. */
    long replyBytes(Request request) {
        return request.id().space() == Space.FOREIGN
                ? foreign.find(request.id().client())
                        .map(ForeignRecord::replyBytes)
                        .orElse(0L)
                : ownRecord(request).map(ClientRecord::replyBytes).orElse(0L);
    }

    /** Ranges of resolved numbers above their clients' floors: the cost of numbers that are not forgotten. */
    long resolvedRanges() {
        return resolvedRanges;
    }

    /** The largest number of resolved ranges of any client. */
    int maxRanges() {
        return own.maxRanges();
    }

    /**
     * The group's first entry. Requests that ran in an older life of this group carried a timestamp of at most the first
     * stamp plus the skew, so {@code upper} begins there. Foreign clients cannot be told of it and are judged by orderedTime
     * - ρ alone.
     *
     * @return false when the group had started before: the entry changes nothing
     */
    boolean start(long stampMillis, GroupParameters values) {
        if (started()) {
            return false;
        }
        parameters = Optional.of(values);
        // One past the stamp, so that upper + 1, the first timestamp that row 4 accepts, is never TOO_EARLY.
        orderedTimeMillis = stampMillis + 1;
        upperMillis = firstUpper(stampMillis, values);
        foreignUpperMillis = stampMillis - values.retentionMillis();
        return true;
    }

    /** {@code upper} of a group that starts without its old state. */
    long firstUpper(long stampMillis, GroupParameters values) {
        return stampMillis + values.skewMillis();
    }

    /** An entry's stamp: raises orderedTime and the bounds, then forgets all that they cover. */
    void advance(long stampMillis) {
        orderedTimeMillis = Math.max(orderedTimeMillis, stampMillis);
        upperMillis = Math.max(upperMillis, orderedTimeMillis - parameters().retentionMillis());
        foreignUpperMillis =
                Math.max(foreignUpperMillis, orderedTimeMillis - parameters().retentionMillis());
        counters.advanced(orderedTimeMillis);
        expireDue();
    }

    /** Expires entries by the group's time. */
    void expireDue() {
        expireUntil(orderedTimeMillis);
    }

    /** A client's acknowledgements: these numbers become resolved, live or never seen, completed here or not. */
    void finished(ClientId client, FinishedNumbers numbers) {
        if (numbers.isEmpty()) {
            return;
        }
        own.find(client).ifPresent(record -> finished(record, numbers));
    }

    private void finished(ClientRecord record, FinishedNumbers numbers) {
        record.heard(orderedTimeMillis);
        resolvedRanges -= record.rangeCount();
        if (numbers.floor() > record.floor()) {
            resolve(record, record.floor() + 1, numbers.floor());
        }
        for (int i = 0; i < numbers.rangeCount(); i++) {
            long first = numbers.rangeFirst(i);
            long last = numbers.rangeLast(i);
            // A hostile set of ranges must not grow the record without bound; omitted ranges come again.
            if (!record.areResolved(first, last)
                    && (RequestBudgets.touchesResolved(record, first, last)
                            || budgets.hasRoomForRange(record, first, last, parameters()))) {
                resolve(record, first, last);
            }
        }
        record.forgetUpTo(upperMillis);
        resolvedRanges += record.rangeCount();
        keep(record);
    }

    /**
     * The part of a client's acknowledgements that an entry must carry that is ordered after all that was delivered here:
     * numbers that are resolved already would change nothing at any member.
     */
    FinishedNumbers news(ClientId client, FinishedNumbers numbers) {
        return own.find(client).map(record -> record.unresolved(numbers)).orElse(numbers);
    }

    /** Whether these acknowledgements would free an entry of their client. */
    boolean frees(ClientId client, FinishedNumbers numbers) {
        return !numbers.isEmpty()
                && own.find(client).filter(record -> record.hasLive(numbers)).isPresent();
    }

    /** An item with a request. Its acknowledgements count first, whether the request is refused or not. */
    Decision decide(Item item) {
        finished(item.client(), item.finished());
        return decide(item.request().orElseThrow(), item.principal());
    }

    /**
     * The table, first match decides. EXECUTE has changed the record; nothing else leaves a trace.
     *
     * @param principal charged if this makes the client's record
     */
    Decision decide(Request request, Principal principal) {
        Decision decision = judge(request, principal);
        if (decision == Decision.EXECUTE) {
            accept(request, principal);
        }
        counters.decided(decision);
        return decision;
    }

    /**
     * The decision on an attempt that is certain before it is ordered, to save the ordering: a live entry, or a refusal that
     * no later position can turn into an acceptance. Empty: it has to be ordered.
     */
    Optional<Decision> peek(Request request) {
        if (!started()) {
            return Optional.empty();
        }
        Optional<ClientRecord> record = ownRecord(request);
        Optional<LiveEntry> live = liveEntry(request.id(), record);
        if (live.isPresent()) {
            return Optional.of(live.get().fingerprint() == request.fingerprint() ? Decision.LIVE : Decision.ID_REUSED);
        }
        if (isResolved(request, record) || isBelowUpper(request, record.isPresent())) {
            return Optional.of(Decision.STALE);
        }
        // Not accepted up to here and late already: a later position can only refuse it.
        return orderedTimeMillis > request.deadlineMillis() ? Optional.of(Decision.EXPIRED) : Optional.empty();
    }

    /** The kept reply of a live number, if its execution has ended here. */
    Optional<byte[]> reply(RequestId id) {
        return liveEntry(id).flatMap(LiveEntry::reply);
    }

    /** The timestamp under which a live number was accepted; its attempts may say others. */
    Optional<Long> liveTimestampMillis(RequestId id) {
        return liveEntry(id).map(LiveEntry::timestampMillis);
    }

    /** An execution has ended; the reply is kept unless the number was resolved meanwhile. */
    void complete(Request request, byte[] reply) {
        RequestId id = request.id();
        // A foreign id may be in use for its next call while the first, forgotten, still runs.
        Optional<LiveEntry> live = liveEntry(id).filter(entry -> entry.timestampMillis() == request.timestampMillis());
        if (live.isEmpty()) {
            return;
        }
        replyBytes += reply.length;
        if (id.space() == Space.OWN) {
            ClientRecord record = ownRecord(id.client());
            record.complete(id.number(), reply);
            own.keep(record);
        } else {
            foreignRecord(id.client()).complete(id.number(), reply);
        }
        counters.sized(entries(), replyBytes);
    }

    /** The first ordered time at which something can expire; Long.MAX_VALUE when nothing can. */
    long nextWakeMillis() {
        return Math.min(own.nextWakeMillis(), foreign.nextWakeMillis());
    }

    /**
     * A copy of the present state, without counters and state that only later entries need: to be completed and written.
     * Copies about 60 bytes a client and 24 a live entry in arrays, and the replies that are not on the heap; the others are
     * shared.
     */
    DecisionTable copyForSnapshot() {
        return new DecisionTable(this);
    }

    void write(WireWriter writer) {
        writer.u8(SNAPSHOT_VERSION);
        writer.u8(started() ? 1 : 0);
        if (!started()) {
            return;
        }
        GroupParametersCodec.write(writer, parameters());
        writer.i64(orderedTimeMillis);
        writer.i64(upperMillis);
        writer.i64(foreignUpperMillis);
        writer.varint(own.size());
        own.forEach(record -> record.write(writer));
        writer.varint(foreign.size());
        foreign.forEach(record -> record.write(writer));
        budgets.write(writer, orderedTimeMillis);
    }

    /** Reads the fields that {@link #write} wrote into this table, which is empty. */
    void restore(WireReader reader) {
        reader.version(SNAPSHOT_VERSION);
        if (!reader.flag("started")) {
            return;
        }
        parameters = Optional.of(GroupParametersCodec.read(reader));
        orderedTimeMillis = reader.i64("orderedTime");
        upperMillis = reader.i64("upper");
        foreignUpperMillis = reader.i64("foreignUpper");
        Optional<ClientId> last = Optional.empty();
        for (long left = reader.varint("clients", 0, reader.remaining()); left > 0; left--) {
            ClientRecord record = ClientRecord.read(reader);
            last = Optional.of(RequestBudgets.after(last, record.client(), reader));
            own.add(record);
            ownEntries += record.liveCount();
            replyBytes += record.replyBytes();
            resolvedRanges += record.rangeCount();
        }
        last = Optional.empty();
        for (long left = reader.varint("foreign clients", 0, reader.remaining()); left > 0; left--) {
            ForeignRecord record = ForeignRecord.read(reader);
            last = Optional.of(RequestBudgets.after(last, record.client(), reader));
            foreign.add(record);
            foreignEntries += record.liveCount();
            replyBytes += record.replyBytes();
        }
        budgets.restore(reader, orderedTimeMillis);
    }

    private Decision judge(Request request, Principal principal) {
        Optional<ClientRecord> record = ownRecord(request);
        Optional<Decision> known = known(request, record);
        if (known.isPresent()) {
            return known.get();
        }
        // Row 4 stands before row 5: a request below upper may have run and been forgotten.
        if (isBelowUpper(request, record.isPresent())) {
            return Decision.STALE;
        }
        if (isExpired(request)) {
            return Decision.EXPIRED; // row 5
        }
        if (isTooEarly(request)) {
            return Decision.TOO_EARLY; // row 6
        }
        return shortage(request, record, principal)
                .map(Decision::overloaded) // row 7
                .orElse(Decision.EXECUTE); // row 8
    }

    /** Rows 1 to 3, for an id that is live or resolved. */
    Optional<Decision> known(Request request, Optional<ClientRecord> record) {
        Optional<LiveEntry> live = liveEntry(request.id(), record);
        if (live.isPresent()) {
            boolean reused = live.get().fingerprint() != request.fingerprint();
            return Optional.of(reused ? Decision.ID_REUSED : Decision.LIVE); // rows 1 and 2
        }
        return isResolved(request, record) ? Optional.of(Decision.STALE) : Optional.empty(); // row 3
    }

    final boolean isExpired(Request request) {
        return orderedTimeMillis > request.deadlineMillis();
    }

    private static boolean isResolved(Request request, Optional<ClientRecord> record) {
        return record.isPresent() && record.get().isResolved(request.id().number());
    }

    boolean isBelowUpper(Request request, boolean known) {
        if (request.id().space() == Space.FOREIGN) {
            return request.timestampMillis() <= foreignUpperMillis;
        }
        // Known clients too: their record may be a new one, made after the old was forgotten.
        return request.timestampMillis() <= upperMillis;
    }

    /** A foreign timestamp is derived from the expiration, so there only an expiration beyond L is too early. */
    private boolean isTooEarly(Request request) {
        return request.id().space() == Space.OWN
                ? request.timestampMillis() > orderedTimeMillis + parameters().skewMillis()
                : request.deadlineMillis() > orderedTimeMillis + parameters().lifeMillis();
    }

    /** Row 7 for a request that is not ordered yet: as things stand here, and nothing while the group has not started. */
    Optional<Budget> shortage(Request request, Principal principal) {
        return started() ? shortage(request, ownRecord(request), principal) : Optional.empty();
    }

    /**
     * Row 7 as this member's door sees it: the group's budgets as far as its heap has room, with the group's parts for principals and
     * clients. Local: no decision may ask it.
     */
    Optional<Budget> shortageAtDoor(Request request, Principal principal) {
        if (!isBeyondMemory(request, principal)) {
            // These budgets are no larger than those of the group.
            return Optional.empty();
        }
        return shortage(request, principal).or(() -> Optional.of(Budget.MEMBER_REPLIES));
    }

    /** Whether this heap has no room for the request; false while the group has not started. Local. */
    boolean isBeyondMemory(Request request, Principal principal) {
        if (!started()) {
            return false;
        }
        if (here.isEmpty()) {
            here = Optional.of(parameters().within(mostRecordBytes, rowBytes));
        }
        return budgets.shortage(request, ownRecord(request), principal, here.get(), orderedTimeMillis)
                .isPresent();
    }

    private Optional<Budget> shortage(Request request, Optional<ClientRecord> record, Principal sender) {
        return budgets.shortage(request, record, sender, parameters(), orderedTimeMillis);
    }

    void accept(Request request, Principal principal) {
        RequestId id = request.id();
        if (id.space() == Space.FOREIGN) {
            acceptForeign(request, principal);
            return;
        }
        ClientRecord record = own.findOrMake(id.client(), principal);
        budgets.countCall(id.client(), record.principal(), parameters(), orderedTimeMillis);
        record.heard(orderedTimeMillis);
        if (request.oneway()) {
            resolvedRanges -= record.rangeCount();
            record.acceptOneway(id.number(), request.timestampMillis());
            record.forgetUpTo(upperMillis);
            resolvedRanges += record.rangeCount();
        } else {
            LiveEntry entry = newEntry(request);
            record.accept(id.number(), entry);
            ownEntries++;
        }
        keep(record);
        counters.sized(entries(), replyBytes);
    }

    private void acceptForeign(Request request, Principal principal) {
        ForeignRecord record = foreign.findOrMake(request.id().client(), principal);
        budgets.countCall(request.id().client(), record.principal(), parameters(), orderedTimeMillis);
        LiveEntry entry = newEntry(request);
        record.accept(request.id().number(), entry);
        foreignEntries++;
        foreign.reschedule(record);
        counters.sized(entries(), replyBytes);
    }

    /** Lives until deadline + skew, and at most L after its acceptance. */
    private LiveEntry newEntry(Request request) {
        long expiresAt = Math.min(
                request.deadlineMillis() + parameters().skewMillis(),
                orderedTimeMillis + parameters().lifeMillis());
        counters.accepted(expiresAt);
        return new LiveEntry(
                request.timestampMillis(),
                expiresAt,
                request.fingerprint(),
                RequestBudgets.charge(request, parameters()));
    }

    private void resolve(ClientRecord record, long first, long last) {
        long bytes = record.replyBytes();
        int freed = acknowledge(
                record, first, last, orderedTimeMillis + parameters().skewMillis());
        ownEntries -= freed;
        replyBytes -= bytes - record.replyBytes();
        counters.purgedBySack(freed);
    }

    /** The client has acknowledged these numbers. Returns how many entries that frees. */
    int acknowledge(ClientRecord record, long first, long last, long unseenBoundMillis) {
        return record.resolve(first, last, unseenBoundMillis);
    }

    final void expireUntil(long nowMillis) {
        for (ClientId client : own.pollDue(nowMillis)) {
            expireOwn(ownRecord(client), nowMillis);
        }
        for (ForeignRecord record : foreign.pollDue(nowMillis)) {
            expireForeign(record, nowMillis);
        }
    }

    private void expireOwn(ClientRecord record, long nowMillis) {
        long bytes = record.replyBytes();
        resolvedRanges -= record.rangeCount();
        int expired = record.expire(nowMillis, (number, timestamp) -> expired(record, number, timestamp));
        ownEntries -= expired;
        replyBytes -= bytes - record.replyBytes();
        counters.purgedByTimeout(expired);
        record.forgetUpTo(upperMillis);
        resolvedRanges += record.rangeCount();
        if (record.isForgettable(upperMillis, nowMillis, parameters().retentionMillis())) {
            own.remove(record);
        } else {
            keep(record);
        }
    }

    /** The time of an entry is up: its number is resolved. */
    void expired(ClientRecord record, long number, long timestampMillis) {
        record.keepId(number, timestampMillis);
    }

    private void expireForeign(ForeignRecord record, long nowMillis) {
        long bytes = record.replyBytes();
        int expired = record.expire(nowMillis);
        foreignEntries -= expired;
        replyBytes -= bytes - record.replyBytes();
        counters.purgedByTimeout(expired);
        if (record.liveCount() == 0) {
            foreign.remove(record.client());
        } else {
            foreign.reschedule(record);
        }
    }

    /** After a change: the record is looked at when something in it can expire, and not later than was planned. */
    private void keep(ClientRecord record) {
        long wake = record.nextWakeMillis(upperMillis, parameters().retentionMillis());
        record.wakeAtMillis(Math.min(record.wakeAtMillis(), wake));
        own.keep(record);
    }

    /** The record of the client of an own request. */
    private Optional<ClientRecord> ownRecord(Request request) {
        return request.id().space() == Space.OWN ? own.find(request.id().client()) : Optional.empty();
    }

    final Optional<LiveEntry> liveEntry(RequestId id) {
        return liveEntry(id, id.space() == Space.OWN ? own.find(id.client()) : Optional.empty());
    }

    private Optional<LiveEntry> liveEntry(RequestId id, Optional<ClientRecord> ownRecord) {
        return id.space() == Space.OWN
                ? ownRecord.flatMap(record -> record.live(id.number()))
                : foreign.find(id.client()).flatMap(record -> record.live(id.number()));
    }

    private ClientRecord ownRecord(ClientId client) {
        return own.find(client).orElseThrow(IllegalStateException::new);
    }

    private ForeignRecord foreignRecord(ClientId client) {
        return foreign.find(client).orElseThrow(IllegalStateException::new);
    }
}
