package org.amo.interceptors.jacorb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.jacorb.orb.CodeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCodePackage.BadKind;

/** What is nested so deep that reading it would overflow the stack, and what is not. */
class ArgumentStreamTest {
    private static final int DEEP = 200_000;
    private static final ORB JACORB = orb();

    private static ORB orb() {
        Properties properties = new Properties();
        properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
        properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
        return ORB.init(new String[0], properties);
    }

    private static final int LATIN_1 = 0x0001_0001;
    private static final int UTF_16 = 0x0001_0109;

    @AfterAll
    static void end() {
        JACORB.shutdown(true);
    }

    @Test
    void someLevelsAreRead() throws BadKind {
        org.omg.CORBA.Any any = stream(anys(50)).read_any();
        for (int i = 0; i < 50; i++) {
            any = any.extract_any();
        }
        assertEquals(TCKind.tk_null, any.type().kind());
        org.omg.CORBA.TypeCode type = stream(sequences(50)).read_TypeCode();
        for (int i = 0; i < 50; i++) {
            type = type.content_type();
        }
        assertEquals(TCKind.tk_long, type.kind());
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 700, DEEP})
    void deeperAnysAreRefused(int levels) {
        refused(assertThrows(MARSHAL.class, () -> stream(anys(levels)).read_any()));
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 700, DEEP})
    void deeperTypeCodesAreRefused(int levels) {
        refused(assertThrows(MARSHAL.class, () -> stream(sequences(levels)).read_TypeCode()));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 1 << 28, 17, -1, Integer.MIN_VALUE})
    void aWideStringThatClaimsMoreThanHasComeIsRefusedBeforeItIsAllocated(int claimed) {
        for (int minor = 1; minor <= 2; minor++) {
            ArgumentStream in = stream(ByteBuffer.allocate(20).putInt(claimed).array());
            in.setGIOPMinor(minor);
            in.setCodeSet(CodeSet.getCodeSet(LATIN_1), CodeSet.getCodeSet(UTF_16));
            assertEquals(CompletionStatus.COMPLETED_NO, assertThrows(MARSHAL.class, in::read_wstring).completed);
        }
    }

    @Test
    void aWideStringIsRead() {
        ArgumentStream in = stream(new byte[] {0, 0, 0, 4, 0, 'a', 0, 'b'});
        in.setGIOPMinor(2);
        in.setCodeSet(CodeSet.getCodeSet(LATIN_1), CodeSet.getCodeSet(UTF_16));
        assertEquals("ab", in.read_wstring());
    }

    @ParameterizedTest
    @ValueSource(ints = {0x7FFF_FF06, 0x7FFF_FF0E, 0x7FFF_FF07})
    void aValueThatClaimsMoreRepositoryIdsThanHaveComeIsRefused(int tag) {
        for (int claimed : new int[] {Integer.MAX_VALUE, 1 << 28, -1}) {
            byte[] plain = ByteBuffer.allocate(40).putInt(tag).putInt(claimed).array();
            refusedIds(assertThrows(MARSHAL.class, () -> stream(plain).read_value()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x7FFF_FF06, 0x7FFF_FF0E})
    void theSameOfAValueInsideAnotherBehindTheLengthOfAChunk(int tag) {
        String id = "IDL:NumberAndValue:1.0";
        ((org.omg.CORBA_2_3.ORB) JACORB).register_value_factory(id, in -> {
            assertEquals(7, in.read_long());
            return in.read_value();
        });
        ByteBuffer bytes = ByteBuffer.allocate(100);
        // In chunks: one with a number, one with the other value.
        bytes.putInt(0x7FFF_FF0A).putInt(id.length() + 1).put(id.getBytes(StandardCharsets.US_ASCII));
        bytes.position((bytes.position() + 1 + 3) & -4);
        bytes.putInt(4).putInt(7);
        bytes.putInt(32).putInt(tag).putInt(Integer.MAX_VALUE);
        refusedIds(assertThrows(MARSHAL.class, () -> stream(bytes.array()).read_value()));
    }

    /** JacORB reads it, and the claimed number of repository ids behind it. */
    @ParameterizedTest
    @ValueSource(ints = {0x7FFF_FF07, 0x7FFF_FF0F})
    void aValueWithACodeBaseIsRefused(int tag) {
        byte[] bytes = ByteBuffer.allocate(40)
                .putInt(tag)
                .putInt(2)
                .put(new byte[] {'x', 0, 0, 0})
                .putInt(Integer.MAX_VALUE)
                .array();
        refusedIds(assertThrows(MARSHAL.class, () -> stream(bytes).read_value()));
    }

    private static void refusedIds(MARSHAL thrown) {
        assertEquals(CompletionStatus.COMPLETED_NO, thrown.completed);
        assertEquals(
                "a value has a code base, or more repository ids than bytes",
                thrown.getMessage().split(" {2}", -1)[0]);
    }

    private static void refused(MARSHAL thrown) {
        assertEquals(CompletionStatus.COMPLETED_NO, thrown.completed);
        assertEquals(
                "the arguments have Anys or TypeCodes nested deeper than 64 levels",
                thrown.getMessage().split(" {2}", -1)[0]);
    }

    private static ArgumentStream stream(byte[] bytes) {
        return new ArgumentStream(JACORB, bytes, false);
    }

    /** An Any in an Any in an Any. */
    private static byte[] anys(int levels) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * (levels + 1));
        for (int i = 0; i < levels; i++) {
            bytes.putInt(TCKind._tk_any);
        }
        return bytes.putInt(TCKind._tk_null).array();
    }

    /** The TypeCode of a sequence of sequences of sequences of long. */
    private static byte[] sequences(int levels) {
        // Of each: kind, length, byte order and padding in front; the bound behind.
        ByteBuffer bytes = ByteBuffer.allocate(16 * levels + 4);
        for (int i = 0; i < levels; i++) {
            bytes.putInt(TCKind._tk_sequence);
            bytes.putInt(4 + 16 * (levels - i - 1) + 4 + 4);
            bytes.putInt(0);
        }
        bytes.putInt(TCKind._tk_long);
        for (int i = 0; i < levels; i++) {
            bytes.putInt(0);
        }
        return bytes.array();
    }
}
