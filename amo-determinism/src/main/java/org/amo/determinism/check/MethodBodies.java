package org.amo.determinism.check;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.amo.determinism.check.TrackedValue.Kind;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;

/** Reads the methods of the application's classes when they are asked for. */
final class MethodBodies {
    private final TypeTable types;
    private final Map<String, Map<String, MethodNode>> classes = new HashMap<>();
    private final Map<MethodKey, Optional<MethodBody>> bodies = new HashMap<>();
    private final Map<MethodKey, String> roots = new HashMap<>();
    private final Set<MethodKey> rootsInProgress = new HashSet<>();

    MethodBodies(TypeTable types) {
        this.types = types;
    }

    /** The method, if it is the application's and has instructions. */
    Optional<MethodBody> find(MethodKey key) {
        Optional<MethodBody> known = bodies.get(key);
        if (known == null) {
            known = Optional.ofNullable(methods(key.owner()).get(key.signature()))
                    .filter(node -> node.instructions.size() > 0)
                    .map(node -> analyze(key, node));
            bodies.put(key, known);
        }
        return known;
    }

    /** All methods with instructions of one class. */
    List<MethodBody> all(String owner) {
        List<MethodBody> all = new ArrayList<>();
        methods(owner).values().forEach(node -> find(new MethodKey(owner, node.name, node.desc))
                .ifPresent(all::add));
        return all;
    }

    /** The methods of one class without an analysis of their values. */
    Map<String, MethodNode> methods(String owner) {
        Map<String, MethodNode> known = classes.get(owner);
        if (known == null) {
            known = types.isApplication(owner) ? read(owner) : Map.of();
            classes.put(owner, known);
        }
        return known;
    }

    private Map<String, MethodNode> read(String owner) {
        Map<String, MethodNode> methods = new LinkedHashMap<>();
        try {
            ClassNode node = new ClassNode(TypeInfo.API);
            new ClassReader(types.bytes(owner)).accept(node, 0);
            node.methods.forEach(method -> methods.put(method.name + method.desc, method));
        } catch (IOException | RuntimeException e) {
            // ASM has no exception of its own for a broken file.
            types.markBroken(owner, TypeTable.cause(e));
        }
        return methods;
    }

    private MethodBody analyze(MethodKey key, MethodNode node) {
        List<@Nullable Frame<TrackedValue>> frames = List.of();
        try {
            Analyzer<TrackedValue> analyzer =
                    new Analyzer<>(new ValueInterpreter(node.instructions, this::returnedRoot));
            frames = new ArrayList<>(Arrays.asList(analyzer.analyze(key.owner(), node)));
        } catch (AnalyzerException e) {
            // Its calls are still seen, but not the values that they get.
            frames = List.of();
        }
        return new MethodBody(key, node, frames);
    }

    /** The static field that a static method of the application returns at each of its ends; empty if there is none. */
    private String returnedRoot(MethodInsnNode call) {
        MethodKey key = new MethodKey(call.owner, call.name, call.desc);
        if (call.getOpcode() != Opcodes.INVOKESTATIC || !types.isApplication(call.owner)) {
            return "";
        }
        String known = roots.get(key);
        if (known == null) {
            // A method that calls itself returns nothing that its other returns do not.
            known = rootsInProgress.add(key) ? find(key).map(this::returnedRoot).orElse("") : "";
            rootsInProgress.remove(key);
            roots.put(key, known);
        }
        return known;
    }

    private String returnedRoot(MethodBody body) {
        Set<String> roots = new HashSet<>();
        for (int at = 0; at < body.size(); at++) {
            if (body.instruction(at).getOpcode() == Opcodes.ARETURN && body.isLive(at)) {
                TrackedValue value = body.stack(at, 0);
                roots.add(
                        value.origin().kind() == Kind.STATIC_FIELD
                                ? value.origin().root()
                                : "");
            }
        }
        return roots.size() == 1 ? roots.iterator().next() : "";
    }
}
