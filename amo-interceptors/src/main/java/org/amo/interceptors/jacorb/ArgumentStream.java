package org.amo.interceptors.jacorb;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import org.jacorb.orb.CDRInputStream;
import org.jacorb.orb.CodeSet;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.BoxedValueHelper;

/**
 * Reads the arguments of an ordered request and bounds their nesting. JacORB reads nested values by recursion, so a few
 * hundred kilobytes overflow the stack, and the stack's size depends on the process. Therefore Anys, TypeCodes and
 * valuetypes nested deeper than a limit are MARSHAL, COMPLETED_NO, at every member alike. One thread owns it.
 */
final class ArgumentStream extends CDRInputStream {
    /**
     * Anys and TypeCodes inside each other, give or take {@link #TYPES_LOOK}. JacORB's time for them grows with the square of the
     * levels: 500 take 30 ms at every member.
     */
    static final int MOST_TYPES = 64;

    /** Valuetypes inside each other, give or take {@link #VALUES_LOOK}: a list of them nests as deep as it is long. */
    static final int MOST_VALUES = 512;

    /** One look at the stack in so many reads: JacORB tells the depth only by the frames on the stack. */
    private static final int TYPES_LOOK = 16;

    private static final int VALUES_LOOK = 64;

    private static final StackWalker STACK = StackWalker.getInstance();
    private static final String READER = CDRInputStream.class.getName();
    private static final Set<String> TYPES = Set.of("read_any", "read_TypeCode");
    private static final Set<String> VALUES = Set.of("read_value");

    /** The smallest tag of a value; a smaller number is the length of a chunk. */
    private static final int FIRST_VALUE = 0x7FFF_FF00;

    /** In the tag of a value: a list of repository ids follows; a code base stands before them. */
    private static final int IDS = 0x7FFF_FF06;

    private static final int CODE_BASE = 1;
    private static final int CHUNKED = 8;

    private final byte[] bytes;
    private final ByteOrder order;
    private int types;
    private int values;

    ArgumentStream(ORB orb, byte[] bytes, boolean littleEndian) {
        super(orb, bytes, littleEndian);
        this.bytes = bytes;
        this.order = littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    @Override
    public void setCodeSet(CodeSet codeSet, CodeSet codeSetWide) {
        super.setCodeSet(codeSet, new WideCodeSet(codeSetWide, bytes.length));
    }

    /**
     * JacORB compares the length of a sequence with it only while it is above 0; a claimed length at the very end of the
     * arguments would else be allocated.
     */
    @Override
    public int available() {
        return Math.max(1, super.available());
    }

    /** JacORB marks where each TypeCode begins, that of an Any and one inside another too. */
    @Override
    public void mark(int limit) {
        types++;
        if (types % TYPES_LOOK == 0) {
            look(TYPES, MOST_TYPES, "Anys or TypeCodes");
        }
        super.mark(limit);
    }

    @Override
    public Serializable read_value() {
        enterValue();
        return super.read_value();
    }

    @Override
    public Serializable read_value(String repositoryId) {
        enterValue();
        return super.read_value(repositoryId);
    }

    @Override
    public Serializable read_value(Serializable value) {
        enterValue();
        return super.read_value(value);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Serializable read_value(Class type) {
        enterValue();
        return super.read_value(type);
    }

    @Override
    public Serializable read_value(BoxedValueHelper factory) {
        enterValue();
        return super.read_value(factory);
    }

    private void enterValue() {
        checkIds();
        values++;
        if (values % VALUES_LOOK == 0) {
            look(VALUES, MOST_VALUES, "valuetypes");
        }
    }

    /** JacORB allocates the claimed number of repository ids before it reads the first one. */
    private void checkIds() {
        int at = get_pos() + 3 & -4;
        if (peek(at) > 0 && peek(at) < FIRST_VALUE) {
            at += Integer.BYTES;
        }
        int tag = peek(at);
        if ((tag & ~CODE_BASE) != IDS && (tag & ~CODE_BASE) != (IDS | CHUNKED)) {
            return;
        }
        long ids = peek(at + Integer.BYTES) & 0xFFFF_FFFFL;
        if ((tag & CODE_BASE) != 0 || Integer.BYTES * ids > bytes.length - at) {
            throw new MARSHAL(
                    "a value has a code base, or more repository ids than bytes", 0, CompletionStatus.COMPLETED_NO);
        }
    }

    /** 0 beyond the end. */
    private int peek(int at) {
        return at + Integer.BYTES > bytes.length
                ? 0
                : ByteBuffer.wrap(bytes).order(order).getInt(at);
    }

    /** Which level is looked at follows from the bytes alone, so every member refuses the same requests. */
    private static void look(Set<String> levels, int most, String what) {
        long found = STACK.walk(frames -> frames.filter(
                        frame -> frame.getClassName().equals(READER) && levels.contains(frame.getMethodName()))
                .limit(most + 1L)
                .count());
        if (found > most) {
            throw new MARSHAL(
                    "the arguments have " + what + " nested deeper than " + most + " levels",
                    0,
                    CompletionStatus.COMPLETED_NO);
        }
    }
}
