package org.amo.determinism.agent;

import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.SerialVersionUIDAdder;

/** Writes the serial version that a class has by default into it, so that members added later do not change it. */
final class SerialNumber extends SerialVersionUIDAdder {

    SerialNumber(ClassVisitor out) {
        super(ClassRewriter.API, out);
    }

    @Override
    protected void addSVUID(long number) {
        cv.visitField(
                        Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC,
                        "serialVersionUID",
                        "J",
                        null,
                        number)
                .visitEnd();
    }
}
