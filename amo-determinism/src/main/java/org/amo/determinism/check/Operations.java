package org.amo.determinism.check;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.amo.determinism.check.TrackedValue.Kind;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/** Finds the methods that amo runs as operations: those of CORBA servants and of the services of AmoReplica. */
final class Operations {
    static final String STUB = "org/omg/CORBA/portable/ObjectImpl";

    private static final String SERVANT = "org/omg/PortableServer/Servant";
    private static final String CORBA_OBJECT = "org/omg/CORBA/Object";
    private static final String LOCAL = "org/omg/CORBA/LocalInterface";

    /** The methods by which an ORB enters a skeleton, a tie or a dynamic implementation. */
    private static final Set<String> DISPATCH = Set.of(
            "_invoke(Ljava/lang/String;Lorg/omg/CORBA/portable/InputStream;Lorg/omg/CORBA/portable/ResponseHandler;)"
                    + "Lorg/omg/CORBA/portable/OutputStream;",
            "invoke(Lorg/omg/CORBA/ServerRequest;)V");

    private static final String SERVICES = "org/amo/replication/service/";
    private static final String HANDLER = SERVICES + "AmoHandler";

    private final TypeTable types;
    private final MethodBodies bodies;

    Operations(TypeTable types, MethodBodies bodies) {
        this.types = types;
        this.bodies = bodies;
    }

    /** Operations of all servants and services of the application; those of the user's classes come first. */
    Set<MethodKey> all() {
        Set<MethodKey> operations = new LinkedHashSet<>();
        Set<MethodKey> dispatch = new LinkedHashSet<>();
        Set<String> interfaces = new LinkedHashSet<>();
        for (TypeInfo type : types.application()) {
            if (types.isSubtype(type.name(), SERVANT)) {
                interfacesOf(type.name()).forEach(interfaces::add);
                if (!type.isAbstract()) {
                    addServant(type.name(), operations, dispatch);
                }
            }
        }
        // A tie passes its operations on to an object that is no servant.
        interfaces.stream()
                .filter(name -> name.endsWith("Operations"))
                .flatMap(name -> types.descendants(name).stream())
                .filter(name -> isImplementation(name) && !types.isSubtype(name, SERVANT))
                .forEach(name -> addImplementation(name, operations));
        addServices(operations);
        operations.addAll(dispatch);
        return operations;
    }

    /** Operations of one class or interface that the user names; empty if it has none. */
    Set<MethodKey> of(TypeInfo type) {
        Set<MethodKey> operations = new LinkedHashSet<>();
        if (types.isSubtype(type.name(), SERVANT) && !type.isAbstract()) {
            addServant(type.name(), operations, operations);
        } else if (type.isInterface()) {
            types.descendants(type.name()).stream()
                    .filter(this::isImplementation)
                    .forEach(name -> addMethodsOf(type, name, operations));
        } else {
            addPublicMethods(type.name(), operations);
        }
        return operations;
    }

    /** Whether a call of this type leaves the servant through the ORB. */
    boolean isRemote(String owner) {
        boolean reference = types.find(owner).filter(TypeInfo::isInterface).isPresent()
                && types.isSubtype(owner, CORBA_OBJECT)
                && !types.isSubtype(owner, LOCAL);
        return reference || types.isSubtype(owner, STUB);
    }

    private void addServant(String name, Set<MethodKey> operations, Set<MethodKey> dispatch) {
        addImplementation(name, operations);
        for (String signature : DISPATCH) {
            add(name, signature, dispatch);
        }
    }

    private void addImplementation(String name, Set<MethodKey> operations) {
        interfacesOf(name).forEach(above -> types.find(above).ifPresent(type -> addMethodsOf(type, name, operations)));
    }

    private List<String> interfacesOf(String name) {
        return types.withAncestors(name).stream()
                .filter(types::isApplication)
                .filter(above -> types.find(above).filter(TypeInfo::isInterface).isPresent())
                .toList();
    }

    private void addMethodsOf(TypeInfo type, String implementation, Set<MethodKey> operations) {
        for (String above : types.withAncestors(type.name())) {
            types.find(above)
                    .filter(TypeInfo::isInterface)
                    .filter(each -> types.isApplication(each.name()))
                    .ifPresent(each -> each.methods().forEach((signature, access) -> {
                        if ((access & Opcodes.ACC_STATIC) == 0) {
                            add(implementation, signature, operations);
                        }
                    }));
        }
    }

    private void addPublicMethods(String name, Set<MethodKey> operations) {
        for (String above : types.withAncestors(name)) {
            types.find(above).filter(type -> types.isApplication(type.name())).ifPresent(type -> type.methods()
                    .forEach((signature, access) -> {
                        boolean entry = (access & Opcodes.ACC_PUBLIC) != 0
                                && (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_SYNTHETIC)) == 0
                                && !signature.startsWith("<")
                                && !signature.equals("main([Ljava/lang/String;)V");
                        if (entry) {
                            add(name, signature, operations);
                        }
                    }));
        }
    }

    private void add(String receiver, String signature, Set<MethodKey> operations) {
        int parameters = signature.indexOf('(');
        String name = signature.substring(0, parameters);
        String descriptor = signature.substring(parameters);
        types.declaring(receiver, name, descriptor)
                .filter(type -> types.isApplication(type.name()))
                .filter(type -> type.hasBody(name, descriptor))
                .ifPresent(type -> operations.add(new MethodKey(type.name(), name, descriptor)));
    }

    private boolean isImplementation(String name) {
        return types.find(name).filter(type -> !type.isAbstract()).isPresent() && !types.isSubtype(name, STUB);
    }

    // ---- services of AmoReplica ----

    private void addServices(Set<MethodKey> operations) {
        if (types.find(HANDLER).isEmpty()) {
            return;
        }
        for (String handler : types.descendants(HANDLER)) {
            types.find(HANDLER)
                    .ifPresent(
                            type -> type.methods().keySet().forEach(signature -> add(handler, signature, operations)));
        }
        for (TypeInfo type : types.application()) {
            if (mentionsServices(type.name())) {
                bodies.all(type.name()).forEach(body -> addServices(body, operations));
            }
        }
    }

    private boolean mentionsServices(String name) {
        try {
            return types.mentions(name, SERVICES);
        } catch (IOException e) {
            types.markBroken(name, TypeTable.cause(e));
            return false;
        }
    }

    private void addServices(MethodBody body, Set<MethodKey> operations) {
        for (int at = 0; at < body.size(); at++) {
            if (body.isLive(at)
                    && body.instruction(at) instanceof MethodInsnNode call
                    && call.owner.startsWith(SERVICES)
                    && call.desc.contains("Ljava/lang/Class;")
                    && !call.owner.startsWith(SERVICES + "AmoClient")) {
                body.operands(at, call).stream()
                        .filter(value -> value.typeName().equals("java/lang/Class"))
                        .filter(value -> value.origin().kind() == Kind.CONSTANT)
                        .flatMap(value -> types.find(value.origin().detail()).stream())
                        .filter(type -> types.isApplication(type.name()))
                        .forEach(type -> operations.addAll(of(type)));
            } else if (body.instruction(at) instanceof InvokeDynamicInsnNode lambda
                    && lambda.desc.endsWith(")L" + HANDLER + ";")) {
                LambdaSites.target(lambda)
                        .map(handle -> new MethodKey(handle.getOwner(), handle.getName(), handle.getDesc()))
                        .filter(key -> types.isApplication(key.owner()))
                        .ifPresent(operations::add);
            }
        }
    }
}
