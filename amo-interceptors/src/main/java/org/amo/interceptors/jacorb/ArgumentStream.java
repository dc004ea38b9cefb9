package org.amo.interceptors.jacorb;

import java.io.Serializable;
import java.util.Set;
import org.jacorb.orb.CDRInputStream;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.BoxedValueHelper;

/**
 * The arguments of an ordered request. What a client nests in them, each level of it some bytes, is read by recursion: a
 * few hundred kilobytes overflow the stack, and where it ends depends on the process. So Anys, TypeCodes and valuetypes
 * nested deeper than {@link #MOST_NESTED} are MARSHAL, COMPLETED_NO, at every member alike. One thread owns it.
 */
final class ArgumentStream extends CDRInputStream {
    /** Levels of Anys, TypeCodes and valuetypes inside each other, give or take {@link #LOOK_EVERY}. */
    static final int MOST_NESTED = 512;

    /** The stack is looked at that seldom: the frames on it are what JacORB does not tell otherwise. */
    private static final int LOOK_EVERY = 64;

    private static final StackWalker STACK = StackWalker.getInstance();
    private static final String READER = CDRInputStream.class.getName();
    private static final Set<String> LEVELS = Set.of("read_any", "read_TypeCode", "read_value");

    private int entered;

    ArgumentStream(ORB orb, byte[] bytes, boolean littleEndian) {
        super(orb, bytes, littleEndian);
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
        enter();
        super.mark(limit);
    }

    @Override
    public Serializable read_value() {
        enter();
        return super.read_value();
    }

    @Override
    public Serializable read_value(String repositoryId) {
        enter();
        return super.read_value(repositoryId);
    }

    @Override
    public Serializable read_value(Serializable value) {
        enter();
        return super.read_value(value);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Serializable read_value(Class type) {
        enter();
        return super.read_value(type);
    }

    @Override
    public Serializable read_value(BoxedValueHelper factory) {
        enter();
        return super.read_value(factory);
    }

    /** Which level is looked at follows from the bytes alone, so every member refuses the same requests. */
    private void enter() {
        entered++;
        if (entered % LOOK_EVERY != 0) {
            return;
        }
        long levels = STACK.walk(frames -> frames.filter(
                        frame -> frame.getClassName().equals(READER) && LEVELS.contains(frame.getMethodName()))
                .limit(MOST_NESTED + 1L)
                .count());
        if (levels > MOST_NESTED) {
            throw new MARSHAL(
                    "the arguments are nested deeper than " + MOST_NESTED + " levels",
                    0,
                    CompletionStatus.COMPLETED_NO);
        }
    }
}
