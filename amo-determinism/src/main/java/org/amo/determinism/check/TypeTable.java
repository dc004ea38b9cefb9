package org.amo.determinism.check;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.objectweb.asm.Type;

/** The types of an application and of its libraries, and their hierarchy. */
final class TypeTable {
    private static final String OBJECT = "java/lang/Object";

    private final ClassFiles files;
    private final Libraries libraries;

    private final Map<String, Optional<TypeInfo>> types = new HashMap<>();
    private final Map<String, List<String>> children = new HashMap<>();
    private final Map<String, List<String>> ancestors = new HashMap<>();
    private final Map<String, Set<String>> nests = new HashMap<>();
    private final Map<String, TypeInfo> application = new LinkedHashMap<>();
    private final Map<String, String> broken = new TreeMap<>();
    private final Set<String> missing = new LinkedHashSet<>();

    TypeTable(ClassFiles files, Libraries libraries) {
        this.files = files;
        this.libraries = libraries;
        for (String name : files.names()) {
            if (!libraries.contain(name)) {
                find(name).ifPresent(type -> {
                    application.put(name, type);
                    nests.computeIfAbsent(top(name), key -> new LinkedHashSet<>())
                            .add(name);
                    parents(type).forEach(parent -> children.computeIfAbsent(parent, key -> new ArrayList<>())
                            .add(name));
                });
            }
        }
    }

    /** The type, unless it is missing or broken. */
    Optional<TypeInfo> find(String name) {
        Optional<TypeInfo> known = types.get(name);
        if (known == null) {
            known = read(name);
            types.put(name, known);
        }
        if (known.isEmpty() && !name.isEmpty() && !files.names().contains(name)) {
            missing.add(Type.getObjectType(name).getClassName());
        }
        return known;
    }

    Collection<TypeInfo> application() {
        return application.values();
    }

    boolean isApplication(String name) {
        return application.containsKey(name);
    }

    /** The content of an application's class file. */
    byte[] bytes(String name) throws IOException {
        return files.read(name).orElseThrow();
    }

    /** Whether a class file of the application contains a text, a class name for instance. */
    boolean mentions(String name, String text) throws IOException {
        return new String(bytes(name), StandardCharsets.ISO_8859_1).contains(text);
    }

    Set<String> providers(String service) {
        return files.providers(service);
    }

    /** Class files that cannot be read, with the cause. */
    Map<String, String> broken() {
        return broken;
    }

    void markBroken(String name, String cause) {
        broken.putIfAbsent(name, cause);
    }

    /** Types that were asked for and are not on the class path. */
    Set<String> missing() {
        return missing;
    }

    /** The type itself and all types above it, those that are near first. */
    List<String> withAncestors(String name) {
        List<String> known = ancestors.get(name);
        if (known == null) {
            Set<String> found = new LinkedHashSet<>(List.of(name));
            Deque<String> left = new ArrayDeque<>(found);
            while (!left.isEmpty()) {
                find(left.remove())
                        .ifPresent(type ->
                                parents(type).stream().filter(found::add).forEach(left::add));
            }
            known = List.copyOf(found);
            ancestors.put(name, known);
        }
        return known;
    }

    boolean isSubtype(String name, String ancestor) {
        return withAncestors(name).contains(ancestor);
    }

    /** The application's types below a type; not the type itself. */
    Set<String> descendants(String name) {
        Set<String> found = new LinkedHashSet<>();
        Deque<String> left = new ArrayDeque<>(List.of(name));
        while (!left.isEmpty()) {
            children.getOrDefault(left.remove(), List.of()).stream()
                    .filter(found::add)
                    .forEach(left::add);
        }
        return found;
    }

    /** A top-level type of the application and the types within it. */
    Set<String> nest(String top) {
        return nests.getOrDefault(top, Set.of());
    }

    /** The type that declares the method that a call of this type means: a class before interfaces. */
    Optional<TypeInfo> declaring(String owner, String name, String descriptor) {
        Optional<TypeInfo> type = find(owner);
        while (type.isPresent()) {
            if (type.get().method(name, descriptor).isPresent()) {
                return type;
            }
            type = find(type.get().superName());
        }
        Optional<TypeInfo> found = Optional.empty();
        for (String ancestor : withAncestors(owner)) {
            Optional<TypeInfo> candidate =
                    find(ancestor).filter(each -> each.method(name, descriptor).isPresent());
            boolean body =
                    candidate.filter(each -> each.hasBody(name, descriptor)).isPresent();
            if (body) {
                return candidate;
            }
            found = found.or(() -> candidate);
        }
        return found;
    }

    /** The application's methods with a body that a virtual call may run. */
    Set<MethodKey> targets(String owner, String name, String descriptor) {
        Set<MethodKey> targets = new LinkedHashSet<>();
        // A lambda has the default methods of its interface; an abstract class has no objects of its own.
        if (find(owner).filter(type -> type.isInterface() || !type.isAbstract()).isPresent()) {
            addTarget(owner, name, descriptor, targets);
        }
        for (String below : descendants(owner)) {
            if (find(below).filter(type -> !type.isAbstract()).isPresent()) {
                addTarget(below, name, descriptor, targets);
            }
        }
        return targets;
    }

    private void addTarget(String receiver, String name, String descriptor, Set<MethodKey> targets) {
        declaring(receiver, name, descriptor)
                .filter(type -> isApplication(type.name()))
                .filter(type -> type.hasBody(name, descriptor))
                .ifPresent(type -> targets.add(new MethodKey(type.name(), name, descriptor)));
    }

    /** Whether a type above an application's type, not the application's, has the method. */
    boolean overridesLibrary(String owner, String name, String descriptor) {
        return withAncestors(owner).stream()
                .filter(ancestor -> !isApplication(ancestor))
                .anyMatch(ancestor -> find(ancestor)
                        .map(type -> type.method(name, descriptor).isPresent())
                        .orElse(true));
    }

    /** A field with the type that declares it. */
    Optional<Map.Entry<String, TypeInfo.FieldInfo>> field(String owner, String name) {
        for (String ancestor : withAncestors(owner)) {
            Optional<TypeInfo.FieldInfo> field =
                    find(ancestor).map(type -> type.fields().get(name));
            if (field.isPresent()) {
                return Optional.of(Map.entry(ancestor, field.get()));
            }
        }
        return Optional.empty();
    }

    /** The top-level type around a type, by javac's names. */
    static String top(String name) {
        int nested = name.indexOf('$', name.lastIndexOf('/') + 1);
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static List<String> parents(TypeInfo type) {
        List<String> parents = new ArrayList<>();
        if (!type.superName().isEmpty()) {
            parents.add(type.superName());
        } else if (!type.name().equals(OBJECT)) {
            parents.add(OBJECT);
        }
        parents.addAll(type.interfaces());
        return parents;
    }

    private Optional<TypeInfo> read(String name) {
        if (name.isEmpty() || name.startsWith("[")) {
            return name.isEmpty() ? Optional.empty() : find(OBJECT);
        }
        try {
            Optional<TypeInfo> type = files.read(name).map(TypeInfo::read);
            // Below another folder than its package, the JVM does not find it either.
            return type.filter(read -> read.name().equals(name));
        } catch (IOException | RuntimeException e) {
            // ASM has no exception of its own for a broken file.
            broken.put(name, cause(e));
            return Optional.empty();
        }
    }

    static String cause(Exception e) {
        return e instanceof IndexOutOfBoundsException || e.getMessage() == null
                ? "it is cut off, or no class file"
                : e.getMessage();
    }

    boolean isLibrary(String name) {
        return libraries.contain(name);
    }
}
