package org.amo.determinism.check;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.analysis.Value;

/**
 * A value on the stack or in a local variable: its type as far as it is known, and its origin.
 *
 * @param type the type, or Object where several meet
 */
record TrackedValue(Type type, Origin origin) implements Value {
    static final Type OBJECT = Type.getObjectType("java/lang/Object");

    static TrackedValue of(Type type) {
        return new TrackedValue(type, Origin.UNKNOWN);
    }

    @Override
    public int getSize() {
        return type.getSort() == Type.LONG || type.getSort() == Type.DOUBLE ? 2 : 1;
    }

    /** The internal name of the type, or its descriptor if it is an array; empty for a primitive. */
    String typeName() {
        return type.getSort() == Type.OBJECT || type.getSort() == Type.ARRAY ? type.getInternalName() : "";
    }

    TrackedValue withType(Type other) {
        return new TrackedValue(other, origin);
    }

    /**
     * The instruction that made a value.
     *
     * @param detail the field as owner.name, the created type, the called method, the constant
     * @param site index of the instruction of {@link Kind#NEW}, {@link Kind#CALL} and {@link Kind#LAMBDA}
     * @param root holds the value, directly or through other objects: {@link #THIS}, or a static field as owner.name; empty if
     *     neither does
     */
    record Origin(Kind kind, String detail, int site, String root) {
        static final String THIS = "this";
        static final Origin UNKNOWN = new Origin(Kind.UNKNOWN, "", 0, "");
        static final Origin NULL = new Origin(Kind.CONSTANT, "null", 0, "");

        Origin withRoot(String other) {
            return new Origin(kind, detail, site, other);
        }

        /** Whether a static field holds the value. */
        boolean isStatic() {
            return !root.isEmpty() && !root.equals(THIS);
        }

        boolean isField() {
            return kind == Kind.FIELD || kind == Kind.STATIC_FIELD;
        }
    }

    /** The ways to a value. */
    enum Kind {
        UNKNOWN,
        THIS,
        PARAMETER,
        FIELD,
        STATIC_FIELD,
        NEW,
        CALL,
        LAMBDA,
        CONSTANT
    }
}
