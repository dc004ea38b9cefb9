package org.amo.determinism.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.amo.determinism.check.HashCodes.Hash;
import org.amo.determinism.check.TrackedValue.Kind;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * Walks through the methods that operations reach, breadth first, so that the first way to a method is a shortest one.
 *
 * <p>A call leads to the method that the class hierarchy names and to all that override it. A lambda or method reference
 * leads to its method where it is made. An object that overrides methods of a library leads to these methods where
 * the object is made or given to a library. A class that is used leads to its static initializer.
 */
final class Scanner {
    /** The place of a method's run. The agent knows the first one alone. */
    private enum Mode {
        /** In the operation. */
        OPERATION(""),
        /** In a thread, a timer or the garbage collector. */
        OTHER_THREAD("it runs in a thread of its own, which the agent covers with --threads ordered alone; "),
        /** In a static initializer. */
        INITIALIZER("a static initializer runs once in each JVM, at another position where a replica joins later; ");

        private final String advice;

        Mode(String advice) {
            this.advice = advice;
        }
    }

    /** A method that is reached. */
    private record Step(MethodKey method, Mode mode) {
        Step in(Mode other) {
            return new Step(method, other);
        }
    }

    private record Place(MethodKey method, int line, SourceKind kind, String source) {}

    private static final String OBJECT = "java/lang/Object";
    private static final String THREAD_LOCAL_RANDOM = "java/util/concurrent/ThreadLocalRandom";
    private static final String IDENTITY = "java/lang/System.identityHashCode(Ljava/lang/Object;)I";

    /** They ask the elements of their array for their hash codes. */
    private static final Set<String> HASHES_OF_ELEMENTS =
            Set.of("java/util/Objects.hash([Ljava/lang/Object;)I", "java/util/Arrays.hashCode([Ljava/lang/Object;)I");

    private static final String CONCATENATION = "java/lang/invoke/StringConcatFactory";
    /** Packages of CORBA interfaces that the ORB implements in the process. */
    private static final List<String> LOCAL = List.of(
            "org/omg/CORBA/",
            "org/omg/PortableServer/",
            "org/omg/PortableInterceptor/",
            "org/omg/DynamicAny/",
            "org/omg/IOP/");

    private static final List<String> THREADS =
            List.of("java/lang/Thread", "java/util/TimerTask", "java/util/concurrent/ForkJoinTask");

    private static final List<String> CALLBACKS = List.of(
            "java/lang/Runnable",
            "java/lang/Iterable",
            "java/util/concurrent/Callable",
            "java/util/function/",
            "java/util/Comparator",
            "java/util/EventListener");

    /** Methods of collections and their kin that give away an object of unknown origin. */
    private static final Set<String> ELEMENTS = Set.of(
            "get",
            "getOrDefault",
            "computeIfAbsent",
            "next",
            "getKey",
            "getValue",
            "remove",
            "poll",
            "peek",
            "take",
            "pop",
            "orElse",
            "orElseThrow");

    /** Calls of methods that the class files do not name. */
    private static final Set<String> REFLECTIVE = Set.of(
            "java/lang/reflect/Method.invoke",
            "java/lang/reflect/Constructor.newInstance",
            "java/lang/reflect/Proxy.newProxyInstance",
            "java/lang/Class.newInstance",
            "java/lang/Class.forName",
            "java/lang/ClassLoader.loadClass",
            "java/lang/ClassLoader.defineClass",
            "java/lang/invoke/MethodHandle.invoke",
            "java/lang/invoke/MethodHandle.invokeExact",
            "java/lang/invoke/MethodHandle.invokeWithArguments",
            "java/io/ObjectInputStream.readObject",
            "javax/script/ScriptEngine.eval");

    private final TypeTable types;
    private final MethodBodies bodies;
    private final Operations operations;
    private final HashCodes hashes;
    private final HeldSources held;
    private final StaticState staticState;
    private final IterationOrder order;
    private final LambdaSites lambdas;

    private final Deque<Step> steps = new ArrayDeque<>();
    private final Deque<Step> otherSteps = new ArrayDeque<>();
    private final Set<Step> queued = new HashSet<>();

    /** The step before each step; null before an operation. */
    private final Map<Step, @Nullable Step> cameFrom = new HashMap<>();

    private final Map<Place, Finding> findings = new LinkedHashMap<>();
    private final Set<String> initialized = new HashSet<>();
    private final Set<String> escaped = new HashSet<>();
    private final Set<String> calledBack = new HashSet<>();
    private final Set<String> reflective = new TreeSet<>();

    Scanner(TypeTable types, MethodBodies bodies, Operations operations) {
        this.types = types;
        this.bodies = bodies;
        this.operations = operations;
        FieldContents contents = new FieldContents(types, bodies);
        hashes = new HashCodes(types, bodies);
        held = new HeldSources(types, contents);
        staticState = new StaticState(types, bodies);
        order = new IterationOrder(types, hashes, contents);
        lambdas = new LambdaSites(types);
    }

    /** Scans once. */
    Collection<Finding> scan(Collection<MethodKey> entries) {
        for (MethodKey entry : entries) {
            reach(entry, null, Mode.OPERATION);
            addComparators(entry);
        }
        while (!steps.isEmpty() || !otherSteps.isEmpty()) {
            visit(steps.isEmpty() ? otherSteps.remove() : steps.remove());
        }
        order.judge();
        return findings.values();
    }

    /** How many methods were reached. */
    int reached() {
        return (int) queued.stream().map(Step::method).distinct().count();
    }

    /** Calls by reflection, with their places. */
    Set<String> reflective() {
        return reflective;
    }

    // ---- the way ----

    private void reach(MethodKey method, @Nullable Step from, Mode mode) {
        Step step = new Step(method, mode);
        if (queued.add(step)) {
            if (!cameFrom.containsKey(step)) {
                cameFrom.put(step, from);
            }
            (mode == Mode.OPERATION ? steps : otherSteps).add(step);
        }
    }

    private void visit(Step step) {
        Optional<MethodBody> found = bodies.find(step.method());
        if (found.isEmpty()) {
            return;
        }
        MethodBody body = found.get();
        if (step.method().signature().equals("finalize()V")) {
            report(
                    step,
                    body.firstLine(),
                    SourceKind.FINALIZER,
                    false,
                    step.method().words());
        }
        initialize(step.method().owner(), step);
        callBack(step.method().owner(), "finalize", "()V", step);
        Set<Integer> threaded = threaded(body);
        for (int at = 0; at < body.size(); at++) {
            if (body.isLive(at)) {
                visit(step, body, at, threaded.contains(at) ? step.in(Mode.OTHER_THREAD) : step);
            }
        }
    }

    /** The instructions that make objects for a thread or a timer. */
    private Set<Integer> threaded(MethodBody body) {
        Set<Integer> threaded = new HashSet<>();
        for (int at = 0; at < body.size(); at++) {
            if (body.isLive(at) && body.instruction(at) instanceof MethodInsnNode call && startsThread(call)) {
                body.operands(at, call).stream()
                        .map(TrackedValue::origin)
                        .filter(origin -> origin.kind() == Kind.NEW || origin.kind() == Kind.LAMBDA)
                        .forEach(origin -> threaded.add(origin.site()));
            }
        }
        return threaded;
    }

    private boolean startsThread(MethodInsnNode call) {
        if (call.name.equals(MethodKey.CONSTRUCTOR)) {
            return types.isSubtype(call.owner, "java/lang/Thread");
        }
        return (call.owner + "." + call.name).equals("java/lang/ref/Cleaner.register")
                || types.withAncestors(call.owner).stream()
                        .flatMap(type -> Catalogue.find(type, call.name, call.desc).stream())
                        .anyMatch(source -> source.kind() == SourceKind.THREAD || source.kind() == SourceKind.TIMER);
    }

    /** @param made the step of an object that the instruction makes */
    private void visit(Step step, MethodBody body, int at, Step made) {
        AbstractInsnNode instruction = body.instruction(at);
        if (step.mode() != Mode.INITIALIZER) {
            staticState
                    .changed(body, at)
                    .ifPresent(field -> report(step, body.line(at), SourceKind.STATIC_STATE, false, field));
        }
        if (instruction instanceof MethodInsnNode call) {
            onCall(step, body, at, call);
        } else if (instruction instanceof InvokeDynamicInsnNode dynamic) {
            onDynamic(step, body.line(at), dynamic, made);
        } else if (instruction instanceof FieldInsnNode field) {
            onField(step, body.line(at), field);
        } else if (instruction instanceof TypeInsnNode type && type.getOpcode() == Opcodes.NEW) {
            onNew(made, type.desc);
        } else if (instruction instanceof LdcInsnNode constant) {
            onConstant(step, body.line(at), constant.cst);
        }
    }

    /** A class is used, so that its static initializer may run here. */
    private void initialize(String owner, Step from) {
        for (String type : types.withAncestors(owner)) {
            if (types.isApplication(type) && initialized.add(type)) {
                types.find(type)
                        .filter(info ->
                                info.method(MethodKey.INITIALIZER, "()V").isPresent())
                        .ifPresent(info -> reach(MethodKey.initializer(type), from, Mode.INITIALIZER));
            }
        }
    }

    private void onNew(Step step, String type) {
        if (types.isApplication(type)) {
            initialize(type, step);
            escape(type, step);
        }
    }

    /** A library can call the methods of this object that it knows. */
    private void escape(String type, Step from) {
        if (!types.isApplication(type) || !escaped.add(type)) {
            return;
        }
        for (String above : types.withAncestors(type)) {
            if (!types.isApplication(above)) {
                continue;
            }
            types.find(above).ifPresent(info -> info.methods().forEach((signature, access) -> {
                int hidden = Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_ABSTRACT;
                int descriptor = signature.indexOf('(');
                String name = signature.substring(0, descriptor);
                if ((access & hidden) == 0 && !name.startsWith("<")) {
                    callBack(type, name, signature.substring(descriptor), from);
                }
            }));
        }
    }

    private void callBack(String type, String name, String descriptor, Step from) {
        boolean ofLibrary = types.overridesLibrary(type, name, descriptor);
        Optional<TypeInfo> declaring = ofLibrary ? types.declaring(type, name, descriptor) : Optional.empty();
        boolean finalizer = name.equals("finalize") && descriptor.equals("()V");
        boolean threaded = finalizer || THREADS.stream().anyMatch(thread -> types.isSubtype(type, thread));
        Mode mode = threaded ? Mode.OTHER_THREAD : later(from).mode();
        declaring
                .filter(info -> types.isApplication(info.name()))
                .ifPresent(info -> reach(new MethodKey(info.name(), name, descriptor), from, mode));
    }

    /** Sorted collections in fields of a servant call the comparators that its constructors gave them. */
    private void addComparators(MethodKey entry) {
        for (MethodBody body : bodies.all(entry.owner())) {
            if (!body.key().name().equals(MethodKey.CONSTRUCTOR)) {
                continue;
            }
            for (int at = 0; at < body.size(); at++) {
                if (body.instruction(at) instanceof TypeInsnNode type
                        && type.getOpcode() == Opcodes.NEW
                        && types.isApplication(type.desc)
                        && types.isSubtype(type.desc, "java/util/Comparator")) {
                    escape(type.desc, new Step(entry, Mode.OPERATION));
                } else if (body.instruction(at) instanceof InvokeDynamicInsnNode lambda
                        && lambda.desc.endsWith(")Ljava/util/Comparator;")) {
                    int line = body.line(at);
                    LambdaSites.target(lambda)
                            .ifPresent(handle -> onHandle(new Step(entry, Mode.OPERATION), line, handle));
                }
            }
        }
    }

    // ---- calls ----

    private void onCall(Step step, MethodBody body, int at, MethodInsnNode call) {
        String owner = call.owner.startsWith("[") ? OBJECT : call.owner;
        int line = body.line(at);
        List<TrackedValue> operands = body.operands(at, call);
        if (call.getOpcode() == Opcodes.INVOKESTATIC) {
            initialize(owner, step);
        }
        onObjectMethod(step, line, call, operands);
        onHashOfElements(step, body, at, call);
        onThreadLocalRandom(step, line, call, operands);
        Optional<TypeInfo> declaring = types.declaring(owner, call.name, call.desc);
        if (declaring.filter(type -> types.isApplication(type.name())).isPresent()) {
            follow(step, line, owner, call.name, call.desc, call.getOpcode());
            return;
        }
        if (!reportSource(step, line, owner, call.name, call.desc)) {
            order.onCall(
                    body,
                    at,
                    call,
                    fault -> report(
                            step,
                            line,
                            SourceKind.ITERATION_ORDER,
                            fault.deterministic(),
                            "order of " + fault.collection()));
            leaveApplication(step, line, owner, call, operands);
        }
    }

    /** The agent replaces the draws of a ThreadLocalRandom by the name of its class alone, and where it shuffles. */
    private void onThreadLocalRandom(Step step, int line, MethodInsnNode call, List<TrackedValue> operands) {
        if ((call.owner + "." + call.name).equals("java/util/Collections.shuffle")) {
            return;
        }
        List<String> takenAs = new ArrayList<>();
        if (call.getOpcode() != Opcodes.INVOKESTATIC) {
            takenAs.add(call.owner);
        }
        for (Type argument : Type.getArgumentTypes(call.desc)) {
            takenAs.add(argument.getInternalName());
        }
        for (int i = 0; i < Math.min(takenAs.size(), operands.size()); i++) {
            TrackedValue.Origin origin = operands.get(i).origin();
            if (origin.kind() == Kind.CALL
                    && origin.detail().startsWith(THREAD_LOCAL_RANDOM + ".current(")
                    && !takenAs.get(i).equals(THREAD_LOCAL_RANDOM)) {
                report(step, line, SourceKind.RANDOM, false, "ThreadLocalRandom as another generator");
            }
        }
    }

    /** A call of an application's method. */
    private void follow(Step step, int line, String owner, String name, String descriptor, int opcode) {
        boolean exact = opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKESPECIAL;
        Optional<TypeInfo> declaring = types.declaring(owner, name, descriptor);
        if (!exact && operations.isRemote(owner)) {
            report(step, line, SourceKind.NESTED_CALL, false, MethodKey.words(owner, name));
        }
        Collection<MethodKey> targets = exact
                ? declaring
                        .map(type -> List.of(new MethodKey(type.name(), name, descriptor)))
                        .orElse(List.of())
                : types.targets(owner, name, descriptor);
        for (MethodKey target : targets) {
            int access = types.find(target.owner())
                    .flatMap(type -> type.method(target.name(), target.descriptor()))
                    .orElse(0);
            if ((access & Opcodes.ACC_NATIVE) != 0) {
                report(step, line, SourceKind.NATIVE, false, target.words());
            } else if (exact || !types.isSubtype(target.owner(), Operations.STUB)) {
                reach(target, step, step.mode());
            }
        }
        if (!exact && types.find(owner).filter(TypeInfo::isInterface).isPresent()) {
            lambdas.of(owner).forEach(site -> onLambdaOf(step, site));
            types.descendants(owner).forEach(below -> lambdas.of(below).forEach(site -> onLambdaOf(step, site)));
        }
    }

    /** A lambda that some other method made may be the receiver of a call. */
    private void onLambdaOf(Step step, LambdaSites.Site site) {
        Handle target = site.target();
        if (types.isApplication(target.getOwner())) {
            onHandle(step, site.line(), target);
        } else {
            Step around = new Step(site.around(), Mode.OPERATION);
            if (!cameFrom.containsKey(around)) {
                cameFrom.put(around, step);
            }
            onHandle(around, site.line(), target);
        }
    }

    /** Whether a library's method is a source of the catalogue; reports it. */
    private boolean reportSource(Step step, int line, String owner, String name, String descriptor) {
        List<String> owners = name.equals(MethodKey.CONSTRUCTOR) ? List.of(owner) : types.withAncestors(owner);
        for (String type : owners) {
            Optional<Catalogue.Source> source = Catalogue.find(type, name, descriptor);
            if (source.isPresent() && isNarrow(step.method(), name)) {
                return true;
            }
            if (source.isPresent()) {
                report(
                        source.get().lasting() ? later(step) : step,
                        line,
                        source.get().kind(),
                        source.get().deterministic(),
                        MethodKey.words(types.isApplication(owner) ? type : owner, name));
                return true;
            }
        }
        if (operations.isRemote(owner)
                && types.declaring(owner, name, descriptor)
                        .filter(type -> LOCAL.stream().noneMatch(type.name()::startsWith))
                        .isPresent()) {
            report(step, line, SourceKind.NESTED_CALL, false, MethodKey.words(owner, name));
            return true;
        }
        return false;
    }

    /** The helper of an IDL compiler asks an object for its type, but only if the reference does not name it. */
    private static boolean isNarrow(MethodKey method, String called) {
        return called.equals("_is_a")
                && method.name().equals("narrow")
                && method.owner().endsWith("Helper");
    }

    /** A library gets control: it may call methods of the objects that it gets. */
    private void leaveApplication(Step step, int line, String owner, MethodInsnNode call, List<TrackedValue> operands) {
        String method = owner + "." + call.name;
        if (REFLECTIVE.contains(method)) {
            onReflection(step, line, method, operands);
        }
        if (method.equals("java/util/ServiceLoader.load")) {
            operands.stream()
                    .filter(value -> value.origin().kind() == Kind.CONSTANT)
                    .flatMap(value -> types.providers(value.origin().detail()).stream())
                    .forEach(provider -> construct(provider, step));
        }
        for (TrackedValue value : operands) {
            String type = value.typeName();
            if (types.isApplication(type)) {
                escape(type, step);
                if (types.find(type).filter(TypeInfo::isAbstract).isPresent()) {
                    types.descendants(type).forEach(below -> escape(below, step));
                }
            } else if (isCallback(type) && isFromOutside(value)) {
                calledBack(type, step);
            }
        }
    }

    private static boolean isCallback(String type) {
        return CALLBACKS.stream().anyMatch(type::startsWith);
    }

    /** Whether an object may have been made by a method that no operation reaches. */
    private boolean isFromOutside(TrackedValue value) {
        String detail = value.origin().detail();
        if (value.origin().kind() == Kind.CALL) {
            int descriptor = detail.indexOf('(');
            String name = detail.substring(detail.lastIndexOf('.', descriptor) + 1, descriptor);
            return !types.isLibrary(detail) || ELEMENTS.contains(name);
        }
        return value.origin().isField() && !types.isLibrary(detail);
    }

    /** An object of unknown class is called by an interface of the JDK: all of the application's classes and lambdas count. */
    private void calledBack(String type, Step step) {
        if (calledBack.add(type)) {
            types.descendants(type).forEach(below -> escape(below, step));
            lambdas.of(type).forEach(site -> onLambdaOf(step, site));
        }
    }

    private void onReflection(Step step, int line, String method, List<TrackedValue> operands) {
        List<String> constants = operands.stream()
                .filter(value -> value.origin().kind() == Kind.CONSTANT)
                .map(value -> value.origin().detail().replace('.', '/'))
                .filter(types::isApplication)
                .toList();
        if (method.equals("java/lang/Class.forName") && !constants.isEmpty()) {
            construct(constants.get(0), step);
        } else {
            int dot = method.lastIndexOf('.');
            reflective.add(step.method().words() + ":" + line + " calls "
                    + MethodKey.words(method.substring(0, dot), method.substring(dot + 1)));
        }
    }

    private void construct(String type, Step step) {
        if (types.isApplication(type)) {
            onNew(step, type);
            reach(new MethodKey(type, MethodKey.CONSTRUCTOR, "()V"), step, step.mode());
        }
    }

    // ---- lambdas ----

    private void onDynamic(Step step, int line, InvokeDynamicInsnNode dynamic, Step made) {
        if (dynamic.bsm.getOwner().equals(CONCATENATION)) {
            for (Type argument : Type.getArgumentTypes(dynamic.desc)) {
                onText(step, line, argument.getSort() < Type.ARRAY ? "" : argument.getInternalName());
            }
        }
        for (Object argument : dynamic.bsmArgs) {
            if (argument instanceof Handle handle) {
                onHandle(made, line, handle);
            }
        }
    }

    private void onConstant(Step step, int line, Object constant) {
        if (constant instanceof Handle handle) {
            onHandle(step, line, handle);
        } else if (constant instanceof ConstantDynamic dynamic) {
            for (int i = 0; i < dynamic.getBootstrapMethodArgumentCount(); i++) {
                onConstant(step, line, dynamic.getBootstrapMethodArgument(i));
            }
        }
    }

    /** A method that runs when the object that is made here is called; so it is no part of a static initializer. */
    private void onHandle(Step step, int line, Handle handle) {
        int opcode =
                switch (handle.getTag()) {
                    case Opcodes.H_INVOKESTATIC -> Opcodes.INVOKESTATIC;
                    case Opcodes.H_INVOKEVIRTUAL, Opcodes.H_INVOKEINTERFACE -> Opcodes.INVOKEVIRTUAL;
                    case Opcodes.H_INVOKESPECIAL, Opcodes.H_NEWINVOKESPECIAL -> Opcodes.INVOKESPECIAL;
                    default -> Opcodes.NOP;
                };
        if (opcode == Opcodes.NOP) {
            return;
        }
        String owner = handle.getOwner().startsWith("[") ? OBJECT : handle.getOwner();
        Step later = later(step);
        if (handle.getTag() == Opcodes.H_NEWINVOKESPECIAL) {
            onNew(later, owner);
        } else if (opcode == Opcodes.INVOKESTATIC) {
            initialize(owner, later);
        }
        if (types.declaring(owner, handle.getName(), handle.getDesc())
                .filter(type -> types.isApplication(type.name()))
                .isPresent()) {
            follow(later, line, owner, handle.getName(), handle.getDesc(), opcode);
        } else {
            reportSource(later, line, owner, handle.getName(), handle.getDesc());
            onObjectMethod(later, line, owner, handle.getName(), handle.getDesc());
        }
    }

    /** A step to the methods of an object that a static initializer makes: operations call them, too. */
    private static Step later(Step step) {
        return step.mode() == Mode.INITIALIZER ? step.in(Mode.OPERATION) : step;
    }

    // ---- fields, hash codes ----

    private void onField(Step step, int line, FieldInsnNode field) {
        int opcode = field.getOpcode();
        if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) {
            types.field(field.owner, field.name).ifPresent(found -> initialize(found.getKey(), step));
        }
        if (opcode == Opcodes.GETSTATIC && field.owner.equals("java/lang/System") && field.name.equals("in")) {
            report(step, line, SourceKind.FILE, false, "System.in");
        }
        if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.GETFIELD) {
            held.of(field).ifPresent(use -> report(step, line, use.kind(), use.deterministic(), use.words()));
        }
    }

    private void onObjectMethod(Step step, int line, MethodInsnNode call, List<TrackedValue> operands) {
        String method = call.owner + "." + call.name + call.desc;
        switch (method) {
            case "java/lang/String.valueOf(Ljava/lang/Object;)Ljava/lang/String;",
                    "java/util/Objects.toString(Ljava/lang/Object;)Ljava/lang/String;" ->
                onText(step, line, operands.get(0).typeName());
            case "java/lang/StringBuilder.append(Ljava/lang/Object;)Ljava/lang/StringBuilder;",
                    "java/lang/StringBuffer.append(Ljava/lang/Object;)Ljava/lang/StringBuffer;" ->
                onText(step, line, operands.get(1).typeName());
            case "java/util/Objects.hashCode(Ljava/lang/Object;)I" ->
                onHashCode(step, line, operands.get(0).typeName());
            case IDENTITY -> onIdentity(step, line, operands.get(0).typeName());
            default -> {
                if (call.getOpcode() == Opcodes.INVOKESPECIAL && method.equals("java/lang/Object.hashCode()I")) {
                    report(step, line, SourceKind.IDENTITY_HASH, true, "Object.hashCode");
                } else if (call.getOpcode() == Opcodes.INVOKESPECIAL
                        && method.equals("java/lang/Object.toString()Ljava/lang/String;")) {
                    report(step, line, SourceKind.IDENTITY_HASH, true, "Object.toString");
                } else if (call.getOpcode() == Opcodes.INVOKEVIRTUAL) {
                    String type = call.owner.equals(OBJECT) ? operands.get(0).typeName() : call.owner;
                    onObjectMethod(step, line, type, call.name, call.desc);
                }
            }
        }
    }

    /** The agent numbers the objects of the application that have no hash code of their own; the JVM draws those of all others. */
    private void onIdentity(Step step, int line, String type) {
        if (hashes.of(type) != Hash.OF_APPLICATION) {
            report(step, line, SourceKind.IDENTITY_HASH, false, "System.identityHashCode");
        }
    }

    private void onHashOfElements(Step step, MethodBody body, int at, MethodInsnNode call) {
        if (HASHES_OF_ELEMENTS.contains(call.owner + "." + call.name + call.desc)) {
            int line = body.line(at);
            body.elements(at).forEach(element -> onHashCode(step, line, element.typeName()));
        }
    }

    private void onObjectMethod(Step step, int line, String type, String name, String descriptor) {
        if (name.equals("hashCode") && descriptor.equals("()I")) {
            onHashCode(step, line, type);
        } else if (name.equals("toString") && descriptor.startsWith("()")) {
            onText(step, line, type);
        }
    }

    private void onHashCode(Step step, int line, String type) {
        Hash hash = hashes.of(type);
        if (hash != Hash.COMPUTED) {
            report(
                    step,
                    line,
                    SourceKind.IDENTITY_HASH,
                    hash == Hash.OF_APPLICATION,
                    MethodKey.words(type, "hashCode"));
        }
    }

    private void onText(Step step, int line, String type) {
        if (!type.isEmpty() && hashes.ofText(type) != Hash.COMPUTED) {
            report(
                    step,
                    line,
                    SourceKind.IDENTITY_HASH,
                    hashes.ofText(type) == Hash.OF_APPLICATION,
                    MethodKey.words(type, "toString"));
        }
    }

    // ---- reports ----

    private void report(Step step, int line, SourceKind kind, boolean deterministic, String source) {
        Place place = new Place(step.method(), line, kind, source);
        Finding known = findings.get(place);
        boolean covered = deterministic && step.mode() == Mode.OPERATION;
        if (known != null && (!known.deterministic() || covered)) {
            return;
        }
        findings.put(
                place,
                new Finding(
                        kind,
                        Type.getObjectType(step.method().owner()).getClassName(),
                        step.method().sourceName(),
                        line,
                        source,
                        covered,
                        step.mode().advice + kind.advice(),
                        path(step, source)));
    }

    private List<String> path(Step step, String source) {
        List<String> path = new ArrayList<>(List.of(source));
        Set<Step> seen = new HashSet<>();
        Step each = known(step);
        while (each != null && seen.add(each)) {
            String words = each.method().words();
            if (!words.equals(path.get(0))) {
                path.add(0, words);
            }
            Step before = cameFrom.get(each);
            each = before == null ? null : known(before);
        }
        return path;
    }

    /** The step by which the method was reached, in whichever mode. */
    private Step known(Step step) {
        return Stream.concat(Stream.of(step), Arrays.stream(Mode.values()).map(step::in))
                .filter(cameFrom::containsKey)
                .findFirst()
                .orElse(step);
    }
}
