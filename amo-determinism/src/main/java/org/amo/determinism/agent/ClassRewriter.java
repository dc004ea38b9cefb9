package org.amo.determinism.agent;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.amo.determinism.agent.Substitution.Form;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Replaces call sites and method references, and gives a class its identity hash. It keeps the frames of each method: at no
 * place has a replacement another type than a subclass of the original.
 */
final class ClassRewriter extends ClassVisitor {
    static final int API = Opcodes.ASM9;

    private static final String OBJECT = "java/lang/Object";
    private static final String HASH_CODE = "hashCode";
    private static final String RETURNS_INT = "()I";
    private static final String TIMES = "org/amo/determinism/runtime/TimeSubstitutes";
    private static final String TASKS = "org/amo/determinism/runtime/ThreadStarts";
    private static final String SEEDS = "org/amo/determinism/runtime/RandomSubstitutes";

    private final Substitutions substitutions;
    private final Inheritance inheritance;
    private final boolean numbered;
    private final boolean ordersTasks;
    private final boolean loaded;
    private final Map<String, OrderedCalls.Site> references = new LinkedHashMap<>();
    private String name = "";
    private int version;
    private boolean isInterface;
    private OrderedCalls calls = new OrderedCalls("", 0);
    private boolean declaresHashCode;
    private boolean asksForIdentity;
    private boolean changed;
    private boolean initializes;

    /** Tells from which classes of the JDK a class of the application could have a static method. */
    @FunctionalInterface
    interface Inheritance {
        /** The classes of the JDK above it, from the lowest up; empty if a class of the application's declares the method. */
        List<String> ofJdk(String type, String method, String descriptor);
    }

    /**
     * @param numbered whether the class inherits the identity hash of {@link Object} and shall have a number instead
     * @param ordersTasks whether tasks of an operation run in its thread
     * @param loaded whether the class is there already, so that it can be given no members
     */
    ClassRewriter(
            ClassVisitor out,
            Substitutions substitutions,
            Inheritance inheritance,
            boolean numbered,
            boolean ordersTasks,
            boolean loaded) {
        super(API, out);
        this.substitutions = substitutions;
        this.inheritance = inheritance;
        this.numbered = numbered;
        this.ordersTasks = ordersTasks;
        this.loaded = loaded;
    }

    /** Whether the class has a source, so that it differs from the original. */
    boolean hasChanged() {
        return changed;
    }

    /** Whether it has a static initializer, which may reach sources in other classes. */
    boolean isInitialized() {
        return initializes;
    }

    @Override
    public void visit(
            int classVersion,
            int access,
            String className,
            @Nullable String signature,
            @Nullable String superName,
            String @Nullable [] interfaces) {
        name = className;
        version = classVersion & 0xFFFF;
        isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
        calls = new OrderedCalls(name, version);
        String superclass = superName == null ? null : substitutions.classFor(superName);
        changed |= superclass != null && !superclass.equals(superName);
        super.visit(classVersion, access, className, signature, superclass, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
            int access,
            String methodName,
            String descriptor,
            @Nullable String signature,
            String @Nullable [] exceptions) {
        declaresHashCode |= methodName.equals(HASH_CODE) && descriptor.equals(RETURNS_INT);
        MethodVisitor out = super.visitMethod(access, methodName, descriptor, signature, exceptions);
        if (!methodName.equals(StaticInitializer.METHOD)) {
            return new Body(out);
        }
        initializes = true;
        return new Body(new StaticInitializer(out, name, version));
    }

    @Override
    public void visitEnd() {
        if (numbered && (!declaresHashCode || asksForIdentity)) {
            changed = true;
            IdentityNumber number = new IdentityNumber(cv, name, version);
            number.add();
            if (!declaresHashCode) {
                number.addHashCode();
            }
        }
        references.forEach((method, site) -> addReferenced(method, site));
        super.visitEnd();
    }

    /** A method that makes the call of a method reference. */
    private void addReferenced(String method, OrderedCalls.Site site) {
        String descriptor = method.substring(method.indexOf('('));
        MethodVisitor body = cv.visitMethod(
                Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
                method.substring(0, method.indexOf('(')),
                descriptor,
                null,
                null);
        body.visitCode();
        int variable = 0;
        for (Type parameter : Type.getArgumentTypes(descriptor)) {
            body.visitVarInsn(parameter.getOpcode(Opcodes.ILOAD), variable);
            variable += parameter.getSize();
        }
        calls.write(site, body);
        body.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
        body.visitMaxs(0, 0);
        body.visitEnd();
    }

    /**
     * The reference to a method that starts a task or waits for one.
     *
     * @param captured the parameters of the call that makes the object with the method
     */
    private Handle taskHandle(Handle handle, Type... captured) {
        OptionalInt opcode = opcode(handle.getTag());
        if (!ordersTasks || loaded || version < Opcodes.V1_8 || opcode.isEmpty()) {
            return handle;
        }
        OrderedCalls.Site site = new OrderedCalls.Site(
                opcode.getAsInt(), handle.getOwner(), handle.getName(), handle.getDesc(), handle.isInterface());
        if (!calls.contain(site)) {
            return handle;
        }
        changed = true;
        String object = captured.length > 0 ? captured[0].getDescriptor() : "L" + handle.getOwner() + ";";
        String descriptor = site.isStatic()
                ? handle.getDesc()
                : "(" + object + handle.getDesc().substring(1);
        String method = "amo$task$" + references.size();
        references.put(method + descriptor, site);
        return new Handle(Opcodes.H_INVOKESTATIC, name, method, descriptor, isInterface);
    }

    private static OptionalInt opcode(int tag) {
        return switch (tag) {
            case Opcodes.H_INVOKESTATIC -> OptionalInt.of(Opcodes.INVOKESTATIC);
            case Opcodes.H_INVOKEVIRTUAL -> OptionalInt.of(Opcodes.INVOKEVIRTUAL);
            case Opcodes.H_INVOKEINTERFACE -> OptionalInt.of(Opcodes.INVOKEINTERFACE);
            default -> OptionalInt.empty();
        };
    }

    /** A static method may be called by the name of a subclass. */
    private Optional<Substitution> substitution(boolean isStatic, String owner, String methodName, String descriptor) {
        Optional<Substitution> found = substitutions.of(owner, methodName, descriptor);
        if (found.isPresent() || !isStatic || !substitutions.mayInherit(methodName, descriptor)) {
            return found;
        }
        return inheritance.ofJdk(owner, methodName, descriptor).stream()
                .flatMap(type -> substitutions.of(type, methodName, descriptor).stream())
                .findFirst();
    }

    /** The reference that stands for another; the same if none does. */
    private Handle handle(Handle handle) {
        Optional<Substitution> found = substitution(
                handle.getTag() == Opcodes.H_INVOKESTATIC, handle.getOwner(), handle.getName(), handle.getDesc());
        if (found.isEmpty()) {
            return handle;
        }
        changed = true;
        Substitution substitution = found.get();
        return substitution.form() == Form.CLASS
                ? new Handle(
                        handle.getTag(),
                        substitution.replacementName(),
                        handle.getName(),
                        handle.getDesc(),
                        handle.isInterface())
                : new Handle(
                        Opcodes.H_INVOKESTATIC,
                        substitution.replacement(),
                        substitution.replacementName(),
                        substitution.replacementDescriptor(),
                        false);
    }

    private final class Body extends MethodVisitor {
        /** Objects of a class that were made, and whose constructor has not been called. */
        private final Map<String, Integer> unfinished = new HashMap<>();

        Body(MethodVisitor out) {
            super(API, out);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            String made = type;
            if (opcode == Opcodes.NEW) {
                unfinished.merge(type, 1, Integer::sum);
                made = substitutions.classFor(type);
                changed |= !made.equals(type);
            }
            super.visitTypeInsn(opcode, made);
        }

        @Override
        public void visitMethodInsn(
                int opcode, String owner, String methodName, String descriptor, boolean isInterface) {
            boolean constructor = opcode == Opcodes.INVOKESPECIAL && methodName.equals(Substitutions.NEW);
            boolean fresh = constructor && unfinished.getOrDefault(owner, 0) > 0;
            if (fresh) {
                unfinished.merge(owner, -1, Integer::sum);
            }
            if (numbered
                    && opcode == Opcodes.INVOKESPECIAL
                    && owner.equals(OBJECT)
                    && methodName.equals(HASH_CODE)
                    && descriptor.equals(RETURNS_INT)) {
                asksForIdentity = true;
                super.visitMethodInsn(Opcodes.INVOKESPECIAL, name, IdentityNumber.METHOD, RETURNS_INT, false);
                return;
            }
            if (ordersTasks) {
                OrderedCalls.Site site = new OrderedCalls.Site(opcode, owner, methodName, descriptor, isInterface);
                if (calls.contain(site)) {
                    changed = true;
                    calls.write(site, mv);
                    return;
                }
            } else if (opcode != Opcodes.INVOKESPECIAL) {
                tellTask(opcode, owner, methodName, descriptor);
            }
            Optional<Substitution> found = substitution(opcode == Opcodes.INVOKESTATIC, owner, methodName, descriptor);
            if (found.isEmpty() || (opcode == Opcodes.INVOKESPECIAL && !constructor)) {
                super.visitMethodInsn(opcode, owner, methodName, descriptor, isInterface);
                return;
            }
            changed = true;
            Substitution substitution = found.get();
            switch (substitution.form()) {
                case STATIC, INSTANCE -> callStatic(substitution);
                case CLASS ->
                    super.visitMethodInsn(opcode, substitution.replacementName(), methodName, descriptor, false);
                case NUMBER -> {
                    boolean time = substitution.kind() == Kind.TIME;
                    super.visitMethodInsn(
                            Opcodes.INVOKESTATIC,
                            time ? TIMES : SEEDS,
                            time ? "systemCurrentTimeMillis" : "seed",
                            "()J",
                            false);
                    super.visitMethodInsn(opcode, owner, methodName, "(J)V", false);
                }
                case CALENDAR -> {
                    super.visitMethodInsn(opcode, owner, methodName, descriptor, false);
                    if (fresh) {
                        super.visitInsn(Opcodes.DUP);
                    } else {
                        super.visitVarInsn(Opcodes.ALOAD, 0);
                    }
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, TIMES, "set", "(Ljava/util/Calendar;)V", false);
                }
            }
        }

        /** In front of the call, with the object on top of the stack only if it has no arguments. */
        private void tellTask(int opcode, String owner, String methodName, String descriptor) {
            if (TaskCalls.containElsewhere(owner, methodName)) {
                changed = true;
                super.visitLdcInsn(owner.replace('/', '.') + "." + methodName);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "starts", "(Ljava/lang/String;)V", false);
            } else if (opcode == Opcodes.INVOKEVIRTUAL && methodName.equals("start") && descriptor.equals("()V")) {
                changed = true;
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "startsIfThread", "(Ljava/lang/Object;)V", false);
            }
        }

        private void callStatic(Substitution substitution) {
            super.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    substitution.replacement(),
                    substitution.replacementName(),
                    substitution.replacementDescriptor(),
                    false);
        }

        @Override
        public void visitInvokeDynamicInsn(
                String methodName, String descriptor, Handle bootstrap, Object... arguments) {
            Type[] captured = Type.getArgumentTypes(descriptor);
            super.visitInvokeDynamicInsn(
                    methodName,
                    descriptor,
                    bootstrap,
                    Arrays.stream(arguments)
                            .map(each ->
                                    each instanceof Handle reference ? taskHandle(handle(reference), captured) : each)
                            .toArray());
        }

        @Override
        public void visitLdcInsn(Object value) {
            super.visitLdcInsn(value instanceof Handle reference ? handle(reference) : value);
        }
    }
}
