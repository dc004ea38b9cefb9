package org.amo.determinism.check;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Whether objects of a type have the same hash code and the same text at each replica. */
final class HashCodes {
    private static final String OBJECT = "java/lang/Object";
    private static final String RECORDS = "java/lang/runtime/ObjectMethods";

    /** The origin of a hash code; a later constant is worse. */
    enum Hash {
        /** Computed from the object's values, or unknown: an interface, or a class with subclasses that compute it. */
        COMPUTED,
        /** Drawn by the JVM for an object of an application's class. */
        OF_APPLICATION,
        /** Drawn by the JVM for an enum constant, a Class, an array or another object of the JDK. */
        OF_JDK
    }

    private final TypeTable types;
    private final MethodBodies bodies;

    HashCodes(TypeTable types, MethodBodies bodies) {
        this.types = types;
        this.bodies = bodies;
    }

    /** The hash code of objects of a static type; internal name, or the descriptor of an array. */
    Hash of(String type) {
        return of(type, new HashSet<>());
    }

    private Hash of(String type, Set<String> seen) {
        if (type.startsWith("[")) {
            return Hash.OF_JDK;
        }
        Optional<TypeInfo> info = types.find(type);
        if (type.isEmpty() || info.isEmpty() || type.equals(OBJECT) || !seen.add(type)) {
            return Hash.COMPUTED;
        }
        if (types.isSubtype(type, "java/lang/Enum")) {
            return Hash.OF_JDK;
        }
        if (info.get().isInterface() || info.get().isAbstract()) {
            return Hash.COMPUTED;
        }
        Optional<TypeInfo> declaring = types.declaring(type, "hashCode", "()I");
        if (declaring.isEmpty()) {
            return Hash.COMPUTED;
        }
        if (declaring.get().name().equals(OBJECT)) {
            return types.isApplication(type) ? Hash.OF_APPLICATION : Hash.OF_JDK;
        }
        if (type.equals("java/lang/Class")) {
            return Hash.OF_JDK;
        }
        return isOfRecord(declaring.get()) ? ofComponents(declaring.get(), seen) : Hash.COMPUTED;
    }

    /** Whether the text of an object names its hash code, as that of Object does. */
    Hash ofText(String type) {
        if (type.startsWith("[")) {
            return Hash.OF_JDK;
        }
        Optional<TypeInfo> info = types.find(type);
        if (info.isEmpty() || info.get().isInterface() || info.get().isAbstract() || !types.isApplication(type)) {
            return Hash.COMPUTED;
        }
        return types.declaring(type, "toString", "()Ljava/lang/String;")
                .filter(declaring -> declaring.name().equals(OBJECT))
                .map(declaring -> of(type))
                .orElse(Hash.COMPUTED);
    }

    /** Whether javac wrote the hashCode. */
    private boolean isOfRecord(TypeInfo type) {
        if (!type.superName().equals("java/lang/Record")) {
            return false;
        }
        MethodNode method = bodies.methods(type.name()).get("hashCode()I");
        if (method != null) {
            for (AbstractInsnNode each : method.instructions) {
                if (each instanceof InvokeDynamicInsnNode dynamic
                        && dynamic.bsm.getOwner().equals(RECORDS)) {
                    return true;
                }
            }
        }
        return false;
    }

    private Hash ofComponents(TypeInfo type, Set<String> seen) {
        Hash worst = Hash.COMPUTED;
        for (TypeInfo.FieldInfo field : type.fields().values()) {
            Type component = Type.getType(field.descriptor());
            boolean object = component.getSort() == Type.OBJECT || component.getSort() == Type.ARRAY;
            if (object && (field.access() & Opcodes.ACC_STATIC) == 0) {
                Hash hash = of(component.getInternalName(), seen);
                worst = hash.compareTo(worst) > 0 ? hash : worst;
            }
        }
        return worst;
    }
}
