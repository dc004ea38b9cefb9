package org.amo.determinism.check;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.amo.determinism.check.TrackedValue.Kind;
import org.amo.determinism.check.TrackedValue.Origin;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.Interpreter;

/** Follows types and origins of values through one method. */
final class ValueInterpreter extends Interpreter<TrackedValue> {
    private static final TrackedValue INT = TrackedValue.of(Type.INT_TYPE);
    private static final TrackedValue LONG = TrackedValue.of(Type.LONG_TYPE);
    private static final TrackedValue FLOAT = TrackedValue.of(Type.FLOAT_TYPE);
    private static final TrackedValue DOUBLE = TrackedValue.of(Type.DOUBLE_TYPE);
    private static final TrackedValue REFERENCE = TrackedValue.of(TrackedValue.OBJECT);

    /** A local variable without a value; never on the stack. */
    private static final TrackedValue EMPTY = TrackedValue.of(Type.VOID_TYPE);

    /** Views of a map: their order is the map's. */
    private static final Set<String> VIEWS = Set.of("keySet", "values", "entrySet");

    /** Packages with classes that give away new objects. */
    private static final List<String> NO_COLLECTIONS =
            List.of("java/util/stream/", "java/util/regex/", "java/util/function/", "java/util/logging/");

    private final InsnList instructions;
    private final Function<MethodInsnNode, String> returnedRoot;

    /**
     * For one run over one method.
     *
     * @param returnedRoot the static field that holds the result of a call; empty if none does
     */
    ValueInterpreter(InsnList instructions, Function<MethodInsnNode, String> returnedRoot) {
        super(TypeInfo.API);
        this.instructions = instructions;
        this.returnedRoot = returnedRoot;
    }

    @Override
    public @Nullable TrackedValue newValue(@Nullable Type type) {
        if (type == null) {
            return EMPTY;
        }
        return switch (type.getSort()) {
            case Type.VOID -> null;
            case Type.BOOLEAN, Type.BYTE, Type.CHAR, Type.SHORT, Type.INT -> INT;
            case Type.LONG -> LONG;
            case Type.FLOAT -> FLOAT;
            case Type.DOUBLE -> DOUBLE;
            default -> TrackedValue.of(type);
        };
    }

    @Override
    public TrackedValue newParameterValue(boolean isInstanceMethod, int local, Type type) {
        TrackedValue value = newValue(type);
        if (value == null) {
            return EMPTY;
        }
        boolean self = isInstanceMethod && local == 0;
        return new TrackedValue(
                value.type(),
                self
                        ? new Origin(Kind.THIS, "", 0, Origin.THIS)
                        : new Origin(Kind.PARAMETER, String.valueOf(local), 0, ""));
    }

    @Override
    public TrackedValue newOperation(AbstractInsnNode instruction) {
        return switch (instruction.getOpcode()) {
            case Opcodes.ACONST_NULL -> new TrackedValue(TrackedValue.OBJECT, Origin.NULL);
            case Opcodes.LCONST_0, Opcodes.LCONST_1 -> LONG;
            case Opcodes.FCONST_0, Opcodes.FCONST_1, Opcodes.FCONST_2 -> FLOAT;
            case Opcodes.DCONST_0, Opcodes.DCONST_1 -> DOUBLE;
            case Opcodes.LDC -> constant(((LdcInsnNode) instruction).cst);
            case Opcodes.GETSTATIC -> {
                FieldInsnNode field = (FieldInsnNode) instruction;
                String name = field.owner + "." + field.name;
                yield new TrackedValue(stackType(field.desc), new Origin(Kind.STATIC_FIELD, name, 0, name));
            }
            case Opcodes.NEW -> {
                String type = ((TypeInsnNode) instruction).desc;
                yield new TrackedValue(
                        Type.getObjectType(type), new Origin(Kind.NEW, type, instructions.indexOf(instruction), ""));
            }
            case Opcodes.JSR -> REFERENCE;
            default -> INT;
        };
    }

    @Override
    public TrackedValue copyOperation(AbstractInsnNode instruction, TrackedValue value) {
        return value;
    }

    @Override
    public @Nullable TrackedValue unaryOperation(AbstractInsnNode instruction, TrackedValue value) {
        return switch (instruction.getOpcode()) {
            case Opcodes.I2L, Opcodes.F2L, Opcodes.D2L, Opcodes.LNEG -> LONG;
            case Opcodes.I2F, Opcodes.L2F, Opcodes.D2F, Opcodes.FNEG -> FLOAT;
            case Opcodes.I2D, Opcodes.L2D, Opcodes.F2D, Opcodes.DNEG -> DOUBLE;
            case Opcodes.GETFIELD -> {
                FieldInsnNode field = (FieldInsnNode) instruction;
                yield new TrackedValue(
                        stackType(field.desc),
                        new Origin(
                                Kind.FIELD,
                                field.owner + "." + field.name,
                                0,
                                value.origin().root()));
            }
            case Opcodes.NEWARRAY -> TrackedValue.of(arrayType(((IntInsnNode) instruction).operand));
            case Opcodes.ANEWARRAY ->
                TrackedValue.of(Type.getType("["
                        + Type.getObjectType(((TypeInsnNode) instruction).desc).getDescriptor()));
            case Opcodes.CHECKCAST -> value.withType(Type.getObjectType(((TypeInsnNode) instruction).desc));
            case Opcodes.IFEQ,
                    Opcodes.IFNE,
                    Opcodes.IFLT,
                    Opcodes.IFGE,
                    Opcodes.IFGT,
                    Opcodes.IFLE,
                    Opcodes.TABLESWITCH,
                    Opcodes.LOOKUPSWITCH,
                    Opcodes.IRETURN,
                    Opcodes.LRETURN,
                    Opcodes.FRETURN,
                    Opcodes.DRETURN,
                    Opcodes.ARETURN,
                    Opcodes.PUTSTATIC,
                    Opcodes.ATHROW,
                    Opcodes.MONITORENTER,
                    Opcodes.MONITOREXIT,
                    Opcodes.IFNULL,
                    Opcodes.IFNONNULL -> null;
            default -> INT;
        };
    }

    @Override
    public @Nullable TrackedValue binaryOperation(
            AbstractInsnNode instruction, TrackedValue first, TrackedValue second) {
        int opcode = instruction.getOpcode();
        return switch (opcode) {
            case Opcodes.LALOAD,
                    Opcodes.LADD,
                    Opcodes.LSUB,
                    Opcodes.LMUL,
                    Opcodes.LDIV,
                    Opcodes.LREM,
                    Opcodes.LSHL,
                    Opcodes.LSHR,
                    Opcodes.LUSHR,
                    Opcodes.LAND,
                    Opcodes.LOR,
                    Opcodes.LXOR -> LONG;
            case Opcodes.FALOAD, Opcodes.FADD, Opcodes.FSUB, Opcodes.FMUL, Opcodes.FDIV, Opcodes.FREM -> FLOAT;
            case Opcodes.DALOAD, Opcodes.DADD, Opcodes.DSUB, Opcodes.DMUL, Opcodes.DDIV, Opcodes.DREM -> DOUBLE;
            case Opcodes.AALOAD -> element(first);
            case Opcodes.IF_ICMPEQ,
                    Opcodes.IF_ICMPNE,
                    Opcodes.IF_ICMPLT,
                    Opcodes.IF_ICMPGE,
                    Opcodes.IF_ICMPGT,
                    Opcodes.IF_ICMPLE,
                    Opcodes.IF_ACMPEQ,
                    Opcodes.IF_ACMPNE,
                    Opcodes.PUTFIELD -> null;
            default -> INT;
        };
    }

    @Override
    public @Nullable TrackedValue ternaryOperation(
            AbstractInsnNode instruction, TrackedValue first, TrackedValue second, TrackedValue third) {
        return null;
    }

    @Override
    public @Nullable TrackedValue naryOperation(AbstractInsnNode instruction, List<? extends TrackedValue> operands) {
        if (instruction instanceof MultiANewArrayInsnNode array) {
            return TrackedValue.of(Type.getType(array.desc));
        }
        String descriptor = instruction instanceof InvokeDynamicInsnNode dynamic
                ? dynamic.desc
                : ((MethodInsnNode) instruction).desc;
        TrackedValue result = newValue(Type.getReturnType(descriptor));
        if (instruction instanceof InvokeDynamicInsnNode
                && result != null
                && !result.typeName().isEmpty()) {
            return new TrackedValue(result.type(), new Origin(Kind.LAMBDA, "", instructions.indexOf(instruction), ""));
        }
        if (result == null
                || !(instruction instanceof MethodInsnNode call)
                || result.typeName().isEmpty()) {
            return result;
        }
        boolean instance = call.getOpcode() != Opcodes.INVOKESTATIC;
        boolean collection =
                call.owner.startsWith("java/util/") && NO_COLLECTIONS.stream().noneMatch(call.owner::startsWith);
        if (instance && collection && VIEWS.contains(call.name)) {
            return new TrackedValue(result.type(), operands.get(0).origin());
        }
        String root = instance && collection ? operands.get(0).origin().root() : returnedRoot.apply(call);
        return new TrackedValue(
                result.type(),
                new Origin(
                        Kind.CALL, call.owner + "." + call.name + call.desc, instructions.indexOf(instruction), root));
    }

    @Override
    public void returnOperation(AbstractInsnNode instruction, TrackedValue value, TrackedValue expected) {
        // The scan looks at returned values by itself.
    }

    @Override
    public TrackedValue merge(TrackedValue first, TrackedValue second) {
        if (first.equals(second)) {
            return first;
        }
        if (first.equals(EMPTY) || second.equals(EMPTY) || first.getSize() != second.getSize()) {
            return EMPTY;
        }
        if (first.typeName().isEmpty() || second.typeName().isEmpty()) {
            return first.type().equals(second.type()) ? TrackedValue.of(first.type()) : EMPTY;
        }
        Type type = first.type().equals(second.type()) ? first.type() : TrackedValue.OBJECT;
        String root = first.origin().root().equals(second.origin().root())
                ? first.origin().root()
                : "";
        Origin origin = first.origin().equals(second.origin()) ? first.origin() : Origin.UNKNOWN.withRoot(root);
        return new TrackedValue(type, origin);
    }

    private static Type stackType(String descriptor) {
        Type type = Type.getType(descriptor);
        return switch (type.getSort()) {
            case Type.BOOLEAN, Type.BYTE, Type.CHAR, Type.SHORT -> Type.INT_TYPE;
            default -> type;
        };
    }

    private static TrackedValue element(TrackedValue array) {
        Type type = array.type();
        Type element =
                type.getSort() == Type.ARRAY ? Type.getType(type.getDescriptor().substring(1)) : TrackedValue.OBJECT;
        return new TrackedValue(element, Origin.UNKNOWN.withRoot(array.origin().root()));
    }

    private static TrackedValue constant(Object value) {
        if (value instanceof Integer) {
            return INT;
        } else if (value instanceof Long) {
            return LONG;
        } else if (value instanceof Float) {
            return FLOAT;
        } else if (value instanceof Double) {
            return DOUBLE;
        } else if (value instanceof String text) {
            return new TrackedValue(Type.getObjectType("java/lang/String"), new Origin(Kind.CONSTANT, text, 0, ""));
        } else if (value instanceof Type type && type.getSort() != Type.METHOD) {
            return new TrackedValue(
                    Type.getObjectType("java/lang/Class"), new Origin(Kind.CONSTANT, type.getInternalName(), 0, ""));
        } else if (value instanceof ConstantDynamic dynamic) {
            return TrackedValue.of(stackType(dynamic.getDescriptor()));
        } else if (value instanceof Handle) {
            return TrackedValue.of(Type.getObjectType("java/lang/invoke/MethodHandle"));
        }
        return REFERENCE;
    }

    private static Type arrayType(int operand) {
        return switch (operand) {
            case Opcodes.T_BOOLEAN -> Type.getType("[Z");
            case Opcodes.T_CHAR -> Type.getType("[C");
            case Opcodes.T_FLOAT -> Type.getType("[F");
            case Opcodes.T_DOUBLE -> Type.getType("[D");
            case Opcodes.T_BYTE -> Type.getType("[B");
            case Opcodes.T_SHORT -> Type.getType("[S");
            case Opcodes.T_INT -> Type.getType("[I");
            default -> Type.getType("[J");
        };
    }
}
