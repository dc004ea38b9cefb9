package org.amo.determinism.agent;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import org.amo.determinism.runtime.TaskSubstitutes;
import org.amo.determinism.runtime.WaitSubstitutes;
import org.objectweb.asm.Type;

/**
 * A method of the JDK that starts a task or waits for one, and its replacement. The list follows from the names of the
 * replacements.
 *
 * @param family the class or interface of the JDK that declares it
 * @param statically whether it has no object
 * @param replacement a static method, with the object first
 */
record OrderedCall(Class<?> family, boolean statically, Method replacement) {
    private static final List<Class<?>> FAMILIES = List.of(
            Object.class,
            Thread.class,
            Executor.class,
            ExecutorService.class,
            ScheduledExecutorService.class,
            ForkJoinPool.class,
            ForkJoinTask.class,
            CompletableFuture.class,
            CompletionService.class,
            Future.class,
            Timer.class,
            TimerTask.class,
            Collection.class,
            BaseStream.class,
            IntStream.class,
            LongStream.class,
            DoubleStream.class,
            StreamSupport.class,
            CountDownLatch.class,
            Semaphore.class,
            CyclicBarrier.class,
            BlockingQueue.class,
            Condition.class,
            LockSupport.class);

    private static final Map<String, List<OrderedCall>> BY_METHOD = byMethod();

    /** The replacement of a method of the JDK. */
    static Optional<OrderedCall> of(String owner, String name, String descriptor) {
        List<OrderedCall> candidates = BY_METHOD.getOrDefault(name + descriptor, List.of());
        if (candidates.isEmpty() || !owner.startsWith("java/")) {
            return Optional.empty();
        }
        Class<?> type;
        try {
            type = Class.forName(owner.replace('/', '.'), false, null);
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
        return candidates.stream()
                .filter(call -> call.family.isAssignableFrom(type))
                .reduce((one, other) -> one.family.isAssignableFrom(other.family) ? other : one);
    }

    /** The replacement of a method of the application's, if its class turns out to be one of the JDK's family. */
    static Optional<OrderedCall> ofApplication(String name, String descriptor) {
        return BY_METHOD.getOrDefault(name + descriptor, List.of()).stream()
                .filter(call -> call.isExtended(name))
                .findFirst();
    }

    /** Whether classes of the application are often of the family. */
    private boolean isExtended(String name) {
        if (statically) {
            return family == ForkJoinTask.class;
        }
        return family == Thread.class
                || family == ForkJoinTask.class
                || family == Timer.class
                || family == TimerTask.class
                || (Executor.class.isAssignableFrom(family) && !name.equals("close") && !name.startsWith("shutdown"));
    }

    String holder() {
        return Type.getInternalName(replacement.getDeclaringClass());
    }

    String replacementDescriptor() {
        return Type.getMethodDescriptor(replacement);
    }

    private static Map<String, List<OrderedCall>> byMethod() {
        Map<String, List<OrderedCall>> all = new HashMap<>();
        for (Class<?> holder : List.of(TaskSubstitutes.class, WaitSubstitutes.class)) {
            for (Method method : holder.getMethods()) {
                if (Modifier.isStatic(method.getModifiers())) {
                    add(all, method);
                }
            }
        }
        return all;
    }

    private static void add(Map<String, List<OrderedCall>> all, Method replacement) {
        Optional<Class<?>> family = FAMILIES.stream()
                .filter(each -> isNamedFor(replacement, each))
                .reduce((one, other) ->
                        one.getSimpleName().length() > other.getSimpleName().length() ? one : other);
        if (family.isEmpty()) {
            return;
        }
        String rest =
                replacement.getName().substring(family.get().getSimpleName().length());
        String name = rest.substring(0, 1).toLowerCase(Locale.ROOT) + rest.substring(1);
        Class<?>[] parameters = replacement.getParameterTypes();
        boolean statically = isStatic(family.get(), name, parameters);
        Class<?>[] own = statically ? parameters : Arrays.copyOfRange(parameters, 1, parameters.length);
        String descriptor = Type.getMethodDescriptor(
                Type.getType(replacement.getReturnType()),
                Arrays.stream(own).map(Type::getType).toArray(Type[]::new));
        all.computeIfAbsent(name + descriptor, key -> new ArrayList<>())
                .add(new OrderedCall(family.get(), statically, replacement));
    }

    private static boolean isNamedFor(Method replacement, Class<?> family) {
        String simple = family.getSimpleName();
        String word = simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
        String name = replacement.getName();
        return name.startsWith(word)
                && name.length() > word.length()
                && Character.isUpperCase(name.charAt(word.length()));
    }

    private static boolean isStatic(Class<?> family, String name, Class<?>... parameters) {
        try {
            return Modifier.isStatic(family.getMethod(name, parameters).getModifiers());
        } catch (NoSuchMethodException e) {
            // An older JDK than the one that has it: no call can name it.
            return parameters.length == 0 || parameters[0] != family;
        }
    }
}
