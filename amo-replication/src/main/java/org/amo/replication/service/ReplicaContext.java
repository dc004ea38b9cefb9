package org.amo.replication.service;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.amo.base.ClientId;
import org.amo.base.Stable;
import org.amo.core.replica.Execution;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Tells a running request, or a read, the facts that it may use besides its own bytes: the same at every member and at every replay of
 * the log. Valid while the request runs, in the thread that runs it.
 */
@Stable
public final class ReplicaContext {
    private static final ThreadLocal<@Nullable ReplicaContext> RUNNING = new ThreadLocal<>();

    /** Stands for a read, which has no identity. */
    private static final Request READ = new Request(RequestId.own(new ClientId(0, 0), 1), 0, 0, 0, false, new byte[0]);

    private final String group;
    private final Execution execution;
    private final Request request;
    private final boolean readOnly;
    private final Map<String, String> metadata;
    private @Nullable Random random;

    ReplicaContext(String group, Execution execution, Map<String, String> metadata) {
        this(group, execution, metadata, false);
    }

    private ReplicaContext(String group, Execution execution, Map<String, String> metadata, boolean readOnly) {
        this.metadata = metadata;
        this.group = group;
        this.execution = execution;
        this.request = execution.request();
        this.readOnly = readOnly;
    }

    static ReplicaContext ofRead(String group, long position, long orderedTimeMillis, Map<String, String> metadata) {
        return new ReplicaContext(group, new Execution(position, 0, orderedTimeMillis, READ), metadata, true);
    }

    /**
     * The context of the request that this thread runs.
     *
     * @throws IllegalStateException when it runs none
     */
    public static ReplicaContext current() {
        return running()
                .orElseThrow(() -> new IllegalStateException(
                        "no replicated request runs in this thread; ask for the context inside of the service"));
    }

    static Optional<ReplicaContext> running() {
        return Optional.ofNullable(RUNNING.get());
    }

    void enter() {
        RUNNING.set(this);
    }

    static void leave() {
        RUNNING.remove();
    }

    String group() {
        return group;
    }

    /** The group's time at this request: never falls from one request to the next, follows the wall clocks. */
    public Instant time() {
        return Instant.ofEpochMilli(execution.orderedTimeMillis());
    }

    /** Of the entry that carries the request in the ordered log; several requests may share one. In a read, of the last one. */
    public long position() {
        return execution.position();
    }

    /** Names the call: the client's 32 hexadecimal digits, a hyphen and its number. Empty in a read. */
    public String requestId() {
        return readOnly ? "" : request.id().toString();
    }

    /**
     * Whether this is a read ({@link ReadOnly}, {@link AmoReplica.Builder#reads}): it runs at this member alone, and must change
     * nothing. False if the group has ordered it like a request.
     */
    public boolean readOnly() {
        return readOnly;
    }

    /**
     * The metadata that the client gave its call ({@link CallOptions#metadata}), in the order of its keys; the same at every member.
     * Any client may claim any value: a group trusts all clients that have its secret.
     */
    public Map<String, String> metadata() {
        return metadata;
    }

    /** Whether no client waits for a reply. */
    public boolean oneway() {
        return request.oneway();
    }

    /**
     * Random numbers that every member draws alike. With {@link AmoReplica.Builder#random} LEADER they follow from a secret seed
     * that the order carries, and are fit for secrets; else they follow from the request's id and position.
     */
    public Random random() {
        Random drawn = random;
        if (drawn == null) {
            drawn = execution.seed().isPresent()
                    ? new SeededRandom(execution.seed().get(), execution.place())
                    : ofRequest();
            random = drawn;
        }
        return drawn;
    }

    private Random ofRequest() {
        long seed = request.id().client().high()
                ^ Long.rotateLeft(request.id().client().low(), 23);
        return new Random(
                seed ^ Long.rotateLeft(request.id().number(), 46) ^ execution.position() * 0x9E37_79B9_7F4A_7C15L);
    }
}
