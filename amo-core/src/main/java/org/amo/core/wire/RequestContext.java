package org.amo.core.wire;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.sack.FinishedNumbers;

/**
 * amo's own service context of a CORBA request (docs/wire/contexts.md): the client, its acknowledgements and, unless the
 * request only carries acknowledgements, the call.
 *
 * @param client the sender's incarnation
 * @param call the fields by which the request is judged; empty for a carrier of acknowledgements
 * @param finished the numbers that the client has finished
 */
public record RequestContext(ClientId client, Optional<Call> call, FinishedNumbers finished) {
    /** Id of this service context: "AMO" and the format's version. */
    public static final int CONTEXT_ID = 0x414D_4F01;

    /** Longest encoding that is accepted. */
    public static final int MAX_BYTES = 48 * 1024;

    /**
     * The part of a request that its attempts share.
     *
     * @param number 1 to 2^60
     * @param timestampMillis in the group's time
     * @param deadlineMillis in the group's time, at least the timestamp
     */
    public record Call(long number, long timestampMillis, long deadlineMillis) {
        // Values that no member reads must not be sent.
        public Call {
            if (number < 1
                    || number > WireReader.MAX_NUMBER
                    || timestampMillis < 0
                    || timestampMillis > WireReader.MAX_TIME_MILLIS
                    || deadlineMillis < timestampMillis
                    || deadlineMillis - timestampMillis > WireReader.MAX_TIME_MILLIS) {
                throw new IllegalArgumentException("a call has a number from 1 to " + WireReader.MAX_NUMBER
                        + " and times from 1970, at most " + WireReader.MAX_TIME_MILLIS + " ms apart: number=" + number
                        + " timestamp=" + timestampMillis + " deadline=" + deadlineMillis);
            }
        }

        public void write(WireWriter writer) {
            writer.varint(number);
            writer.i64(timestampMillis);
            writer.varint(deadlineMillis - timestampMillis);
        }

        public static Call read(WireReader reader) {
            long number = reader.varint("number", 1, WireReader.MAX_NUMBER);
            long timestamp = reader.i64("timestamp");
            if (timestamp < 0 || timestamp > WireReader.MAX_TIME_MILLIS) {
                throw reader.malformed("timestamp", timestamp);
            }
            return new Call(number, timestamp, timestamp + reader.varint("deadline", 0, WireReader.MAX_TIME_MILLIS));
        }
    }

    /** The context's bytes. */
    public byte[] encode() {
        WireWriter writer = new WireWriter(64);
        writer.u8(call.isPresent() ? 1 : 2);
        writer.clientId(client);
        call.ifPresent(value -> value.write(writer));
        RequestFields.writeFinished(writer, finished, expectedFloor(call));
        if (writer.size() > MAX_BYTES) {
            throw new FrameLimitException("request context", writer.size(), MAX_BYTES);
        }
        return writer.toBytes();
    }

    /** @throws MalformedFrameException naming the field that is wrong */
    public static RequestContext decode(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new MalformedFrameException("request context: length " + bytes.length + " exceeds " + MAX_BYTES);
        }
        WireReader reader = new WireReader("request context", bytes);
        int kind = reader.u8("kind");
        if (kind != 1 && kind != 2) {
            throw reader.malformed("kind", kind);
        }
        ClientId client = reader.clientId("client");
        Optional<Call> call = Optional.empty();
        if (kind == 1) {
            call = Optional.of(Call.read(reader));
        }
        FinishedNumbers finished = RequestFields.readFinished(reader, expectedFloor(call));
        reader.end();
        return new RequestContext(client, call, finished);
    }

    /** A client of one thread has finished all calls before this one. */
    private static long expectedFloor(Optional<Call> call) {
        return call.map(value -> value.number() - 1).orElse(0L);
    }
}
