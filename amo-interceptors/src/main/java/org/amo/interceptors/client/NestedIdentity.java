package org.amo.interceptors.client;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.client.ClientCall;
import org.amo.core.request.RequestId;
import org.amo.core.wire.RequestContext;

/**
 * The identity of a nested CORBA call that any member may send again (docs/wire/corba-body.md): the id, timestamp and deadline of a request
 * to a group, or nothing for a question that every object answers and that changes nothing.
 *
 * @param client that allotted the call; empty for a question
 * @param call present with the client
 */
record NestedIdentity(Optional<ClientId> client, Optional<RequestContext.Call> call) {
    /** {@code _is_a} and its like. */
    static final NestedIdentity QUESTION = new NestedIdentity(Optional.empty(), Optional.empty());

    private static final int VERSION = 1;

    static NestedIdentity of(ClientId client, RequestContext.Call call) {
        return new NestedIdentity(Optional.of(client), Optional.of(call));
    }

    /** The identity of a request, for the attempts of this process. */
    ClientCall.Identity shared() {
        RequestContext.Call numbered = call.orElseThrow();
        return new ClientCall.Identity(
                RequestId.own(client.orElseThrow(), numbered.number()),
                numbered.timestampMillis(),
                numbered.deadlineMillis());
    }

    boolean isQuestion() {
        return client.isEmpty();
    }

    byte[] encode() {
        WireWriter writer = new WireWriter(48);
        writer.u8(VERSION);
        writer.u8(isQuestion() ? 2 : 1);
        client.ifPresent(writer::clientId);
        call.ifPresent(numbered -> numbered.write(writer));
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException naming the field that is wrong */
    static NestedIdentity decode(byte[] bytes) {
        WireReader reader = new WireReader("nested call", bytes);
        reader.version(VERSION);
        int kind = reader.u8("kind");
        if (kind == 2) {
            reader.end();
            return QUESTION;
        }
        if (kind != 1) {
            throw reader.malformed("kind", kind);
        }
        ClientId client = reader.clientId("client");
        RequestContext.Call call = RequestContext.Call.read(reader);
        reader.end();
        return of(client, call);
    }
}
