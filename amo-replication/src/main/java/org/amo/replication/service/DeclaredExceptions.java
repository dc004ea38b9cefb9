package org.amo.replication.service;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the exception that a service threw again at the client, if its method declares it or a class above it. The class
 * that was thrown is made if the client has it; else the nearest declared class above it that can be made. A class can be
 * made if it is not abstract and has a public constructor (String), (String, Throwable) or (); the last one loses the
 * message.
 */
final class DeclaredExceptions {
    private static final Logger LOG = LoggerFactory.getLogger(DeclaredExceptions.class);

    private DeclaredExceptions() {}

    /** The exception that the client throws; empty if no exception that the method declares can be made. */
    static Optional<Throwable> of(Method method, AmoServiceException thrown) {
        for (String name : thrown.types()) {
            for (Class<?> declared : method.getExceptionTypes()) {
                Optional<Throwable> made = find(name, declared).flatMap(type -> make(type, thrown));
                if (made.isPresent()) {
                    return made;
                }
            }
        }
        return Optional.empty();
    }

    /** A warning in one line for each declared class that can never arrive as itself; a class above it, or one below it, may. */
    static List<String> warnings(Method method) {
        List<String> warnings = new ArrayList<>();
        for (Class<?> declared : method.getExceptionTypes()) {
            if (!Modifier.isAbstract(declared.getModifiers())
                    && constructors(declared).isEmpty()) {
                warnings.add(method.getDeclaringClass().getSimpleName() + "." + method.getName() + ": clients get an"
                        + " AmoServiceException in the place of " + declared.getName()
                        + ", which cannot be made again; give it a public constructor (String)");
            }
        }
        return warnings;
    }

    /** The class of that name, if it is the declared class or below it. No code of another class runs. */
    private static Optional<Class<?>> find(String name, Class<?> declared) {
        if (declared.getName().equals(name)) {
            return Optional.of(declared);
        }
        try {
            Class<?> type = Class.forName(name, false, declared.getClassLoader());
            return declared.isAssignableFrom(type) ? Optional.of(type) : Optional.empty();
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }

    private static Optional<Throwable> make(Class<?> type, AmoServiceException thrown) {
        for (Constructor<?> constructor : constructors(type)) {
            try {
                Object[] arguments =
                        switch (constructor.getParameterCount()) {
                            case 0 -> new Object[] {};
                            case 1 -> new Object[] {thrown.serviceMessage()};
                            default -> new Object[] {thrown.serviceMessage(), null};
                        };
                Throwable made = (Throwable) constructor.newInstance(arguments);
                made.addSuppressed(thrown);
                return Optional.of(made);
            } catch (ReflectiveOperationException | RuntimeException e) {
                LOG.debug("{} refuses the message; another one may not", constructor, e);
            }
        }
        return Optional.empty();
    }

    /** Those that can make it, the best first. */
    private static List<Constructor<?>> constructors(Class<?> type) {
        List<Constructor<?>> found = new ArrayList<>();
        if (Modifier.isAbstract(type.getModifiers()) || !Throwable.class.isAssignableFrom(type)) {
            return found;
        }
        for (Class<?>[] parameters : List.of(
                new Class<?>[] {String.class}, new Class<?>[] {String.class, Throwable.class}, new Class<?>[] {})) {
            try {
                Constructor<?> constructor = type.getConstructor(parameters);
                constructor.setAccessible(true);
                found.add(constructor);
            } catch (NoSuchMethodException | RuntimeException e) {
                LOG.trace("{} has no such constructor", type, e);
            }
        }
        return found;
    }
}
