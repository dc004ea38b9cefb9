package org.amo.interceptors.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import org.amo.core.order.Member;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All ORBs repeat a call whose connection ends with CloseConnection, and one without an id would run again. So a server never
 * says it while a request is out, whatever way that took, however long it takes and whatever the server is about to do.
 */
@Timeout(60)
class CloseConnectionTest {
    private static final int REPLY = 1;
    private static final int CLOSE_CONNECTION = 5;
    private static final byte[] KEY = "everything/calls/one".getBytes(StandardCharsets.US_ASCII);

    private Server server;
    private ToyGroup group;
    private GiopSocket socket;

    private void serve(String name) throws Exception {
        String members = Server.members(1);
        Properties properties = Server.properties(name, "a", members);
        properties.setProperty("jacorb.connection.server.timeout", "100");
        properties.setProperty("amo.defaultDeadlineMillis", "500");
        properties.setProperty("amo.retentionMillis", "1000");
        properties.setProperty("amo.answerGraceMillis", "100");
        server = Server.start(properties);
        server.activate(server.poa(server.root(), "calls"), "one", new CallsServant());
        group = ToyGroup.named(name);
        Member member = Member.parseList(members).get(0);
        socket = new GiopSocket(member.host(), member.clientPort());
    }

    @AfterEach
    void stop() throws IOException {
        socket.close();
        server.close();
    }

    @Test
    void anIdleConnectionIsClosedOnlyAfterTheReplyOfTheGeneralWay() throws Exception {
        serve("closing");
        group.mute(true);
        send();
        assertEquals(List.of(REPLY, CLOSE_CONNECTION), socket.typesToTheEnd());
        assertEquals(1, group.blocking());
    }

    @Test
    void anIdleConnectionIsClosedOnlyAfterTheReplyOfTheFastWay() throws Exception {
        serve("closingFast");
        call();
        group.mute(true);
        send();
        assertEquals(List.of(REPLY, CLOSE_CONNECTION), socket.typesToTheEnd());
        assertEquals(1, group.taken());
    }

    @Test
    void aServerThatIsShutDownDoesNotAskForARepetition() throws Exception {
        serve("closingDown");
        call();
        group.mute(true);
        send();
        // A request that the server has not read may be repeated.
        await().until(() -> group.taken() + group.blocking() == 2);
        server.orb().shutdown(false);
        socket.endOfRequests();
        List<Integer> types = socket.typesToTheEnd();
        assertFalse(types.indexOf(CLOSE_CONNECTION) == 0, types::toString);
    }

    private void call() throws IOException {
        assertEquals(0, socket.call(2, false, KEY, "count", one()).status());
    }

    private void send() throws IOException {
        socket.send(2, false, KEY, "count", one());
    }

    private static byte[] one() {
        return ByteBuffer.allocate(4).putInt(1).array();
    }
}
