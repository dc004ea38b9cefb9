package org.amo.determinism.agent;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The methods of the JDK that start a thread, or give a task to one. */
final class TaskCalls {
    private static final String CONCURRENT = "java/util/concurrent/";
    private static final Set<String> EXECUTOR = Set.of("execute", "submit", "invokeAll", "invokeAny");
    private static final Set<String> SCHEDULED = Set.of(
            "execute", "submit", "invokeAll", "invokeAny", "schedule", "scheduleAtFixedRate", "scheduleWithFixedDelay");
    private static final Set<String> PARALLEL = Set.of("parallel");

    /** The last four are in later JDKs than 17, and are not ordered. */
    private static final Set<String> FORK_JOIN_POOL = Set.of(
            "execute",
            "submit",
            "invoke",
            "invokeAll",
            "invokeAny",
            "lazySubmit",
            "externalSubmit",
            "invokeAllUninterruptibly",
            "submitWithTimeout");

    private static final Map<String, Set<String>> METHODS = Map.ofEntries(
            Map.entry("java/lang/Thread", Set.of("start", "startVirtualThread")),
            Map.entry("java/lang/Thread$Builder", Set.of("start")),
            Map.entry("java/lang/Thread$Builder$OfPlatform", Set.of("start")),
            Map.entry("java/lang/Thread$Builder$OfVirtual", Set.of("start")),
            Map.entry("java/util/Timer", Set.of("schedule", "scheduleAtFixedRate")),
            Map.entry(CONCURRENT + "Executor", EXECUTOR),
            Map.entry(CONCURRENT + "ExecutorService", EXECUTOR),
            Map.entry(CONCURRENT + "AbstractExecutorService", EXECUTOR),
            Map.entry(CONCURRENT + "ThreadPoolExecutor", EXECUTOR),
            Map.entry(CONCURRENT + "ScheduledExecutorService", SCHEDULED),
            Map.entry(CONCURRENT + "ScheduledThreadPoolExecutor", SCHEDULED),
            Map.entry(CONCURRENT + "ForkJoinPool", FORK_JOIN_POOL),
            Map.entry(CONCURRENT + "ForkJoinTask", Set.of("fork")),
            Map.entry("java/util/Collection", Set.of("parallelStream")),
            Map.entry("java/util/List", Set.of("parallelStream")),
            Map.entry("java/util/Set", Set.of("parallelStream")),
            Map.entry("java/util/ArrayList", Set.of("parallelStream")),
            Map.entry("java/util/stream/Gatherers", Set.of("mapConcurrent")),
            Map.entry("java/util/stream/Stream", PARALLEL),
            Map.entry("java/util/stream/IntStream", PARALLEL),
            Map.entry("java/util/stream/LongStream", PARALLEL),
            Map.entry("java/util/stream/DoubleStream", PARALLEL));

    private static final Set<String> NAMES =
            METHODS.values().stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());

    private static final Map<String, Set<String>> ELSEWHERE = Map.of(
            CONCURRENT + "CompletionService", Set.of("submit"),
            CONCURRENT + "ExecutorCompletionService", Set.of("submit"),
            CONCURRENT + "ForkJoinTask", Set.of("invokeAll"),
            CONCURRENT + "CompletableFuture", Set.of("orTimeout", "completeOnTimeout"));

    private static final List<String> ASYNC_OWNERS =
            List.of(CONCURRENT + "CompletableFuture", CONCURRENT + "CompletionStage");

    private TaskCalls() {}

    static boolean contain(String owner, String name) {
        return isKnown(owner, name)
                || (ASYNC_OWNERS.contains(owner) && name.endsWith("Async"))
                || (owner.equals("java/util/Arrays") && name.startsWith("parallel"));
    }

    /** The same where tasks run elsewhere: with those methods that are ordered by what they call. */
    static boolean containElsewhere(String owner, String name) {
        return contain(owner, name) || ELSEWHERE.getOrDefault(owner, Set.of()).contains(name);
    }

    /** Whether a class of the JDK, or one above it, is known for the method: a program may call it by each of these names. */
    private static boolean isKnown(String owner, String name) {
        if (METHODS.getOrDefault(owner, Set.of()).contains(name)) {
            return true;
        }
        if (!owner.startsWith("java/util/") || !NAMES.contains(name)) {
            return false;
        }
        Class<?> type = ofJdk(owner);
        return type != null
                && METHODS.entrySet().stream()
                        .filter(each -> each.getValue().contains(name))
                        .anyMatch(each -> {
                            Class<?> known = ofJdk(each.getKey());
                            return known != null && known.isAssignableFrom(type);
                        });
    }

    private static @Nullable Class<?> ofJdk(String name) {
        try {
            return Class.forName(name.replace('/', '.'), false, null);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
