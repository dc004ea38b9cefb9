package org.amo.determinism.check;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;

/** Lambdas and method references of the whole application, by the interface that they implement. */
final class LambdaSites {
    /**
     * One of them.
     *
     * @param around the method that makes it
     * @param line of that method
     */
    record Site(MethodKey around, int line, Handle target) {}

    private static final String FACTORY = "java/lang/invoke/LambdaMetafactory";

    private final TypeTable types;
    private final Map<String, List<Site>> sites = new HashMap<>();
    private boolean complete;

    LambdaSites(TypeTable types) {
        this.types = types;
    }

    /** The method that a lambda runs, if the instruction makes one. */
    static Optional<Handle> target(InvokeDynamicInsnNode instruction) {
        return target(instruction.bsm, instruction.bsmArgs);
    }

    private static Optional<Handle> target(Handle bootstrap, Object[] arguments) {
        return bootstrap.getOwner().equals(FACTORY) && arguments[1] instanceof Handle handle
                ? Optional.of(handle)
                : Optional.empty();
    }

    /** Those that implement an interface. */
    List<Site> of(String type) {
        if (!complete) {
            types.application().forEach(each -> read(each.name()));
            complete = true;
        }
        return sites.getOrDefault(type, List.of());
    }

    private void read(String owner) {
        try {
            if (types.mentions(owner, FACTORY)) {
                new ClassReader(types.bytes(owner)).accept(new Visitor(owner), ClassReader.SKIP_FRAMES);
            }
        } catch (IOException | RuntimeException e) {
            // ASM has no exception of its own for a broken file.
            types.markBroken(owner, TypeTable.cause(e));
        }
    }

    private final class Visitor extends ClassVisitor {
        private final String owner;

        Visitor(String owner) {
            super(TypeInfo.API);
            this.owner = owner;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            MethodKey around = new MethodKey(owner, name, descriptor);
            return new MethodVisitor(TypeInfo.API) {
                private int line;

                @Override
                public void visitLineNumber(int number, Label start) {
                    line = number;
                }

                @Override
                public void visitInvokeDynamicInsn(String method, String type, Handle bootstrap, Object... arguments) {
                    target(bootstrap, arguments).ifPresent(handle -> sites.computeIfAbsent(
                                    Type.getReturnType(type).getInternalName(), key -> new ArrayList<>())
                            .add(new Site(around, line, handle)));
                }
            };
        }
    }
}
