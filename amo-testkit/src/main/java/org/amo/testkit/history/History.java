package org.amo.testkit.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * All that clients and replicas wrote down in one run. Immutable; made by a {@link Builder}, or read from a file by
 * {@link HistoryFile}.
 */
public final class History {
    private final Map<String, HistoryCall> calls;
    private final List<ServiceLife> lives;
    private final Map<String, Object> states;
    private final List<String> flaws;

    private History(
            Map<String, HistoryCall> calls, List<ServiceLife> lives, Map<String, Object> states, List<String> flaws) {
        this.calls = Collections.unmodifiableMap(calls);
        this.lives = List.copyOf(lives);
        this.states = Collections.unmodifiableMap(states);
        this.flaws = List.copyOf(flaws);
    }

    /** By id, in the order in which they began in the history. */
    public Map<String, HistoryCall> calls() {
        return calls;
    }

    /** Every life of every replica; those of one replica in their order. */
    public List<ServiceLife> lives() {
        return lives;
    }

    /** By replica: the state that it reported at the end. */
    public Map<String, Object> states() {
        return states;
    }

    /** Events that contradict each other: a call that begins twice, or ends twice, or ends without having begun. */
    public List<String> flaws() {
        return flaws;
    }

    /** Takes events one after the other; those of one replica in the order in which they happened. One thread owns it. */
    public static final class Builder {
        private final Map<String, HistoryCall> calls = new LinkedHashMap<>();
        private final Map<String, List<LifeBuilder>> lives = new LinkedHashMap<>();
        private final Map<String, Object> states = new LinkedHashMap<>();
        private final List<String> flaws = new ArrayList<>();

        public Builder invoke(
                String client, String id, String op, Optional<List<Object>> arguments, OptionalLong nanos) {
            HistoryCall call = new HistoryCall(
                    client, id, op, arguments, nanos, HistoryCall.Outcome.OPEN, Optional.empty(), OptionalLong.empty());
            if (calls.putIfAbsent(id, call) != null) {
                flaws.add(id + " is invoked twice");
            }
            return this;
        }

        public Builder end(String id, HistoryCall.Outcome outcome, Optional<Object> value, OptionalLong nanos) {
            HistoryCall call = calls.get(id);
            if (call == null || call.outcome() != HistoryCall.Outcome.OPEN) {
                flaws.add(id + " ends without having begun, or twice");
            } else {
                calls.put(id, call.ended(outcome, value, nanos));
            }
            return this;
        }

        public Builder exec(String replica, String id, long position, Optional<Object> value) {
            LifeBuilder life = life(replica);
            if (life.before.contains(id)) {
                flaws.add(replica + " executed " + id + " before it went on from a snapshot, and again behind that");
            }
            life.executions.add(new ServiceLife.Execution(id, position, value));
            return this;
        }

        /**
         * A life begins, or continues from the state at a position after its executions; then the later executions count as
         * a life of its own. Executions up to the position come from elsewhere.
         */
        public Builder join(String replica, long position) {
            LifeBuilder life = life(replica);
            if (life.executions.isEmpty()) {
                life.joinedAt = position;
            } else if (position > 0) {
                life.crashed = true;
                LifeBuilder next = life(replica);
                next.joinedAt = position;
                next.before.addAll(life.before);
                life.executions.forEach(execution -> next.before.add(execution.id()));
            }
            return this;
        }

        public Builder crash(String replica) {
            life(replica).crashed = true;
            return this;
        }

        public Builder state(String replica, Object state) {
            states.put(replica, state);
            return this;
        }

        public History build() {
            List<ServiceLife> all = new ArrayList<>();
            lives.forEach((replica, ofReplica) -> {
                for (int i = 0; i < ofReplica.size(); i++) {
                    LifeBuilder life = ofReplica.get(i);
                    all.add(new ServiceLife(replica, i + 1, life.joinedAt, life.crashed, life.executions));
                }
            });
            return new History(new LinkedHashMap<>(calls), all, new LinkedHashMap<>(states), flaws);
        }

        private LifeBuilder life(String replica) {
            List<LifeBuilder> all = lives.computeIfAbsent(replica, key -> new ArrayList<>());
            if (all.isEmpty() || all.get(all.size() - 1).crashed) {
                all.add(new LifeBuilder());
            }
            return all.get(all.size() - 1);
        }
    }

    private static final class LifeBuilder {
        private final List<ServiceLife.Execution> executions = new ArrayList<>();
        /** Ids that the same process executed before it went on from a snapshot. */
        private final Set<String> before = new HashSet<>();

        private long joinedAt;
        private boolean crashed;
    }
}
