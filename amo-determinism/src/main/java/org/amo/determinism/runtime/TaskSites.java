package org.amo.determinism.runtime;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.Map;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Links calls of methods that may be the JDK's or the application's, which is known when the class of the object is. Any thread. */
public final class TaskSites {
    private static final MethodHandles.Lookup OWN = MethodHandles.lookup();
    private static final MethodHandle SUPER_CALL = own(
            "superCall", MethodType.methodType(Object.class, MethodHandle.class, MethodHandle.class, Object[].class));
    private static final MethodHandle IS = own("is", MethodType.methodType(boolean.class, Class.class, Object.class));

    /** By method, whether it is the JDK's in this class. */
    private static final ClassValue<Map<String, Boolean>> JDKS = new ClassValue<>() {
        @Override
        protected Map<String, Boolean> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
        }
    };

    private TaskSites() {}

    private static MethodHandle own(String name, MethodType type) {
        try {
            return OWN.findStatic(TaskSites.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the agent's classes are of several versions", e);
        }
    }

    /**
     * Links a call on an object whose class is the application's.
     *
     * @param type with the object first
     * @param original the method as it is called
     * @param substitute to be called in its stead, if the object is of its first parameter's class
     * @param superCall 1 if the method is called as that of the superclass
     */
    public static CallSite link(
            MethodHandles.Lookup caller,
            String name,
            MethodType type,
            MethodHandle original,
            MethodHandle substitute,
            int superCall) {
        Class<?> family = substitute.type().parameterType(0);
        Class<?> object = type.parameterType(0);
        MethodHandle target;
        if (superCall == 1) {
            Class<?> declaring = caller.revealDirect(original).getDeclaringClass();
            target = family.isAssignableFrom(declaring) && isJdks(declaring)
                    ? MethodHandles.insertArguments(SUPER_CALL, 0, original, substitute)
                            .asCollector(Object[].class, type.parameterCount())
                            .asType(type)
                    : original.asType(type);
        } else if (family.isAssignableFrom(object)) {
            target = substitute.asType(type);
        } else if (object.isInterface()) {
            target = MethodHandles.guardWithTest(
                    IS.bindTo(family).asType(MethodType.methodType(boolean.class, object)),
                    substitute.asType(type),
                    original.asType(type));
        } else {
            target = original.asType(type);
        }
        return new ConstantCallSite(target);
    }

    /** By a handle, as is the next one. */
    static boolean is(Class<?> family, @Nullable Object object) {
        return family.isInstance(object);
    }

    static @Nullable Object superCall(MethodHandle original, MethodHandle substitute, Object[] arguments)
            throws Throwable {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null) {
            return original.invokeWithArguments(arguments);
        }
        if (arguments[0] instanceof TimerTask task) {
            return TaskSubstitutes.ofSuperclass(task, original.invokeWithArguments(arguments));
        }
        tasks.enterSuperCall();
        try {
            return substitute.invokeWithArguments(arguments);
        } finally {
            tasks.leaveSuperCall();
        }
    }

    static boolean isJdks(Class<?> type, String name, Class<?>... parameters) {
        return JDKS.get(type).computeIfAbsent(name + Arrays.toString(parameters), key -> {
            try {
                return isJdks(type.getMethod(name, parameters).getDeclaringClass());
            } catch (NoSuchMethodException | LinkageError e) {
                return false;
            }
        });
    }

    private static boolean isJdks(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        // The boot class loader has amo's own, too.
        return (loader == null || loader == ClassLoader.getPlatformClassLoader())
                && !type.getName().startsWith("org.amo.");
    }
}
