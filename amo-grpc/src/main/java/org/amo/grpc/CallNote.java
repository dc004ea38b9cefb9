package org.amo.grpc;

import java.io.IOException;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.replica.ServerLedger;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestFields;

/** The states and records of a {@link CallLog} (docs/wire/grpc.md). */
final class CallNote {
    private static final int STATE_VERSION = 1;
    private static final int TIME = 1;
    private static final int BEGUN = 2;
    private static final int ENDED = 3;
    private static final int ACKNOWLEDGED = 4;
    private static final byte[] NO_BODY = {};

    private CallNote() {}

    /** A server's id, and the time from which a restarted server goes on. */
    record Head(ClientId server, long reservedMillis) {}

    static byte[] state(Head head, ServerLedger ledger) {
        WireWriter writer = new WireWriter(1 << 12);
        writer.u8(STATE_VERSION);
        writer.clientId(head.server);
        writer.i64(head.reservedMillis);
        ledger.write(writer);
        return writer.toBytes();
    }

    static Head readState(byte[] bytes, ServerLedger ledger) throws IOException {
        WireReader reader = new WireReader("state", bytes);
        try {
            reader.version(STATE_VERSION);
            Head head = new Head(reader.clientId("server"), reader.i64("reserved"));
            ledger.restore(reader);
            reader.end();
            return head;
        } catch (MalformedFrameException e) {
            throw ofAnotherVersion(e);
        }
    }

    /** No EXPIRED that was decided by a later time has left: a restarted server goes on from here. */
    static byte[] time(long reservedMillis) {
        WireWriter writer = new WireWriter(16);
        writer.u8(TIME);
        writer.i64(reservedMillis);
        return writer.toBytes();
    }

    /** The request is accepted: its handler may run. */
    static byte[] begun(long stampMillis, Request request, Principal principal, FinishedNumbers finished) {
        WireWriter writer = new WireWriter(96);
        writer.u8(BEGUN);
        writer.i64(stampMillis);
        writer.clientId(request.id().client());
        writer.i64(principal.hash());
        writer.varint(request.id().number());
        writer.i64(request.timestampMillis());
        writer.varint(request.deadlineMillis() - request.timestampMillis());
        writer.i64(request.fingerprint());
        RequestFields.writeFinished(writer, finished, request.id().number() - 1);
        return writer.toBytes();
    }

    /** The handler has ended. */
    static byte[] ended(Request request, byte[] reply) {
        WireWriter writer = new WireWriter(48 + reply.length);
        writer.u8(ENDED);
        writer.clientId(request.id().client());
        writer.varint(request.id().number());
        writer.i64(request.timestampMillis());
        writer.blob(reply);
        return writer.toBytes();
    }

    /** Acknowledgements that came with a request that was not accepted. */
    static byte[] acknowledged(long stampMillis, ClientId client, FinishedNumbers finished) {
        WireWriter writer = new WireWriter(48);
        writer.u8(ACKNOWLEDGED);
        writer.i64(stampMillis);
        writer.clientId(client);
        RequestFields.writeFinished(writer, finished, 0);
        return writer.toBytes();
    }

    /**
     * Repeats a record on a ledger.
     *
     * @return the time that is reserved behind it
     */
    static long repeat(byte[] record, ServerLedger ledger, long reservedMillis) throws IOException {
        WireReader reader = new WireReader("record", record);
        long reserved = reservedMillis;
        try {
            int kind = reader.u8("kind");
            switch (kind) {
                case TIME -> reserved = reader.i64("reserved");
                case BEGUN -> repeatBegun(reader, ledger);
                case ENDED -> {
                    RequestId id = id(reader, reader.clientId("client"));
                    long timestamp = reader.i64("timestamp");
                    ledger.complete(
                            new Request(id, timestamp, timestamp, 0, false, NO_BODY),
                            reader.blob("reply", reader.remaining()));
                }
                case ACKNOWLEDGED -> {
                    ledger.advance(reader.i64("stamp"));
                    ledger.finished(reader.clientId("client"), RequestFields.readFinished(reader, 0));
                }
                default -> throw reader.malformed("kind", kind);
            }
            reader.end();
            return reserved;
        } catch (MalformedFrameException e) {
            throw ofAnotherVersion(e);
        }
    }

    private static void repeatBegun(WireReader reader, ServerLedger ledger) {
        ledger.advance(reader.i64("stamp"));
        ClientId client = reader.clientId("client");
        Principal principal = new Principal(reader.i64("principal"));
        RequestId id = id(reader, client);
        long timestamp = reader.i64("timestamp");
        long deadline = timestamp + reader.varint("deadline", 0, WireReader.MAX_TIME_MILLIS);
        long fingerprint = reader.i64("fingerprint");
        ledger.finished(client, RequestFields.readFinished(reader, id.number() - 1));
        ledger.accept(new Request(id, timestamp, deadline, fingerprint, false, NO_BODY), principal);
    }

    private static RequestId id(WireReader reader, ClientId client) {
        return RequestId.own(client, reader.varint("number", 1, WireReader.MAX_NUMBER));
    }

    private static IOException ofAnotherVersion(MalformedFrameException e) {
        return new IOException("a record of calls is of another version of amo (" + e.getMessage()
                + "); start that version of amo (docs/how-to/upgrade.md)");
    }
}
