package org.amo.determinism.agent;

import org.amo.base.OperationAgent;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Adds a number to a class, which stands for the identity hash of its objects. The field is not transient: a number that was
 * asked for is in the serial form, and so in snapshots.
 */
final class IdentityNumber {
    static final String FIELD = OperationAgent.IDENTITY_FIELD;
    static final String METHOD = FIELD;

    private static final String SOURCE = "org/amo/determinism/runtime/IdentitySubstitutes";

    private final ClassVisitor out;
    private final String owner;
    private final int version;

    IdentityNumber(ClassVisitor out, String owner, int version) {
        this.out = out;
        this.owner = owner;
        this.version = version;
    }

    /** The field, and the method that fills it under the lock of all. */
    void add() {
        out.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC, FIELD, "I", null, null)
                .visitEnd();
        MethodVisitor body = out.visitMethod(Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC, METHOD, "()I", null, null);
        Label locked = new Label();
        Label unlocked = new Label();
        Label failed = new Label();
        Label failing = new Label();
        Label given = new Label();
        Label known = new Label();
        body.visitCode();
        body.visitTryCatchBlock(locked, unlocked, failed, null);
        body.visitTryCatchBlock(failed, failing, failed, null);
        get(body);
        body.visitVarInsn(Opcodes.ISTORE, 1);
        body.visitVarInsn(Opcodes.ILOAD, 1);
        body.visitJumpInsn(Opcodes.IFNE, known);
        body.visitFieldInsn(Opcodes.GETSTATIC, SOURCE, "LOCK", "Ljava/lang/Object;");
        body.visitInsn(Opcodes.DUP);
        body.visitVarInsn(Opcodes.ASTORE, 2);
        body.visitInsn(Opcodes.MONITORENTER);
        body.visitLabel(locked);
        get(body);
        body.visitVarInsn(Opcodes.ISTORE, 1);
        body.visitVarInsn(Opcodes.ILOAD, 1);
        body.visitJumpInsn(Opcodes.IFNE, given);
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitMethodInsn(Opcodes.INVOKESTATIC, SOURCE, "next", "(Ljava/lang/Object;)I", false);
        body.visitVarInsn(Opcodes.ISTORE, 1);
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitVarInsn(Opcodes.ILOAD, 1);
        body.visitFieldInsn(Opcodes.PUTFIELD, owner, FIELD, "I");
        body.visitLabel(given);
        frame(body, new Object[] {owner, Opcodes.INTEGER, "java/lang/Object"}, new Object[0]);
        body.visitVarInsn(Opcodes.ALOAD, 2);
        body.visitInsn(Opcodes.MONITOREXIT);
        body.visitLabel(unlocked);
        body.visitJumpInsn(Opcodes.GOTO, known);
        body.visitLabel(failed);
        frame(body, new Object[] {owner, Opcodes.INTEGER, "java/lang/Object"}, new Object[] {"java/lang/Throwable"});
        body.visitVarInsn(Opcodes.ALOAD, 2);
        body.visitInsn(Opcodes.MONITOREXIT);
        body.visitLabel(failing);
        body.visitInsn(Opcodes.ATHROW);
        body.visitLabel(known);
        frame(body, new Object[] {owner, Opcodes.INTEGER}, new Object[0]);
        body.visitVarInsn(Opcodes.ILOAD, 1);
        body.visitInsn(Opcodes.IRETURN);
        body.visitMaxs(0, 0);
        body.visitEnd();
    }

    void addHashCode() {
        MethodVisitor body = out.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC, "hashCode", "()I", null, null);
        body.visitCode();
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitMethodInsn(Opcodes.INVOKESPECIAL, owner, METHOD, "()I", false);
        body.visitInsn(Opcodes.IRETURN);
        body.visitMaxs(0, 0);
        body.visitEnd();
    }

    private void get(MethodVisitor body) {
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitFieldInsn(Opcodes.GETFIELD, owner, FIELD, "I");
    }

    /** Class files before Java 6 have no frames. */
    private void frame(MethodVisitor body, Object[] locals, Object[] stack) {
        if (version >= Opcodes.V1_6) {
            body.visitFrame(Opcodes.F_FULL, locals.length, locals, stack.length, stack);
        }
    }
}
