package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.BlobHolder;
import everything.Broken;
import everything.Calls;
import everything.CallsHelper;
import everything.Chain;
import everything.ChainHelper;
import everything.ChainHolder;
import everything.Color;
import everything.ColorHolder;
import everything.Detailed;
import everything.LongsHolder;
import everything.MatrixHolder;
import everything.MoneyHolder;
import everything.Nested;
import everything.NestedHelper;
import everything.NestedHolder;
import everything.Point;
import everything.Shape;
import everything.ShapeHolder;
import everything.StringsHolder;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.BAD_CONTEXT;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.ByteHolder;
import org.omg.CORBA.CharHolder;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.DoubleHolder;
import org.omg.CORBA.FloatHolder;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.LongHolder;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ObjectHolder;
import org.omg.CORBA.ShortHolder;
import org.omg.CORBA.StringHolder;
import org.omg.CORBA.UNKNOWN;

/** Every IDL type in every direction through two members: the client's values are right, both members agree. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EveryType {
    private final String group;
    private final Map<String, String> clientProperties;
    private final CallsServant atA = new CallsServant();
    private final CallsServant atB = new CallsServant();
    private Server a;
    private Server b;
    ORB client;
    Calls calls;

    EveryType(String group, Map<String, String> clientProperties) {
        this.group = group;
        this.clientProperties = clientProperties;
    }

    @BeforeAll
    void start() throws Exception {
        String members = Server.members(2);
        a = Server.start(group, "a", members);
        b = Server.start(group, "b", members);
        String reference = a.activate(a.poa(a.root(), "calls"), "one", atA);
        assertEquals(reference, b.activate(b.poa(b.root(), "calls"), "one", atB));
        client = Server.client(clientProperties);
        calls = CallsHelper.narrow(client.string_to_object(reference));
    }

    @AfterAll
    void stop() {
        client.shutdown(true);
        a.close();
        b.close();
    }

    @AfterEach
    void bothMembersAgree() {
        Awaitility.await().until(() -> atA.journal().size() == atB.journal().size());
        assertEquals(atA.journal(), atB.journal());
        for (ToyGroup.Entry entry : ToyGroup.named(group).log()) {
            assertArrayEquals(entry.replies().get("a"), entry.replies().get("b"));
        }
    }

    @Test
    void basicTypes() {
        BooleanHolder booleanInout = new BooleanHolder(false);
        BooleanHolder booleanOut = new BooleanHolder();
        assertEquals(false, calls.aBoolean(true, booleanInout, booleanOut));
        assertTrue(booleanInout.value && booleanOut.value);
        ByteHolder byteInout = new ByteHolder((byte) -3);
        ByteHolder byteOut = new ByteHolder();
        assertEquals((byte) -3, calls.anOctet((byte) 200, byteInout, byteOut));
        assertEquals((byte) 200, byteOut.value);
        CharHolder charInout = new CharHolder('x');
        CharHolder charOut = new CharHolder();
        assertEquals('x', calls.aChar('\u00e9', charInout, charOut));
        assertEquals('\u00e9', charOut.value);
        CharHolder wcharInout = new CharHolder('\u20ac');
        CharHolder wcharOut = new CharHolder();
        assertEquals('\u20ac', calls.aWchar('\u4e2d', wcharInout, wcharOut));
        assertEquals('\u4e2d', wcharOut.value);
        ShortHolder shortInout = new ShortHolder(Short.MIN_VALUE);
        ShortHolder shortOut = new ShortHolder();
        assertEquals(Short.MIN_VALUE, calls.aShort(Short.MAX_VALUE, shortInout, shortOut));
        assertEquals(Short.MAX_VALUE, shortOut.value);
        assertEquals(Short.MAX_VALUE, calls.aUshort((short) -1, shortInout, shortOut));
        assertEquals((short) -1, shortOut.value);
        IntHolder intInout = new IntHolder(Integer.MIN_VALUE);
        IntHolder intOut = new IntHolder();
        assertEquals(Integer.MIN_VALUE, calls.aLong(Integer.MAX_VALUE, intInout, intOut));
        assertEquals(Integer.MAX_VALUE, calls.aUlong(-1, intInout, intOut));
        assertEquals(-1, intOut.value);
        LongHolder longInout = new LongHolder(Long.MIN_VALUE);
        LongHolder longOut = new LongHolder();
        assertEquals(Long.MIN_VALUE, calls.aLongLong(Long.MAX_VALUE, longInout, longOut));
        assertEquals(Long.MAX_VALUE, calls.aUlongLong(-1, longInout, longOut));
        assertEquals(-1, longOut.value);
        FloatHolder floatInout = new FloatHolder(Float.MIN_VALUE);
        FloatHolder floatOut = new FloatHolder();
        assertEquals(Float.MIN_VALUE, calls.aFloat(Float.NaN, floatInout, floatOut));
        assertTrue(Float.isNaN(floatOut.value));
        DoubleHolder doubleInout = new DoubleHolder(Math.PI);
        DoubleHolder doubleOut = new DoubleHolder();
        assertEquals(Math.PI, calls.aDouble(Double.NEGATIVE_INFINITY, doubleInout, doubleOut));
        assertEquals(Double.NEGATIVE_INFINITY, doubleOut.value);
    }

    @Test
    void stringsOfEveryLengthBehindAnOctet() {
        for (int length = 0; length <= 17; length++) {
            String text = "abcdefghijklmnopqrstuvwxyz".substring(0, length);
            StringHolder inout = new StringHolder("was " + length);
            StringHolder out = new StringHolder();
            assertEquals("was " + length, calls.aString(text, inout, out));
            assertEquals(text, out.value);
            assertEquals(1 + 2 + length + 4, calls.mix((byte) 1, 2, text, 4.5));
        }
    }

    @Test
    void wideStrings() {
        for (String text : new String[] {"", "\u20ac", "gr\u00fc\u00dfe", "\ud83d\ude00 smile", "\u4e2d\u6587"}) {
            StringHolder inout = new StringHolder("\u00e9");
            StringHolder out = new StringHolder();
            assertEquals("\u00e9", calls.aWstring(text, inout, out));
            assertEquals(text, out.value);
        }
    }

    @Test
    void constructedTypes() {
        MoneyHolder moneyInout = new MoneyHolder(new BigDecimal("-12345678.90"));
        MoneyHolder moneyOut = new MoneyHolder();
        assertEquals(new BigDecimal("-12345678.90"), calls.aMoney(new BigDecimal("0.01"), moneyInout, moneyOut));
        assertEquals(new BigDecimal("0.01"), moneyOut.value);
        ColorHolder colorInout = new ColorHolder(Color.RED);
        ColorHolder colorOut = new ColorHolder();
        assertEquals(Color.RED, calls.aColor(Color.BLUE, colorInout, colorOut));
        assertEquals(Color.BLUE, colorOut.value);
        NestedHolder nestedInout = new NestedHolder(nested("inout", 3));
        NestedHolder nestedOut = new NestedHolder();
        assertEquals(text(nested("inout", 3)), text(calls.aNested(nested("in", 2), nestedInout, nestedOut)));
        assertEquals(text(nested("in", 2)), text(nestedOut.value));
        LongsHolder longsInout = new LongsHolder(new int[] {1, -1, 7});
        LongsHolder longsOut = new LongsHolder();
        assertArrayEquals(new int[] {1, -1, 7}, calls.theLongs(new int[0], longsInout, longsOut));
        assertArrayEquals(new int[0], longsOut.value);
        StringsHolder stringsInout = new StringsHolder(new String[] {"one", "", "three"});
        StringsHolder stringsOut = new StringsHolder();
        assertArrayEquals(
                new String[] {"one", "", "three"}, calls.theStrings(new String[] {"x"}, stringsInout, stringsOut));
        MatrixHolder matrixInout = new MatrixHolder(new int[][] {{1, 2, 3}, {4, 5, 6}});
        MatrixHolder matrixOut = new MatrixHolder();
        int[][] negative = {{-1, -2, -3}, {-4, -5, -6}};
        assertArrayEquals(new int[][] {{1, 2, 3}, {4, 5, 6}}, calls.aMatrix(negative, matrixInout, matrixOut));
        assertArrayEquals(negative, matrixOut.value);
    }

    @Test
    void blobsLargerThanABufferOfTheOrb() {
        byte[] large = new byte[3_000_000];
        Arrays.fill(large, (byte) 0x5A);
        BlobHolder inout = new BlobHolder(new byte[] {1});
        BlobHolder out = new BlobHolder();
        assertArrayEquals(new byte[] {1}, calls.aBlob(large, inout, out));
        assertArrayEquals(large, out.value);
    }

    @Test
    void everyBranchOfAUnion() {
        Shape number = new Shape();
        number.number(42);
        Shape body = new Shape();
        body.body(nested("in a union", 2));
        Shape text = new Shape();
        text.text("default");
        ShapeHolder inout = new ShapeHolder(number);
        ShapeHolder out = new ShapeHolder();
        assertEquals(42, calls.aShape(body, inout, out).number());
        assertEquals(text(body.body()), text(out.value.body()));
        assertEquals(text(body.body()), text(calls.aShape(text, inout, out).body()));
        assertEquals("default", out.value.text());
    }

    @Test
    void anyHoldsAnything() {
        Any struct = client.create_any();
        NestedHelper.insert(struct, nested("in an any", 1));
        Any inner = client.create_any();
        inner.insert_wstring("\u20ac inside");
        Any outer = client.create_any();
        outer.insert_any(inner);
        AnyHolder inout = new AnyHolder(struct);
        AnyHolder out = new AnyHolder();
        Any result = calls.anAny(outer, inout, out);
        assertEquals(text(nested("in an any", 1)), text(NestedHelper.extract(result)));
        assertEquals("\u20ac inside", out.value.extract_any().extract_wstring());
        Any type = client.create_any();
        type.insert_TypeCode(NestedHelper.type());
        AnyHolder typeInout = new AnyHolder(type);
        assertTrue(calls.anAny(type, typeInout, out).extract_TypeCode().equal(NestedHelper.type()));
    }

    @Test
    void valuesKeepTheirSharing() {
        Chain second = new ChainDefaultFactory().chain("second");
        Chain first = new ChainDefaultFactory().chain("first");
        first.next = second;
        second.next = first;
        ChainHolder inout = new ChainHolder(second);
        ChainHolder out = new ChainHolder();
        Chain result = calls.aChain(first, inout, out);
        assertEquals("second", result.label);
        assertEquals("first", out.value.label);
        assertEquals(out.value, out.value.next.next);
    }

    @Test
    void aValueInAnAny() {
        Any any = client.create_any();
        Chain chain = new ChainDefaultFactory().chain("in an any");
        ChainHelper.insert(any, chain);
        AnyHolder out = new AnyHolder();
        calls.anAny(any, new AnyHolder(any), out);
        assertEquals("in an any", ChainHelper.extract(out.value).label);
    }

    @Test
    void references() {
        ObjectHolder inout = new ObjectHolder(calls);
        ObjectHolder out = new ObjectHolder();
        assertTrue(calls._is_equivalent(calls.anObject(null, inout, out)));
        assertEquals(null, out.value);
        Calls self = CallsHelper.narrow(calls.myself());
        assertEquals(client.object_to_string(calls), client.object_to_string(self));
        assertEquals("one@calls", self.whoAmI());
    }

    @Test
    void aServantThatActivatesAnotherDoesItEverywhere() {
        int before = ToyGroup.named(group).log().size();
        Calls made = CallsHelper.narrow(calls.make("made"));
        assertEquals(5, made.count(5));
        assertEquals(7, made.count(2));
        assertEquals("made@calls", made.whoAmI());
        // Ordered, and not run by the object adapter of one member.
        assertEquals(before + 4, ToyGroup.named(group).log().size());
    }

    @Test
    void userExceptions() {
        Broken broken = assertThrows(Broken.class, () -> calls.fail(7, "as told"));
        assertEquals(7, broken.code);
        assertEquals("as told", broken.why);
        assertArrayEquals(new int[] {7, 8}, broken.trace);
    }

    @Test
    void aUserExceptionThatHoldsAnAny() {
        Any detail = client.create_any();
        detail.insert_string("detail");
        Exception thrown = assertThrows(Exception.class, () -> calls.failWithAny(detail));
        checkDetailed(thrown);
    }

    void checkDetailed(Exception thrown) {
        assertTrue(thrown instanceof Detailed, thrown.toString());
        assertEquals("detail", ((Detailed) thrown).detail.extract_string());
    }

    @Test
    void systemExceptionsKeepTheirIdMinorAndCompletion() {
        BAD_CONTEXT thrown = assertThrows(BAD_CONTEXT.class, () -> calls.failBySystemException(4711));
        assertEquals(4711, thrown.minor);
        assertEquals(CompletionStatus.COMPLETED_YES, thrown.completed);
    }

    @Test
    void whatElseAServantThrowsIsUnknownAndMayHaveRun() {
        UNKNOWN runtime = assertThrows(UNKNOWN.class, calls::failByRuntimeException);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, runtime.completed);
        UNKNOWN error = assertThrows(UNKNOWN.class, calls::failByError);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, error.completed);
    }

    @Test
    void attributes() {
        calls.title("plain");
        calls.wideTitle("w\u20acde");
        assertEquals("plain", calls.title());
        assertEquals("w\u20acde", calls.wideTitle());
        int before = calls.callCount();
        calls.count(1);
        assertEquals(before + 1, calls.callCount());
    }

    @Test
    void onewaysRunEverywhere() {
        calls.note("for both");
        Awaitility.await().until(() -> atA.journal().contains("note for both"));
        Awaitility.await().until(() -> atB.journal().contains("note for both"));
    }

    @Test
    void questionsAboutTheObjectAreNotOrdered() {
        int before = ToyGroup.named(group).log().size();
        assertTrue(calls._is_a("IDL:everything/Calls:1.0"));
        assertTrue(!calls._non_existent());
        assertTrue(!calls._is_a("IDL:everything/Other:1.0"));
        assertEquals(before, ToyGroup.named(group).log().size());
    }

    private static Nested nested(String name, int points) {
        Point[] path = new Point[points];
        for (int i = 0; i < points; i++) {
            path[i] = new Point((byte) i, i / 3.0, 1L << (40 + i));
        }
        return new Nested(name, new Point((byte) 9, -0.5, Long.MIN_VALUE), path);
    }

    private static String text(Nested nested) {
        StringBuilder text = new StringBuilder(nested.name);
        text.append(nested.at.tag).append(nested.at.x).append(nested.at.y);
        for (Point point : nested.path) {
            text.append(';').append(point.tag).append(point.x).append(point.y);
        }
        return text.toString();
    }
}
