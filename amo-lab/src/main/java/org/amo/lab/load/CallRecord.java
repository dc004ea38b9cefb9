package org.amo.lab.load;

import java.util.Optional;

/**
 * The events of the calls of one thread, one call after the other. One thread owns it; another may report copies while that
 * one waits for its call.
 */
final class CallRecord implements CopyListener {
    private final Optional<LoadHistory> history;
    private final String prefix;

    private long calls;
    private String op = "";
    private String arg = "";
    private long startNanos;
    private Optional<String> id = Optional.empty();

    /** @param prefix of the ids of calls that have none of their own, as without amo */
    CallRecord(Optional<LoadHistory> history, String prefix) {
        this.history = history;
        this.prefix = prefix;
    }

    /** @return when it began */
    synchronized long begin(String newOp, String newArg) {
        calls++;
        op = newOp;
        arg = newArg;
        id = Optional.empty();
        startNanos = System.nanoTime();
        return startNanos;
    }

    @Override
    public synchronized void onCopy(String newId) {
        if (history.isEmpty() || id.filter(newId::equals).isPresent()) {
            return;
        }
        // Only a call that certainly did not run may take a new number.
        long now = System.nanoTime();
        id.ifPresent(old -> history.get().fail(old, "RENUMBERED", now));
        history.get().invoke(newId, op, arg, id.isPresent() ? now : startNanos);
        id = Optional.of(newId);
    }

    synchronized void ok(String value, long nanos) {
        history.ifPresent(events -> events.ok(ensureInvoked(events), value, nanos));
    }

    synchronized void fail(String reason, long nanos) {
        history.ifPresent(events -> events.fail(ensureInvoked(events), reason, nanos));
    }

    synchronized void info(String reason, long nanos) {
        history.ifPresent(events -> events.info(ensureInvoked(events), reason, nanos));
    }

    private String ensureInvoked(LoadHistory events) {
        if (id.isEmpty()) {
            id = Optional.of(prefix + calls);
            events.invoke(id.get(), op, arg, startNanos);
        }
        return id.get();
    }
}
