package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.FrameLimitException;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** A reply that the group cannot carry is an exception of the call, the same at each member. */
class LongestReplyTest {
    @Test
    void aReplyBeyondTheLimitIsAnExceptionOfTheCall() {
        Request request = new Request(RequestId.own(new ClientId(1, 1), 1), 0, 1, 0, false, new byte[0]);
        HandlerServant servant = new HandlerServant(
                "group", (body, context) -> new byte[Answer.MAX_REPLY_BYTES], Optional.empty(), false);
        byte[] reply = servant.execute(1, 1, request);
        assertTrue(reply.length < 1_000);
        AmoServiceException told = assertThrows(AmoServiceException.class, () -> Payloads.open(reply));
        assertEquals(FrameLimitException.class.getName(), told.type());
    }

    @Test
    void aCallThatIsUndoneIsToldWhy() {
        Request request = new Request(RequestId.own(new ClientId(1, 1), 1), 0, 1, 0, false, new byte[0]);
        HandlerServant servant = new HandlerServant("group", (body, context) -> body, Optional.empty(), false);
        AmoServiceException told = assertThrows(
                AmoServiceException.class, () -> Payloads.open(servant.undone(request, "field a.b is no value")));
        assertEquals(IllegalStateException.class.getName(), told.type());
        assertTrue(String.valueOf(told.getMessage()).contains("field a.b is no value"), told::toString);
    }

    @Test
    void aReplyAtTheLimitIsCarried() {
        byte[] longest = Payloads.reply(new byte[Answer.MAX_REPLY_BYTES - 1]);
        assertEquals(Answer.MAX_REPLY_BYTES, longest.length);
        assertEquals(Answer.MAX_REPLY_BYTES - 1, Payloads.open(longest).length);
    }
}
