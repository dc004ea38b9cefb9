package org.amo.determinism.agent;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Tells the runtime of the begin and the end of a static initializer, whichever way it ends. */
final class StaticInitializer extends MethodVisitor {
    static final String METHOD = "<clinit>";

    private static final String TOLD = "org/amo/determinism/runtime/StaticInitializers";

    private final String owner;
    private final int version;
    private final Label begun = new Label();

    /**
     * @param owner the class, as an internal name
     * @param version of the class file
     */
    StaticInitializer(MethodVisitor out, String owner, int version) {
        super(ClassRewriter.API, out);
        this.owner = owner;
        this.version = version;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitLdcInsn(owner.replace('/', '.'));
        super.visitMethodInsn(Opcodes.INVOKESTATIC, TOLD, "begin", "(Ljava/lang/String;)V", false);
        super.visitLabel(begun);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.RETURN) {
            tellEnd();
        }
        super.visitInsn(opcode);
    }

    /** The handler stands behind those of the class, so that theirs come first. */
    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        Label failed = new Label();
        super.visitTryCatchBlock(begun, failed, failed, null);
        super.visitLabel(failed);
        if (version >= Opcodes.V1_6) {
            super.visitFrame(Opcodes.F_FULL, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
        }
        tellEnd();
        super.visitInsn(Opcodes.ATHROW);
        super.visitMaxs(maxStack, maxLocals);
    }

    private void tellEnd() {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, TOLD, "end", "()V", false);
    }
}
