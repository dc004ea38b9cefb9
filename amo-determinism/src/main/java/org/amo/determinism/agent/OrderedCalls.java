package org.amo.determinism.agent;

import java.util.Optional;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Writes the calls of one class that start tasks or wait for them, so that the tasks of an operation run in its thread. A call on an
 * object of the application's class is linked when that class is known, so no class is loaded here.
 */
final class OrderedCalls {
    private static final String TASKS = "org/amo/determinism/runtime/TaskSubstitutes";
    private static final String STARTS = "org/amo/determinism/runtime/ThreadStarts";
    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String EXECUTOR = "Ljava/util/concurrent/Executor;";
    private static final String COMPLETION_SERVICE = CONCURRENT + "ExecutorCompletionService";
    private static final Set<String> FUTURES = Set.of(CONCURRENT + "CompletableFuture", CONCURRENT + "CompletionStage");
    private static final String THREAD = "java/lang/Thread";

    /** Their replacements call the method by itself: from one that overrides it, they would come back to it for ever. */
    private static final Set<String> CALLED_BY_REPLACEMENT =
            Set.of("awaitTermination(JLjava/util/concurrent/TimeUnit;)Z", "isTerminated()Z", "cancel()V");

    private static final Handle LINK = new Handle(
            Opcodes.H_INVOKESTATIC,
            "org/amo/determinism/runtime/TaskSites",
            "link",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;"
                    + "Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodHandle;I)Ljava/lang/invoke/CallSite;",
            false);

    private final String className;
    private final int version;

    /** @param version of the class file */
    OrderedCalls(String className, int version) {
        this.className = className;
        this.version = version;
    }

    /** A call as the class has it. */
    record Site(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        boolean isSpecial() {
            return opcode == Opcodes.INVOKESPECIAL;
        }

        boolean isStatic() {
            return opcode == Opcodes.INVOKESTATIC;
        }

        /** With the object first. */
        private String withObject(String type) {
            return isStatic() ? descriptor : "(L" + type + ";" + descriptor.substring(1);
        }
    }

    /** Whether the call starts a task or waits for one. */
    boolean contain(Site site) {
        return isAsync(site)
                || isBuilder(site)
                || isCompletionService(site)
                || OrderedCall.of(site.owner, site.name, site.descriptor).isPresent()
                || isOfApplication(site)
                || TaskCalls.contain(site.owner, site.name);
    }

    /** Writes the call, or its replacement. */
    void write(Site site, MethodVisitor out) {
        if (isAsync(site)) {
            writeAsync(site, out);
        } else if (isCompletionService(site)) {
            writeCompletionService(site, out);
        } else if (isBuilder(site)) {
            out.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    TASKS,
                    "builderStart",
                    "(Ljava/lang/Object;Ljava/lang/Runnable;)Ljava/lang/Thread;",
                    false);
        } else {
            Optional<OrderedCall> ofJdk = OrderedCall.of(site.owner, site.name, site.descriptor);
            if (ofJdk.isPresent() && !site.isSpecial()) {
                writeReplacement(ofJdk.get(), out);
            } else if (isOfApplication(site)) {
                writeOfApplication(
                        site,
                        OrderedCall.ofApplication(site.name, site.descriptor).orElseThrow(),
                        out);
            } else {
                if (!site.isSpecial() && isTold(site)) {
                    writeRefusal(site, out);
                }
                out.visitMethodInsn(site.opcode, site.owner, site.name, site.descriptor, site.isInterface);
            }
        }
    }

    private static boolean isAsync(Site site) {
        return FUTURES.contains(site.owner) && site.name.endsWith("Async");
    }

    /** Each such method has a twin with an executor as its last parameter. */
    private static void writeAsync(Site site, MethodVisitor out) {
        boolean given = site.descriptor.contains(EXECUTOR + ")");
        out.visitMethodInsn(
                Opcodes.INVOKESTATIC, TASKS, "executor", (given ? "(" + EXECUTOR + ")" : "()") + EXECUTOR, false);
        out.visitMethodInsn(
                site.opcode,
                site.owner,
                site.name,
                given ? site.descriptor : site.descriptor.replace(")", EXECUTOR + ")"),
                site.isInterface);
    }

    private static boolean isCompletionService(Site site) {
        return site.owner.equals(COMPLETION_SERVICE) && site.name.equals(Substitutions.NEW);
    }

    private static void writeCompletionService(Site site, MethodVisitor out) {
        boolean behind = !site.descriptor.contains(EXECUTOR + ")");
        if (behind) {
            out.visitInsn(Opcodes.SWAP);
        }
        out.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "executor", "(" + EXECUTOR + ")" + EXECUTOR, false);
        if (behind) {
            out.visitInsn(Opcodes.SWAP);
        }
        out.visitMethodInsn(site.opcode, site.owner, site.name, site.descriptor, site.isInterface);
    }

    private static boolean isBuilder(Site site) {
        return site.owner.startsWith(THREAD + "$Builder") && site.name.equals("start");
    }

    /** Sorting in parallel has one result. */
    private static boolean isTold(Site site) {
        return TaskCalls.contain(site.owner, site.name) && !site.name.equals("parallelSort");
    }

    private boolean isOfApplication(Site site) {
        boolean own = site.isSpecial()
                && (site.owner.equals(className)
                        || site.isInterface
                        || CALLED_BY_REPLACEMENT.contains(site.name + site.descriptor));
        if (own || (site.owner.startsWith("java/") && !site.isSpecial())) {
            return false;
        }
        return OrderedCall.ofApplication(site.name, site.descriptor)
                .filter(call -> call.statically() == site.isStatic())
                .isPresent();
    }

    private static void writeReplacement(OrderedCall call, MethodVisitor out) {
        out.visitMethodInsn(
                Opcodes.INVOKESTATIC, call.holder(), call.replacement().getName(), call.replacementDescriptor(), false);
    }

    private void writeOfApplication(Site site, OrderedCall call, MethodVisitor out) {
        if (site.isStatic()) {
            writeReplacement(call, out);
        } else if (version >= Opcodes.V1_7) {
            Handle original = new Handle(tag(site), site.owner, site.name, site.descriptor, site.isInterface);
            Handle replacement = new Handle(
                    Opcodes.H_INVOKESTATIC,
                    call.holder(),
                    call.replacement().getName(),
                    call.replacementDescriptor(),
                    false);
            out.visitInvokeDynamicInsn(
                    site.name,
                    site.withObject(site.isSpecial() ? className : site.owner),
                    LINK,
                    original,
                    replacement,
                    site.isSpecial() ? 1 : 0);
        } else {
            writeOfOldClass(site, call, out);
        }
    }

    private static int tag(Site site) {
        return switch (site.opcode) {
            case Opcodes.INVOKESPECIAL -> Opcodes.H_INVOKESPECIAL;
            case Opcodes.INVOKEINTERFACE -> Opcodes.H_INVOKEINTERFACE;
            default -> Opcodes.H_INVOKEVIRTUAL;
        };
    }

    /** Such classes have no stack maps that a branch could break, and cannot link. */
    private void writeOfOldClass(Site site, OrderedCall call, MethodVisitor out) {
        boolean branch = !site.isSpecial() && Type.getArgumentTypes(site.descriptor).length == 0;
        Label other = new Label();
        Label end = new Label();
        if (branch) {
            String family = Type.getInternalName(call.family());
            out.visitInsn(Opcodes.DUP);
            out.visitTypeInsn(Opcodes.INSTANCEOF, family);
            out.visitJumpInsn(Opcodes.IFEQ, other);
            out.visitTypeInsn(Opcodes.CHECKCAST, family);
            writeReplacement(call, out);
            out.visitJumpInsn(Opcodes.GOTO, end);
            out.visitLabel(other);
        }
        out.visitMethodInsn(site.opcode, site.owner, site.name, site.descriptor, site.isInterface);
        if (branch) {
            out.visitLabel(end);
        }
    }

    private static void writeRefusal(Site site, MethodVisitor out) {
        out.visitLdcInsn(site.owner.replace('/', '.') + "." + site.name);
        out.visitMethodInsn(Opcodes.INVOKESTATIC, STARTS, "starts", "(Ljava/lang/String;)V", false);
    }
}
