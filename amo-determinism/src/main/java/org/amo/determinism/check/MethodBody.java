package org.amo.determinism.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Frame;

/** The instructions of one method, with the values that they find on the stack. */
final class MethodBody {
    private static final TrackedValue UNKNOWN = TrackedValue.of(TrackedValue.OBJECT);

    private final MethodKey key;
    private final InsnList instructions;
    private final int[] lines;
    private final List<@Nullable Frame<TrackedValue>> frames;

    /**
     * Joins a method with its values.
     *
     * @param frames one for each instruction, null where none leads there; empty if the values are unknown
     */
    MethodBody(MethodKey key, MethodNode node, List<@Nullable Frame<TrackedValue>> frames) {
        this.key = key;
        this.instructions = node.instructions;
        this.frames = frames;
        this.lines = new int[instructions.size()];
        int line = 0;
        for (int at = 0; at < lines.length; at++) {
            if (instructions.get(at) instanceof LineNumberNode number) {
                line = number.line;
            }
            lines[at] = line;
        }
    }

    MethodKey key() {
        return key;
    }

    int size() {
        return lines.length;
    }

    AbstractInsnNode instruction(int at) {
        return instructions.get(at);
    }

    /** Whether some run of the method can come to the instruction. */
    boolean isLive(int at) {
        return frames.isEmpty() || frames.get(at) != null;
    }

    int line(int at) {
        return lines[at];
    }

    int firstLine() {
        for (int line : lines) {
            if (line > 0) {
                return line;
            }
        }
        return 0;
    }

    /** The value at a depth of the stack before the instruction; 0 is the top. */
    TrackedValue stack(int at, int depth) {
        Frame<TrackedValue> frame = frames.isEmpty() ? null : frames.get(at);
        if (frame == null || frame.getStackSize() <= depth) {
            return UNKNOWN;
        }
        return frame.getStack(frame.getStackSize() - 1 - depth);
    }

    /** The receiver, unless the call is static, and the arguments. */
    List<TrackedValue> operands(int at, MethodInsnNode call) {
        int count = Type.getArgumentTypes(call.desc).length + (call.getOpcode() == Opcodes.INVOKESTATIC ? 0 : 1);
        List<TrackedValue> operands = new ArrayList<>(count);
        for (int depth = count - 1; depth >= 0; depth--) {
            operands.add(stack(at, depth));
        }
        return operands;
    }

    /** The values in the array that is the last argument of a call, if the array is made and filled just before, as for varargs. */
    List<TrackedValue> elements(int call) {
        List<TrackedValue> elements = new ArrayList<>();
        int size = stackSize(call);
        for (int at = call - 1; at >= 0 && stackSize(at) >= size; at--) {
            int opcode = instruction(at).getOpcode();
            if (opcode == Opcodes.ANEWARRAY && stackSize(at) == size) {
                return elements;
            }
            // The array itself, its copy, the index and the value.
            if (opcode == Opcodes.AASTORE && stackSize(at) == size + 3) {
                elements.add(0, stack(at, 0));
            }
        }
        return List.of();
    }

    private int stackSize(int at) {
        Frame<TrackedValue> frame = frames.isEmpty() ? null : frames.get(at);
        return frame == null ? 0 : frame.getStackSize();
    }
}
