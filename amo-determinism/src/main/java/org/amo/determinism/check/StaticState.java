package org.amo.determinism.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.determinism.check.TrackedValue.Origin;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Finds changes of state that static fields hold: assignments of the fields themselves, and changes of objects that they
 * refer to. Reads, and the assignments of static initializers, are constants.
 */
final class StaticState {
    private static final List<String> CHANGES = List.of(
            "add",
            "put",
            "remove",
            "set",
            "clear",
            "compute",
            "merge",
            "replace",
            "retain",
            "push",
            "pop",
            "poll",
            "offer",
            "sort",
            "increment",
            "decrement",
            "getAnd",
            "accumulate",
            "update",
            "compareAnd",
            "weakCompareAnd",
            "lazySet",
            "append",
            "insert",
            "delete",
            "drainTo",
            "roll",
            "reset",
            "complete");

    private static final List<String> CHANGEABLE = List.of(
            "java/util/",
            "java/lang/StringBuilder",
            "java/lang/StringBuffer",
            "java/lang/Iterable",
            "java/nio/ByteBuffer",
            "java/text/");

    private static final List<String> UNCHANGEABLE =
            List.of("java/util/logging/", "java/util/stream/", "java/util/function/", "java/util/regex/");

    /** The helper classes of an IDL compiler make their type codes on demand, and keep them in static fields. */
    private static final String TYPE_CODE = "Lorg/omg/CORBA/TypeCode;";

    private static final int DEPTH = 4;

    private final TypeTable types;
    private final MethodBodies bodies;
    private final Map<MethodKey, Boolean> changing = new HashMap<>();

    StaticState(TypeTable types, MethodBodies bodies) {
        this.types = types;
        this.bodies = bodies;
    }

    /** The static state that an instruction changes, in words. */
    Optional<String> changed(MethodBody body, int at) {
        AbstractInsnNode instruction = body.instruction(at);
        int opcode = instruction.getOpcode();
        if (instruction instanceof FieldInsnNode field && opcode == Opcodes.PUTSTATIC) {
            boolean ignored = field.desc.equals(TYPE_CODE)
                    || isOfHelper(field)
                    || types.field(field.owner, field.name)
                            .map(found -> found.getValue().isSynthetic())
                            .orElse(false);
            return ignored ? Optional.empty() : Optional.of(words(field.owner + "." + field.name));
        }
        if (instruction instanceof FieldInsnNode && opcode == Opcodes.PUTFIELD) {
            return held(body.stack(at, 1));
        }
        if (isArrayStore(opcode)) {
            return held(body.stack(at, 2));
        }
        if (instruction instanceof MethodInsnNode call
                && opcode != Opcodes.INVOKESTATIC
                && !call.name.startsWith("<")) {
            Optional<String> held = held(body.operands(at, call).get(0));
            return held.filter(field -> types.isApplication(call.owner)
                            ? types.targets(call.owner, call.name, call.desc).stream()
                                    .anyMatch(target -> changesReceiver(target, DEPTH))
                            : isChange(call.owner, call.name))
                    .map(field -> field + "." + call.name);
        }
        return Optional.empty();
    }

    private Optional<String> held(TrackedValue value) {
        return Optional.of(value.origin())
                .filter(Origin::isStatic)
                .map(Origin::root)
                .filter(root -> types.isApplication(root.substring(0, root.lastIndexOf('.'))))
                .map(StaticState::words);
    }

    private boolean isOfHelper(FieldInsnNode field) {
        return field.owner.endsWith("Helper")
                && types.find(field.owner)
                        .filter(type -> type.methods().containsKey("type()" + TYPE_CODE))
                        .isPresent();
    }

    /** Whether a method of the application changes its own object. */
    private boolean changesReceiver(MethodKey method, int depth) {
        Boolean known = changing.get(method);
        if (known == null) {
            // While the method is looked at, a call of itself changes nothing more.
            changing.put(method, false);
            known = bodies.find(method)
                    .map(body -> changesReceiver(body, depth))
                    .orElse(false);
            changing.put(method, known);
        }
        return known;
    }

    private boolean changesReceiver(MethodBody body, int depth) {
        for (int at = 0; at < body.size(); at++) {
            AbstractInsnNode instruction = body.instruction(at);
            int opcode = instruction.getOpcode();
            if (!body.isLive(at)) {
                continue;
            }
            boolean ofField = opcode == Opcodes.PUTFIELD && isOwn(body.stack(at, 1));
            boolean ofArray = isArrayStore(opcode) && isOwn(body.stack(at, 2));
            if (ofField || ofArray) {
                return true;
            }
            if (instruction instanceof MethodInsnNode call
                    && opcode != Opcodes.INVOKESTATIC
                    && !call.name.startsWith("<")
                    && isOwn(body.operands(at, call).get(0))) {
                boolean change = types.isApplication(call.owner)
                        ? depth > 0
                                && types.targets(call.owner, call.name, call.desc).stream()
                                        .anyMatch(target -> changesReceiver(target, depth - 1))
                        : isChange(call.owner, call.name);
                if (change) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isArrayStore(int opcode) {
        return opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE;
    }

    private static boolean isOwn(TrackedValue value) {
        return value.origin().root().equals(Origin.THIS);
    }

    private static boolean isChange(String owner, String name) {
        return CHANGEABLE.stream().anyMatch(owner::startsWith)
                && UNCHANGEABLE.stream().noneMatch(owner::startsWith)
                && CHANGES.stream().anyMatch(name::startsWith);
    }

    private static String words(String field) {
        int dot = field.lastIndexOf('.');
        return MethodKey.simpleName(field.substring(0, dot)) + "." + field.substring(dot + 1);
    }
}
