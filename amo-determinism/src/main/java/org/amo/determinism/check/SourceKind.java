package org.amo.determinism.check;

import java.util.Locale;

/** A family of sources with a value or an effect that can differ between the replicas of a service. */
public enum SourceKind {
    /** Reads of a clock. */
    CLOCK("take the time of the request: under the agent, or from ReplicaContext.time()"),
    /** Random numbers. */
    RANDOM("take random numbers of the request: under the agent, or from ReplicaContext.random()"),
    /** Hash codes, and texts that contain them, that the JVM draws for each object. */
    IDENTITY_HASH("give the class a hashCode, equals and toString of its own"),
    /** Iteration in an order that can differ between replicas. */
    ITERATION_ORDER("iterate over a LinkedHashMap, TreeMap, EnumMap or List, or sort before use"),
    /** The default locale. */
    LOCALE("name the locale, for example Locale.ROOT, or set user.language and user.country alike at all replicas"),
    /** The default charset. */
    CHARSET("name the charset, for example StandardCharsets.UTF_8, or set file.encoding alike at all replicas"),
    /** The default time zone. */
    TIME_ZONE("name the time zone, for example ZoneOffset.UTC, or set user.timezone alike at all replicas"),
    /** Environment variables, system properties, preferences. */
    ENVIRONMENT("read it before the service starts, equal at all replicas, and keep it in a field"),
    /** Facts of the machine and of the process. */
    HOST("give each replica the same value by configuration, or leave it out of state and replies"),
    /** Threads, and results that depend on their timing. */
    THREAD(
            "do the work in the operation itself, or start all replicas with --threads ordered, which runs tasks at the same"
                    + " position at each (thread names, thread-local values and shutdown hooks stay as they are)"),
    /** Timers. */
    TIMER(
            "let a client call an operation at the time, or start all replicas with --threads ordered, which fires timers of"
                    + " java.util at the same position at each"),
    /** Streams that run in several threads. */
    PARALLEL_STREAM(
            "use a sequential stream, or start all replicas with --threads ordered, which makes streams sequential"),
    /** Finalizers. */
    FINALIZER("close the object in an operation; the garbage collector runs at another time at each replica"),
    /** References that the garbage collector clears. */
    REFERENCE("hold the object by an ordinary reference; the garbage collector runs at another time at each replica"),
    /** State in static fields, and settings of the whole JVM. */
    STATIC_STATE(
            "move it to a field of the servant: replicas change it in the same order, but no snapshot contains it"),
    /** Files, standard input, and streams that outlive an operation. */
    FILE("each replica does it, and again in a replay; keep the data in the servant, or let one client write it"),
    /** The network. */
    SOCKET("each replica does it, and again in a replay; let the client call the other system"),
    /** Databases. */
    JDBC("each replica does it, and again in a replay; see docs/how-to/keep-state-in-a-database.md"),
    /** Mail. */
    MAIL("each replica sends it, and again in a replay; let the client send it"),
    /** CORBA calls out of the servant. */
    NESTED_CALL("each replica makes the call, and again in a replay; see docs/reference/nested-calls.md"),
    /** Other programs. */
    PROCESS("each replica starts it, and again in a replay; let the client start it"),
    /** The end of the JVM. */
    EXIT("throw an exception; all replicas would end at the same request"),
    /** Order of members that reflection returns. */
    REFLECTION("sort the members by name; their order can differ between JVMs"),
    /** Native code, which the scan does not see. */
    NATIVE("read the native code; the scan sees none of it");

    private final String advice;

    SourceKind(String advice) {
        this.advice = advice;
    }

    /** The kind in reports, for example {@code static-state}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String advice() {
        return advice;
    }
}
