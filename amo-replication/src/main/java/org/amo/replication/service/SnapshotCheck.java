package org.amo.replication.service;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;

/**
 * Runs requests on a service and on a second object of it, which is made anew after every request and restored from the
 * state of the first. If the snapshots of a service leave something out, another reply or another state shows it. A state
 * of more than 64 kB is restored after some requests only, so that a test's time stays about the same.
 *
 * <p>The thread that runs the servant owns it. For tests: each request runs twice.
 */
final class SnapshotCheck implements ServantPort {
    private static final int BYTES_A_REQUEST = 1 << 16;

    private final Supplier<Checked> services;
    private final Consumer<String> onFault;
    private final Checked service;
    private Optional<Checked> restored = Optional.empty();
    private long wait;
    private boolean faulty;

    /** A service object with its parts. */
    record Checked(Object service, ServantPort servant, AmoState state) {
        Map<String, byte[]> takeEach() {
            // Only the bytes that FieldState writes are the same for equal states.
            return state instanceof FieldState fields ? fields.takeEach() : Map.of();
        }
    }

    /** @param onFault told of the difference once, in one line */
    SnapshotCheck(Supplier<Checked> services, Consumer<String> onFault) {
        this.services = services;
        this.onFault = onFault;
        this.service = services.get();
    }

    @Override
    public byte[] execute(long position, long orderedTimeMillis, Request request) {
        return execute(new Execution(position, 0, orderedTimeMillis, request));
    }

    @Override
    public byte[] execute(Execution execution) {
        byte[] reply = service.servant().execute(execution);
        long position = execution.position();
        if (!faulty) {
            restored.ifPresent(other -> {
                byte[] otherReply = other.servant().execute(execution);
                Optional<String> field = differing(other);
                if (field.isPresent() || !Arrays.equals(reply, otherReply)) {
                    fault("a " + name() + " that was restored from a snapshot before position " + position
                            + (Arrays.equals(reply, otherReply) ? " has another state" : " gives another reply")
                            + " after its request: "
                            + field.map(name -> "field " + name + " differs").orElseGet(this::elsewhere));
                }
            });
            if (!faulty && --wait < 0) {
                restore(position);
            }
        }
        return reply;
    }

    @Override
    public byte[] skipped(Request request) {
        return service.servant().skipped(request);
    }

    @Override
    public boolean hasReads() {
        return service.servant().hasReads();
    }

    @Override
    public byte[] read(long position, long orderedTimeMillis, byte[] body) {
        return service.servant().read(position, orderedTimeMillis, body);
    }

    @Override
    public OptionalLong stateDigest() {
        return service.servant().stateDigest();
    }

    private void restore(long position) {
        try {
            byte[] state = service.state().take();
            Checked other = services.get();
            other.state().restore(state);
            differing(other)
                    .ifPresent(field -> fault("a " + name() + " that is restored from a snapshot of position "
                            + position + " differs at once: field " + field));
            restored = Optional.of(other);
            wait = state.length / BYTES_A_REQUEST;
        } catch (RuntimeException e) {
            fault("a " + name() + " has no snapshot of position " + position + ": " + e.getMessage());
        }
    }

    private Optional<String> differing(Checked other) {
        Map<String, byte[]> here = service.takeEach();
        Map<String, byte[]> there = other.takeEach();
        return here.entrySet().stream()
                .filter(field -> !Arrays.equals(field.getValue(), there.get(field.getKey())))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private String elsewhere() {
        return service.state() instanceof FieldState fields
                ? "its fields in the snapshot are equal, so the reply depends on something else, such as "
                        + fields.leftAlone()
                : "its AmoState leaves something out";
    }

    private String name() {
        return service.service().getClass().getName();
    }

    private void fault(String what) {
        if (!faulty) {
            faulty = true;
            onFault.accept(what);
        }
    }
}
