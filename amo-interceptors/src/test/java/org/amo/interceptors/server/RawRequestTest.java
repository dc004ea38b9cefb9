package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Properties;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.MinorCodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.TCKind;

/** Requests that no ORB of ours would send: other byte orders and versions, and arguments that are not all there. */
class RawRequestTest {
    private static final String GROUP = "raw";
    private static final byte[] KEY = "everything/calls/one".getBytes(StandardCharsets.US_ASCII);
    private static final int NO_EXCEPTION = 0;
    private static final int SYSTEM_EXCEPTION = 2;
    private static final int LATIN_1 = 0x0001_0001;
    private static final int UTF_16 = 0x0001_0109;

    private static final CallsServant AT_A = new CallsServant();
    private static final CallsServant AT_B = new CallsServant();
    private static Member first = new Member("a", "127.0.0.1", 1, 1);
    private static Server a;
    private static Server b;
    private static GiopSocket socket;

    @BeforeAll
    static void start() throws Exception {
        String members = Server.members(2);
        first = Member.parseList(members).get(0);
        Properties properties = Server.properties(GROUP, "a", members);
        a = Server.start(properties);
        b = Server.start(GROUP, "b", members);
        a.activate(a.poa(a.root(), "calls"), "one", AT_A);
        b.activate(b.poa(b.root(), "calls"), "one", AT_B);
        socket = connect();
    }

    @AfterAll
    static void stop() throws Exception {
        socket.close();
        a.close();
        b.close();
    }

    @AfterEach
    void bothMembersAgree() {
        for (ToyGroup.Entry entry : ToyGroup.named(GROUP).log()) {
            assertArrayEquals(entry.replies().get("a"), entry.replies().get("b"));
        }
        assertEquals(AT_A.journal(), AT_B.journal());
    }

    @Test
    void everyVersionAndByteOrder() throws Exception {
        int total = ByteBuffer.wrap(call(2, false, "count", number(false, 0)).body())
                .getInt();
        for (int minor = 0; minor <= 2; minor++) {
            for (boolean littleEndian : new boolean[] {false, true}) {
                GiopSocket.Reply reply = call(minor, littleEndian, "count", number(littleEndian, 5));
                assertEquals(NO_EXCEPTION, reply.status());
                total += 5;
                assertEquals(total, ByteBuffer.wrap(reply.body()).getInt());
            }
        }
    }

    @Test
    void theAlignmentOfArgumentsBehindAnUnpaddedHeader() throws Exception {
        for (int minor = 0; minor <= 1; minor++) {
            // The header ends at 60, which is no multiple of 8: the double stands at 80.
            ByteBuffer body = ByteBuffer.allocate(28);
            body.put(0, (byte) 1).putInt(4, 2).putInt(8, 4).put(12, new byte[] {'a', 'b', 'c', 0});
            GiopSocket.Reply reply =
                    call(minor, false, "mix", body.putDouble(20, 4.5).array());
            assertEquals(NO_EXCEPTION, reply.status());
            assertEquals(1 + 2 + 3 + 4, ByteBuffer.wrap(reply.body()).getInt());
        }
    }

    @Test
    void missingArgumentsAreNotTakenFromEarlierMessages() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertEquals(
                    NO_EXCEPTION, call(2, false, "count", number(false, 1_000)).status());
            int before = AT_A.journal().size();
            assertMarshal(call(2, false, "count", new byte[0]));
            assertMarshal(call(2, false, "count", new byte[] {0, 0, 1}));
            assertMarshal(call(0, true, "count", new byte[0]));
            assertEquals(before, AT_A.journal().size());
        }
    }

    @Test
    void everyArgumentMayBeTheOneThatIsMissing() throws Exception {
        byte[] body = mix();
        assertEquals(NO_EXCEPTION, call(2, false, "mix", body).status());
        int before = AT_A.journal().size();
        for (int length = 0; length < body.length; length++) {
            assertMarshal(call(2, false, "mix", Arrays.copyOf(body, length)));
        }
        assertEquals(before, AT_A.journal().size());
    }

    @Test
    void aClaimedLengthIsNotAllocated() throws Exception {
        for (int claimed : new int[] {Integer.MAX_VALUE, 0x4000_0000, -1, 1}) {
            assertMarshal(call(2, false, "aBlob", number(false, claimed)));
            assertMarshal(call(2, false, "theLongs", number(false, claimed)));
            assertMarshal(call(2, false, "theStrings", number(false, claimed)));
        }
    }

    @Test
    void anAnyNestedDeeperThanTheLimitIsRefusedAtEveryMember() throws Exception {
        int before = AT_A.journal().size();
        assertEquals(NO_EXCEPTION, call(2, false, "anAny", anys(40)).status());
        assertEquals(before + 1, AT_A.journal().size());
        GiopSocket.Reply refused = call(2, false, "anAny", anys(120));
        assertMarshal(refused);
        assertEquals(CompletionStatus._COMPLETED_NO, refused.minorAndCompleted()[1]);
        assertEquals(before + 1, AT_A.journal().size());
    }

    /** Two arguments of type any: the first so many levels deep, the second empty. */
    private static byte[] anys(int levels) {
        ByteBuffer body = ByteBuffer.allocate(4 * (levels + 2));
        for (int i = 0; i < levels; i++) {
            body.putInt(TCKind._tk_any);
        }
        return body.putInt(TCKind._tk_null).putInt(TCKind._tk_null).array();
    }

    /** JacORB allocates what it claims. */
    @Test
    void aWideStringThatClaimsMoreThanHasComeIsRefusedAtEveryMember() throws Exception {
        int before = AT_A.journal().size();
        try (GiopSocket own = connect()) {
            for (int claimed : new int[] {Integer.MAX_VALUE, 1 << 28, -1}) {
                GiopSocket.Reply refused = own.callChoosing(LATIN_1, UTF_16, KEY, "aWstring", number(false, claimed));
                assertMarshal(refused);
                assertEquals(CompletionStatus._COMPLETED_NO, refused.minorAndCompleted()[1]);
            }
        }
        assertEquals(before, AT_A.journal().size());
    }

    @Test
    void anOperationLongerThanTheGroupCarriesIsRefusedAtTheDoor() throws Exception {
        // The first request of a connection comes by JacORB's thread, the next ones by the reader's.
        for (int i = 0; i < 3; i++) {
            int before = ToyGroup.named(GROUP).log().size();
            GiopSocket.Reply reply = call(2, false, "x".repeat(100_000), new byte[0]);
            assertMarshal(reply);
            assertArrayEquals(
                    new int[] {MinorCodes.UNREADABLE, CompletionStatus._COMPLETED_NO}, reply.minorAndCompleted());
            assertEquals(before, ToyGroup.named(GROUP).log().size());
            assertEquals(NO_EXCEPTION, call(2, false, "count", number(false, 1)).status());
        }
        GiopSocket.Reply longest = call(2, false, "x".repeat(CapturedRequest.MAX_NAME), new byte[0]);
        assertEquals("IDL:omg.org/CORBA/BAD_OPERATION:1.0", longest.id());
    }

    @Test
    void aCodeSetThatTheServerDoesNotOfferIsRefusedAtTheDoor() throws Exception {
        int utf8 = 0x0501_0001;
        byte[] mix = mix();
        for (int offered : new int[] {LATIN_1, utf8}) {
            try (GiopSocket own = connect()) {
                assertEquals(
                        NO_EXCEPTION,
                        own.callChoosing(offered, UTF_16, KEY, "mix", mix).status());
            }
        }
        for (int unknown : new int[] {0, -1, 0x1234_5678, UTF_16, 0x0001_0100}) {
            int before = ToyGroup.named(GROUP).log().size();
            try (GiopSocket own = connect()) {
                // The front end takes the requests after the first, so that the second choice has to reach it, too.
                assertEquals(NO_EXCEPTION, own.call(2, false, KEY, "mix", mix).status());
                assertIncompatible(own.callChoosing(unknown, UTF_16, KEY, "mix", mix));
                assertIncompatible(own.call(2, false, KEY, "mix", mix));
                assertIncompatible(own.call(2, false, KEY, "_is_a", mix));
            }
            assertEquals(before + 1, ToyGroup.named(GROUP).log().size());
        }
    }

    @Test
    void aRequestInTheLogThatCannotBeReadIsAnsweredWithTheRefusalAtEveryMember() throws Exception {
        byte[] good = new CapturedRequest(false, 2, 0, 0, 0, "count", KEY, number(false, 1)).encode();
        byte[] short1 = Arrays.copyOf(good, good.length - 1);
        for (byte[] body : new byte[][] {short1, {1}, {}}) {
            ToyGroup.Entry entry = ToyGroup.named(GROUP).order(body);
            CapturedReply reply = CapturedReply.decode(entry.replies().get("a"));
            assertEquals("IDL:omg.org/CORBA/MARSHAL:1.0", reply.exceptionId());
            assertEquals(MinorCodes.UNREADABLE, reply.minor());
            assertEquals(CompletionStatus._COMPLETED_NO, reply.completed());
            assertArrayEquals(entry.replies().get("a"), entry.replies().get("b"));
        }
        assertEquals(NO_EXCEPTION, call(2, false, "count", number(false, 1)).status());
    }

    @Test
    void aReplyLongerThanTheGroupCarriesIsAnException() {
        byte[] longest = new byte[Answer.MAX_REPLY_BYTES];
        CapturedReply reply = CapturedReply.decode(GroupObjectAdaptor.bytes(CapturedReply.normal(longest)));
        assertEquals("IDL:omg.org/CORBA/IMP_LIMIT:1.0", reply.exceptionId());
        assertEquals(MinorCodes.REPLY_TOO_LONG, reply.minor());
        assertEquals(CompletionStatus._COMPLETED_YES, reply.completed());
    }

    /** JacORB allocates what it claims: 2 GB, which ended the member. */
    @Test
    void aHeaderThatLiesEndsItsConnectionAndNoOther() throws Exception {
        try (GiopSocket other = socket.another()) {
            for (int i = 0; i < 3; i++) {
                assertEquals(
                        NO_EXCEPTION,
                        other.call(2, false, KEY, "count", number(false, 1)).status());
            }
            ByteBuffer request = ByteBuffer.allocate(28);
            request.put("GIOP".getBytes(StandardCharsets.US_ASCII))
                    .put(new byte[] {1, 2, 0, 0})
                    .putInt(16);
            // Id, flags, target by key: its length is a lie.
            request.putInt(99).put((byte) 3).put(new byte[3]).putInt(0).putInt(Integer.MAX_VALUE);
            other.send(request.array());
            other.typesToTheEnd();
        }
        assertEquals(NO_EXCEPTION, call(2, false, "count", number(false, 1)).status());
    }

    @Test
    void anOperationThatDoesNotExist() throws Exception {
        GiopSocket.Reply reply = call(2, false, "nonsense", new byte[0]);
        assertEquals(SYSTEM_EXCEPTION, reply.status());
        assertEquals("IDL:omg.org/CORBA/BAD_OPERATION:1.0", reply.id());
    }

    private static GiopSocket.Reply call(int minor, boolean littleEndian, String operation, byte[] body)
            throws Exception {
        return socket.call(minor, littleEndian, KEY, operation, body);
    }

    private static void assertMarshal(GiopSocket.Reply reply) {
        assertEquals(SYSTEM_EXCEPTION, reply.status());
        assertEquals("IDL:omg.org/CORBA/MARSHAL:1.0", reply.id());
    }

    private static GiopSocket connect() throws Exception {
        return new GiopSocket(first.host(), first.clientPort());
    }

    private static void assertIncompatible(GiopSocket.Reply reply) {
        assertEquals(SYSTEM_EXCEPTION, reply.status());
        assertEquals("IDL:omg.org/CORBA/CODESET_INCOMPATIBLE:1.0", reply.id());
        assertEquals(CompletionStatus._COMPLETED_NO, reply.minorAndCompleted()[1]);
    }

    /** Arguments of the operation with a string among them. */
    private static byte[] mix() {
        ByteBuffer whole = ByteBuffer.allocate(32);
        whole.put((byte) 1).position(4);
        whole.putInt(2).putInt(4).put(new byte[] {'a', 'b', 'c', 0}).putDouble(4.5);
        return Arrays.copyOf(whole.array(), whole.position());
    }

    private static byte[] number(boolean littleEndian, int value) {
        return ByteBuffer.allocate(4)
                .order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
                .putInt(value)
                .array();
    }
}
