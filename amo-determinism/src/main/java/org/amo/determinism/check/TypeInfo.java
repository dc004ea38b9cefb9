package org.amo.determinism.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The header of a class file.
 *
 * @param name internal name
 * @param superName empty for Object
 * @param methods access flags by name and descriptor
 * @param fields by name
 */
record TypeInfo(
        String name,
        int access,
        String superName,
        List<String> interfaces,
        Map<String, Integer> methods,
        Map<String, FieldInfo> fields) {

    static final int API = Opcodes.ASM9;

    /** A field; its generic signature is its descriptor where it has none. */
    record FieldInfo(int access, String descriptor, String signature) {
        boolean isSynthetic() {
            return (access & Opcodes.ACC_SYNTHETIC) != 0;
        }
    }

    /** Reads the header; throws some RuntimeException if the file is broken. */
    static TypeInfo read(byte[] classFile) {
        Header header = new Header();
        new ClassReader(classFile).accept(header, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
        return header.result();
    }

    boolean isInterface() {
        return (access & Opcodes.ACC_INTERFACE) != 0;
    }

    boolean isAbstract() {
        return (access & Opcodes.ACC_ABSTRACT) != 0;
    }

    /** The flags of a method that this type declares. */
    Optional<Integer> method(String name, String descriptor) {
        return Optional.ofNullable(methods.get(name + descriptor));
    }

    /** Whether this type declares the method, and not as abstract. */
    boolean hasBody(String method, String descriptor) {
        return method(method, descriptor)
                .filter(flags -> (flags & Opcodes.ACC_ABSTRACT) == 0)
                .isPresent();
    }

    private static final class Header extends ClassVisitor {
        private final Map<String, Integer> methods = new LinkedHashMap<>();
        private final Map<String, FieldInfo> fields = new LinkedHashMap<>();
        private String name = "";
        private String superName = "";
        private List<String> interfaces = List.of();
        private int access;

        Header() {
            super(API);
        }

        TypeInfo result() {
            return new TypeInfo(name, access, superName, interfaces, methods, fields);
        }

        @Override
        public void visit(
                int version,
                int flags,
                String typeName,
                @Nullable String signature,
                @Nullable String parent,
                String @Nullable [] types) {
            access = flags;
            name = typeName;
            superName = parent == null ? "" : parent;
            interfaces = types == null ? List.of() : List.of(types);
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int flags, String method, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            methods.put(method + descriptor, flags);
            return null;
        }

        @Override
        public @Nullable FieldVisitor visitField(
                int flags, String field, String descriptor, @Nullable String signature, @Nullable Object value) {
            fields.put(field, new FieldInfo(flags, descriptor, signature == null ? descriptor : signature));
            return null;
        }
    }
}
