package org.amo.core.replica;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.reply.ClientRecord;
import org.amo.core.reply.ClientRecords;
import org.amo.core.reply.ForeignRecord;
import org.amo.core.reply.ForeignRecords;
import org.amo.core.reply.Shares;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId.Space;

/**
 * Row 7 of the decision table: whether the group has room for one more request, or for one more range of a client. Counts
 * ordered facts alone: entries, ranges, clients, request bytes, a fixed allowance for each reply, and calls a second in
 * ordered time.
 *
 * <p>Replicated state: the rates of calls. The records are the table's, which changes them. One thread owns it.
 */
final class RequestBudgets {
    private final ClientRecords own;
    private final ForeignRecords foreign;
    private final CallRates<ClientId> clientRates;
    private final CallRates<Principal> principalRates;

    RequestBudgets(ClientRecords own, ForeignRecords foreign) {
        this(own, foreign, new CallRates<>(), new CallRates<>());
    }

    private RequestBudgets(
            ClientRecords own,
            ForeignRecords foreign,
            CallRates<ClientId> clientRates,
            CallRates<Principal> principalRates) {
        this.own = own;
        this.foreign = foreign;
        this.clientRates = clientRates;
        this.principalRates = principalRates;
    }

    /** The same rates over copies of the records. */
    RequestBudgets copy(ClientRecords ownCopy, ForeignRecords foreignCopy) {
        return new RequestBudgets(ownCopy, foreignCopy, clientRates.copy(), principalRates.copy());
    }

    /** The first budget without room for the request of a client. */
    Optional<Budget> shortage(
            Request request,
            Optional<ClientRecord> ownRecord,
            Principal sender,
            GroupParameters limits,
            long orderedTimeMillis) {
        if (request.id().space() == Space.FOREIGN) {
            Optional<ForeignRecord> record = foreign.find(request.id().client());
            Principal principal = record.map(ForeignRecord::principal).orElse(sender);
            long held = record.map(ForeignRecord::chargedBytes).orElse(0L);
            return (record.isPresent() ? Optional.<Budget>empty() : clientShortage(principal, limits))
                    .or(() -> foreign.shares()
                            .shortage(
                                    principal,
                                    held,
                                    charge(request, limits),
                                    division(limits.foreignBudgetBytes(), principal, limits)))
                    .or(() -> rateShortage(request.id().client(), principal, limits, orderedTimeMillis));
        }
        Principal principal = ownRecord.map(ClientRecord::principal).orElse(sender);
        long held = ownRecord.map(ClientRecord::chargedBytes).orElse(0L);
        return (ownRecord.isPresent() ? countShortage(ownRecord.get(), limits) : clientShortage(principal, limits))
                .or(() -> own.shares()
                        .shortage(
                                principal,
                                held,
                                ownCharge(request, ownRecord, limits),
                                division(limits.budgetBytes(), principal, limits)))
                .or(() -> rateShortage(request.id().client(), principal, limits, orderedTimeMillis));
    }

    /**
     * An acknowledgement of live entries frees more than the range takes. One of numbers never seen only takes, and so
     * needs room like a request.
     */
    boolean hasRoomForRange(ClientRecord record, long first, long last, GroupParameters limits) {
        return record.rangeCount() < limits.maxRangesPerClient()
                && (record.hasLive(first, last)
                        || own.shares()
                                .shortage(
                                        record.principal(),
                                        record.chargedBytes(),
                                        ClientRecord.RANGE_BYTES,
                                        division(limits.budgetBytes(), record.principal(), limits))
                                .isEmpty());
    }

    /** These join a range, or the floor, that is there: the record does not grow by them. */
    static boolean touchesResolved(ClientRecord record, long first, long last) {
        return record.isResolved(first - 1)
                || record.isResolved(first)
                || record.isResolved(last)
                || record.isResolved(last + 1);
    }

    /** Bytes that a live entry of the request is charged. */
    static int charge(Request request, GroupParameters limits) {
        return request.body().length + limits.replyAllowanceBytes();
    }

    /** A call of the client was accepted. */
    void countCall(ClientId client, Principal principal, GroupParameters limits, long orderedTimeMillis) {
        clientRates.take(client, limits.clientCallsPerSecond(), orderedTimeMillis);
        principalRates.take(principal, principalCallsPerSecond(principal, limits), orderedTimeMillis);
    }

    void write(WireWriter writer, long orderedTimeMillis) {
        writer.varint(clientRates.size(orderedTimeMillis));
        clientRates.forEach(orderedTimeMillis, (client, fullAgain) -> {
            writer.clientId(client);
            writer.i64(fullAgain);
        });
        writer.varint(principalRates.size(orderedTimeMillis));
        principalRates.forEach(orderedTimeMillis, (principal, fullAgain) -> {
            writer.i64(principal.hash());
            writer.i64(fullAgain);
        });
    }

    /** Reads buckets: in rising order of their keys, each once and not full. */
    void restore(WireReader reader, long orderedTimeMillis) {
        Optional<ClientId> lastClient = Optional.empty();
        for (long left = reader.varint("client rates", 0, reader.remaining()); left > 0; left--) {
            lastClient = Optional.of(after(lastClient, reader.clientId("rated client"), reader));
            clientRates.restore(lastClient.get(), fullAgain(reader, orderedTimeMillis));
        }
        Optional<Principal> lastPrincipal = Optional.empty();
        for (long left = reader.varint("principal rates", 0, reader.remaining()); left > 0; left--) {
            Principal principal = new Principal(reader.i64("rated principal"));
            if (lastPrincipal.isPresent() && lastPrincipal.get().compareTo(principal) >= 0) {
                throw reader.malformed("rated principal", principal.hash());
            }
            lastPrincipal = Optional.of(principal);
            principalRates.restore(principal, fullAgain(reader, orderedTimeMillis));
        }
    }

    /** Clients come in rising order, each once. */
    static ClientId after(Optional<ClientId> last, ClientId next, WireReader reader) {
        if (last.isPresent() && last.get().compareTo(next) >= 0) {
            throw reader.malformed("client after " + last.get() + ", high half", next.high());
        }
        return next;
    }

    private static long fullAgain(WireReader reader, long orderedTimeMillis) {
        long micros = reader.i64("bucket full at");
        if (micros <= 1_000 * orderedTimeMillis) {
            throw reader.malformed("bucket full at", micros);
        }
        return micros;
    }

    private static Optional<Budget> countShortage(ClientRecord record, GroupParameters limits) {
        if (record.liveCount() >= limits.maxEntriesPerClient()) {
            return Optional.of(Budget.CLIENT_ENTRIES);
        }
        return record.rangeCount() >= limits.maxRangesPerClient()
                ? Optional.of(Budget.CLIENT_RANGES)
                : Optional.empty();
    }

    /** Whether one more client of this principal may have a record. */
    private Optional<Budget> clientShortage(Principal principal, GroupParameters limits) {
        long left = (long) limits.maxClients() - own.size() - foreign.size();
        if (left <= 0) {
            return Optional.of(Budget.GROUP_CLIENTS);
        }
        long records = (long) own.shares().clients(principal) + foreign.shares().clients(principal);
        return Shares.room(left, principalShare(principal, limits), records) < 1
                ? Optional.of(Budget.PRINCIPAL_CLIENTS)
                : Optional.empty();
    }

    private Optional<Budget> rateShortage(
            ClientId client, Principal principal, GroupParameters limits, long orderedTimeMillis) {
        if (!clientRates.allows(client, limits.clientCallsPerSecond(), orderedTimeMillis)) {
            return Optional.of(Budget.CLIENT_RATE);
        }
        return principalRates.allows(principal, principalCallsPerSecond(principal, limits), orderedTimeMillis)
                ? Optional.empty()
                : Optional.of(Budget.PRINCIPAL_RATE);
    }

    private static Shares.Division division(long budgetBytes, Principal principal, GroupParameters limits) {
        return new Shares.Division(budgetBytes, limits.clientShare(), principalShare(principal, limits));
    }

    private static long principalShare(Principal principal, GroupParameters limits) {
        return (long) limits.principalShare() * limits.weight(principal);
    }

    private static long principalCallsPerSecond(Principal principal, GroupParameters limits) {
        return (long) limits.principalCallsPerSecond() * limits.weight(principal);
    }

    /** An own oneway leaves a range at most, and nothing if it joins one. */
    private static int ownCharge(Request request, Optional<ClientRecord> record, GroupParameters limits) {
        if (!request.oneway()) {
            return charge(request, limits);
        }
        long number = request.id().number();
        boolean joins = record.isPresent() ? touchesResolved(record.get(), number, number) : number == 1;
        return joins ? 0 : ClientRecord.RANGE_BYTES;
    }
}
