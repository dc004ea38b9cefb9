package org.amo.determinism.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.determinism.check.TrackedValue.Kind;
import org.amo.determinism.check.TrackedValue.Origin;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/** The calls that make the objects of a field, as far as its class, its nest and its subclasses show them. */
final class FieldContents {
    /**
     * Makers of a field's objects.
     *
     * @param makers constructors and static methods, as owner.name and descriptor
     * @param complete whether no other value was seen; false for a field that nothing seen assigns
     */
    record Content(Set<String> makers, boolean complete) {
        Content {
            makers = Set.copyOf(makers);
        }
    }

    private static final String UNKNOWN = "";

    /** Methods that wrap their first argument and keep its order. */
    private static final List<String> WRAPPERS = List.of(
            "java/util/Collections.synchronized",
            "java/util/Collections.unmodifiable",
            "java/util/Collections.checked",
            "java/util/Collections.newSetFromMap",
            "java/util/Objects.requireNonNull");

    /** Streams that pass on to another one, which their constructor gets. */
    private static final Set<String> DECORATORS = Set.of(
            "java/io/BufferedInputStream",
            "java/io/BufferedOutputStream",
            "java/io/BufferedReader",
            "java/io/BufferedWriter",
            "java/io/DataInputStream",
            "java/io/DataOutputStream",
            "java/io/InputStreamReader",
            "java/io/ObjectInputStream",
            "java/io/ObjectOutputStream",
            "java/io/OutputStreamWriter",
            "java/io/PrintStream",
            "java/io/PrintWriter");

    private final TypeTable types;
    private final MethodBodies bodies;
    private final Map<String, Content> known = new HashMap<>();

    FieldContents(TypeTable types, MethodBodies bodies) {
        this.types = types;
        this.bodies = bodies;
    }

    /** The content of a field of the application. */
    Content of(String owner, String name) {
        Content content = known.get(owner + "." + name);
        if (content == null) {
            content = read(owner, name);
            known.put(owner + "." + name, content);
        }
        return content;
    }

    private Content read(String owner, String name) {
        Set<String> makers = new HashSet<>();
        for (String writer : writers(owner)) {
            for (MethodBody body : bodies.all(writer)) {
                for (int at = 0; at < body.size(); at++) {
                    if (body.isLive(at)
                            && isStore(body.instruction(at).getOpcode())
                            && body.instruction(at) instanceof FieldInsnNode store
                            && store.name.equals(name)
                            && isField(store, owner)) {
                        TrackedValue value = body.stack(at, 0);
                        if (!value.origin().equals(Origin.NULL)) {
                            makers.add(maker(body, value));
                        }
                    }
                }
            }
        }
        boolean complete = !makers.isEmpty() && !makers.contains(UNKNOWN);
        makers.remove(UNKNOWN);
        return new Content(makers, complete);
    }

    private Set<String> writers(String owner) {
        Set<String> writers = new HashSet<>(types.descendants(owner));
        writers.add(owner);
        writers.addAll(types.nest(TypeTable.top(owner)));
        return writers;
    }

    private static boolean isStore(int opcode) {
        return opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC;
    }

    private boolean isField(FieldInsnNode store, String owner) {
        return store.owner.equals(owner)
                || types.field(store.owner, store.name)
                        .filter(field -> field.getKey().equals(owner))
                        .isPresent();
    }

    /** The call that made a value, as owner.name and descriptor; empty if it is unknown. */
    static String maker(MethodBody body, TrackedValue value) {
        Origin origin = value.origin();
        if (origin.kind() == Kind.STATIC_FIELD) {
            return origin.detail();
        }
        if (origin.kind() == Kind.CALL) {
            return WRAPPERS.stream().anyMatch(origin.detail()::startsWith)
                    ? wrapped(body, origin.site())
                    : origin.detail();
        }
        if (origin.kind() != Kind.NEW) {
            return UNKNOWN;
        }
        for (int at = origin.site(); at < body.size(); at++) {
            if (body.instruction(at) instanceof MethodInsnNode call
                    && call.name.equals(MethodKey.CONSTRUCTOR)
                    && body.isLive(at)
                    && body.operands(at, call).get(0).origin().equals(origin)) {
                List<TrackedValue> operands = body.operands(at, call);
                return DECORATORS.contains(call.owner) && operands.size() > 1 && isStream(operands.get(1))
                        ? maker(body, operands.get(1))
                        : call.owner + "." + call.name + call.desc;
            }
        }
        return UNKNOWN;
    }

    private static boolean isStream(TrackedValue value) {
        String type = value.typeName();
        return type.startsWith("java/io/") && !type.equals("java/io/File");
    }

    private static String wrapped(MethodBody body, int site) {
        return body.instruction(site) instanceof MethodInsnNode call
                        && !body.operands(site, call).isEmpty()
                ? maker(body, body.operands(site, call).get(0))
                : UNKNOWN;
    }
}
