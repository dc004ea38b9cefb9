package org.amo.core.replica;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * The records and replies of a server that is alone: the decision table of a group, where the order of the requests is the order of
 * the calls of this object. The same rows decide, and the same bounds refuse an id that was forgotten (docs/explanation/safety.md).
 *
 * <p>The shell notes on disk each {@link #accept accepted} request, with the stamp of the moment, before the request is executed. After a
 * crash it repeats these calls on a new ledger, or on one {@link #restore restored} from an earlier state. A live request without a reply
 * may then have run, and no attempt of it is executed again.
 *
 * <p>The shell also keeps {@link #orderedTimeMillis} from falling over a crash: an EXPIRED request must not be accepted later.
 *
 * <p>{@code nowMillis} is a monotonic clock, {@code wallMillis} the wall clock. One thread at a time may use it.
 */
public final class ServerLedger {
    private static final String SELF = "self";

    private final DecisionTable table;
    private final GroupClock clock;
    private final long mostReplyBytes;

    /** The decision on one attempt. */
    public enum Ruling {
        /** The request is accepted now, and runs once. */
        EXECUTE,
        /** An earlier attempt was accepted; {@link #reply} has its reply, if its execution has ended. */
        LIVE,
        /** This attempt does not run; {@link #refusal} tells the reason. */
        REFUSED
    }

    private Decision last = Decision.STALE;
    private boolean lastIsForRoom;

    /**
     * A new request is refused while more memory is used.
     *
     * @param mostReplyBytes of the kept replies; at least 1
     * @param mostRecordBytes of the records of clients, without their replies; at least 1
     */
    public ServerLedger(long mostReplyBytes, long mostRecordBytes) {
        this(
                new DecisionTable(RecordMemory.heap(0, mostReplyBytes, mostRecordBytes)),
                new GroupClock(1),
                mostReplyBytes);
    }

    private ServerLedger(DecisionTable table, GroupClock clock, long mostReplyBytes) {
        this.table = table;
        this.clock = clock;
        this.mostReplyBytes = mostReplyBytes;
    }

    /** Begins without an earlier state: requests stamped up to the time plus the skew are refused, since they may have run. */
    public void start(long wallMillis, GroupParameters parameters) {
        table.start(wallMillis, parameters);
    }

    /** The time has reached this: it never falls. Forgets all that its bounds cover. */
    public void advance(long stampMillis) {
        table.advance(stampMillis);
    }

    /** The same, by this machine's monotonic clock. */
    public void tick(long nowMillis) {
        clock.onDelivered(table.orderedTimeMillis(), nowMillis);
        table.advance(clock.stamp(nowMillis));
    }

    /** The wall clock, every second or so: the time follows it by at most 1/1000, so that a step expires nothing at once. */
    public void onWallClock(long wallMillis, long nowMillis) {
        clock.onWallClock(SELF, wallMillis, nowMillis);
    }

    /** Acknowledgements of a client: the numbers are resolved, and their replies go. */
    public void finished(ClientId client, FinishedNumbers numbers) {
        table.finished(client, numbers);
    }

    /** The part of the acknowledgements that changes something. */
    public FinishedNumbers news(ClientId client, FinishedNumbers numbers) {
        return table.news(client, numbers);
    }

    /** Decides on an attempt. EXECUTE has accepted the request; nothing else leaves a trace. */
    public Ruling decide(Request request, Principal principal) {
        lastIsForRoom = table.peek(request).isEmpty()
                && (table.replyBytes(request) > mostReplyBytes - table.replyBytes()
                        || table.isBeyondMemory(request, principal));
        if (lastIsForRoom) {
            return Ruling.REFUSED;
        }
        last = table.decide(request, principal);
        return switch (last) {
            case EXECUTE -> Ruling.EXECUTE;
            case LIVE -> Ruling.LIVE;
            default -> Ruling.REFUSED;
        };
    }

    /** The answer to the last attempt that was {@link Ruling#REFUSED}. */
    public Answer refusal() {
        if (lastIsForRoom) {
            return Answer.overloaded(Budget.MEMBER_REPLIES, orderedTimeMillis(), upperMillis());
        }
        return last.budget()
                .map(budget -> Answer.overloaded(budget, orderedTimeMillis(), upperMillis()))
                .orElseGet(() -> Answer.refused(last.refusal().orElseThrow(), orderedTimeMillis(), upperMillis()));
    }

    /** Repeats an acceptance that was noted before a crash, in the order of the notes. Nothing is decided anew. */
    public void accept(Request request, Principal principal) {
        table.accept(request, principal);
    }

    /** The execution has ended; the reply is kept unless the client has resolved the number meanwhile. */
    public void complete(Request request, byte[] reply) {
        table.complete(request, reply);
    }

    /** Whether a number is accepted, and neither resolved nor forgotten. */
    public boolean isLive(RequestId id) {
        return table.liveTimestampMillis(id).isPresent();
    }

    /** The kept reply of a live request. */
    public Optional<byte[]> reply(RequestId id) {
        return table.reply(id);
    }

    public long orderedTimeMillis() {
        return table.orderedTimeMillis();
    }

    /** Timestamps up to it are refused. */
    public long upperMillis() {
        return table.upperMillis();
    }

    /** Live requests, with or without a reply. */
    public long entries() {
        return table.entries();
    }

    public long replyBytes() {
        return table.replyBytes();
    }

    public long clients() {
        return table.clients();
    }

    /** The present state, to be {@link #write written} by another thread. Copies about 24 bytes for a live request, no replies. */
    public ServerLedger copy() {
        return new ServerLedger(table.copyForSnapshot(), new GroupClock(1), mostReplyBytes);
    }

    public void write(WireWriter writer) {
        table.write(writer);
    }

    /** Reads into this ledger, which is new. */
    public void restore(WireReader reader) {
        table.restore(reader);
    }
}
