package org.amo.determinism.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.amo.determinism.check.HashCodes.Hash;
import org.amo.determinism.check.TrackedValue.Kind;
import org.amo.determinism.check.TrackedValue.Origin;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Finds iterations in an order that differs between JVMs: over hash tables if the JVM draws the hash codes of the keys, over
 * tables by identity, and over the immutable sets and maps of the JDK, which depend on a number that each JVM draws.
 * A collection is known by its field, or by its allocation if that is in the same method.
 */
final class IterationOrder {
    /**
     * An iteration that has to be reported.
     *
     * @param deterministic whether drawn hash codes of the application's classes are its only fault
     */
    record Fault(String collection, boolean deterministic) {}

    /** An iteration, to be judged when all keys are known. */
    private record Iteration(String collection, Set<String> makers, Consumer<Fault> report) {}

    private static final Set<String> ITERATIONS = Set.of(
            "iterator",
            "forEach",
            "stream",
            "parallelStream",
            "toArray",
            "spliterator",
            "elements",
            "keys",
            "toString",
            "replaceAll");

    private static final Set<String> PUTS =
            Set.of("add", "put", "putIfAbsent", "computeIfAbsent", "compute", "merge", "addElement");

    /** Constructors and methods that keep the order of the collection that they get. */
    private static final Set<String> COPIES = Set.of(
            "java/util/ArrayList.<init>",
            "java/util/LinkedList.<init>",
            "java/util/Vector.<init>",
            "java/util/ArrayDeque.<init>",
            "java/util/LinkedHashSet.<init>",
            "java/util/LinkedHashMap.<init>",
            "java/util/List.copyOf",
            "java/util/List.addAll",
            "java/util/ArrayList.addAll",
            "java/util/LinkedHashSet.addAll",
            "java/util/LinkedHashMap.putAll",
            "java/lang/String.join");

    private static final List<String> HASHED = List.of(
            "java/util/HashMap.",
            "java/util/HashSet.",
            "java/util/Hashtable.",
            "java/util/concurrent/ConcurrentHashMap.");

    private static final String BY_IDENTITY = "java/util/IdentityHashMap.";

    private final TypeTable types;
    private final HashCodes hashes;
    private final FieldContents contents;

    private final Map<String, Set<String>> keys = new HashMap<>();
    private final List<Iteration> iterations = new ArrayList<>();

    IterationOrder(TypeTable types, HashCodes hashes, FieldContents contents) {
        this.types = types;
        this.hashes = hashes;
        this.contents = contents;
    }

    /** Looks at a call of a library's method; the report comes with {@link #judge}. */
    void onCall(MethodBody body, int at, MethodInsnNode call, Consumer<Fault> report) {
        List<TrackedValue> operands = body.operands(at, call);
        boolean instance = call.getOpcode() != Opcodes.INVOKESTATIC;
        if (instance && call.owner.startsWith("java/util/") && operands.size() > 1 && PUTS.contains(call.name)) {
            String collection = collection(body, operands.get(0));
            keys.computeIfAbsent(collection, key -> new HashSet<>())
                    .add(operands.get(1).typeName());
        }
        boolean iterates = instance
                && (call.owner.startsWith("java/util/") || call.owner.equals("java/lang/Iterable"))
                && ITERATIONS.contains(call.name);
        if (iterates) {
            add(body, operands.get(0), report);
        } else if (COPIES.contains(call.owner + "." + call.name) && operands.size() > 1) {
            add(body, operands.get(operands.size() - 1), report);
        } else if (COPIES.contains(call.owner + "." + call.name) && !instance && operands.size() == 1) {
            add(body, operands.get(0), report);
        }
    }

    /** Reports the iterations in an order that can differ. */
    void judge() {
        for (Iteration iteration : iterations) {
            iteration.makers().stream()
                    .map(maker -> fault(maker, iteration.collection()))
                    .flatMap(Optional::stream)
                    .min(Comparator.comparing(Fault::deterministic).thenComparing(Fault::collection))
                    .ifPresent(iteration.report());
        }
    }

    private void add(MethodBody body, TrackedValue value, Consumer<Fault> report) {
        String collection = collection(body, value);
        Origin origin = value.origin();
        if (origin.isField() && !collection.isEmpty()) {
            String owner = collection.substring(0, collection.lastIndexOf('.'));
            String name = collection.substring(collection.lastIndexOf('.') + 1);
            addDeclaredKey(owner, name, collection);
            Set<String> makers = new HashSet<>(contents.of(owner, name).makers());
            types.field(owner, name).ifPresent(field -> {
                String type = Type.getType(field.getValue().descriptor()).getInternalName();
                if (makers.isEmpty()) {
                    // Assigned from a parameter; the declared class may still tell.
                    makers.add(type + ".<init>");
                }
            });
            iterations.add(new Iteration(collection, makers, report));
        } else if (origin.kind() == Kind.NEW || origin.kind() == Kind.CALL) {
            String maker = FieldContents.maker(body, value);
            if (!maker.isEmpty()) {
                iterations.add(new Iteration(collection, Set.of(maker), report));
            }
        }
    }

    private void addDeclaredKey(String owner, String name, String collection) {
        types.field(owner, name)
                .map(field -> firstArgument(field.getValue().signature()))
                .filter(type -> !type.isEmpty())
                .ifPresent(type ->
                        keys.computeIfAbsent(collection, key -> new HashSet<>()).add(type));
    }

    /** The first type argument of a generic signature as an internal name; empty if it has none or is a variable. */
    static String firstArgument(String signature) {
        int begin = signature.indexOf('<') + 1;
        if (begin == 0) {
            return "";
        }
        char first = signature.charAt(begin);
        if (first == '+' || first == '-') {
            begin++;
        }
        if (signature.charAt(begin) == '[') {
            return "[Ljava/lang/Object;";
        }
        if (signature.charAt(begin) != 'L') {
            return "";
        }
        int end = begin + 1;
        while (";<".indexOf(signature.charAt(end)) < 0) {
            end++;
        }
        return signature.substring(begin + 1, end);
    }

    private String collection(MethodBody body, TrackedValue value) {
        Origin origin = value.origin();
        if (origin.isField()) {
            String owner = origin.detail().substring(0, origin.detail().lastIndexOf('.'));
            String name = origin.detail().substring(origin.detail().lastIndexOf('.') + 1);
            return types.field(owner, name)
                    .filter(field -> types.isApplication(field.getKey()))
                    .map(field -> field.getKey() + "." + name)
                    .orElse("");
        }
        return origin.kind() == Kind.NEW || origin.kind() == Kind.CALL ? body.key() + "#" + origin.site() : "";
    }

    private Optional<Fault> fault(String maker, String collection) {
        if (isDrawnOrder(maker)) {
            return Optional.of(new Fault(words(maker), false));
        }
        if (maker.startsWith(BY_IDENTITY)) {
            return Optional.of(new Fault("IdentityHashMap", false));
        }
        if (HASHED.stream().noneMatch(maker::startsWith)) {
            return Optional.empty();
        }
        return keys.getOrDefault(collection, Set.of()).stream()
                .filter(key -> hashes.of(key) != Hash.COMPUTED)
                .max(Comparator.comparing(hashes::of).thenComparing(Comparator.naturalOrder()))
                .map(key -> new Fault(
                        words(maker) + " of " + MethodKey.simpleName(key), hashes.of(key) == Hash.OF_APPLICATION));
    }

    /** Immutable sets and maps of two and more elements. */
    private static boolean isDrawnOrder(String maker) {
        return maker.startsWith("java/util/Set.copyOf")
                || maker.startsWith("java/util/Map.copyOf")
                || maker.startsWith("java/util/Map.ofEntries")
                || isOfSeveral(maker, "java/util/Set.of(", 1)
                || isOfSeveral(maker, "java/util/Map.of(", 2);
    }

    private static boolean isOfSeveral(String maker, String prefix, int one) {
        return maker.startsWith(prefix)
                && (maker.startsWith(prefix + "[")
                        || Type.getArgumentTypes(maker.substring(prefix.length() - 1)).length > one);
    }

    /** HashMap of java/util/HashMap.&lt;init&gt;()V, Set.of of java/util/Set.of(...). */
    private static String words(String maker) {
        int descriptor = maker.indexOf('(');
        String method = descriptor < 0 ? maker : maker.substring(0, descriptor);
        int dot = method.lastIndexOf('.');
        String type = MethodKey.simpleName(method.substring(0, dot));
        String name = method.substring(dot + 1);
        return name.equals(MethodKey.CONSTRUCTOR) ? type : type + "." + name;
    }
}
