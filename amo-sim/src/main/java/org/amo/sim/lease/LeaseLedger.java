package org.amo.sim.lease;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcRecord;
import org.amo.linearizable.rpclog.RpcVerdict;
import org.amo.sim.SimViolationException;
import org.jspecify.annotations.Nullable;

/** Records the complete history of {@code lease}, and holds the checks. */
final class LeaseLedger {
    static final String TWICE = "executed twice";
    static final String LOST = "an answered call is lost";
    static final String OTHER_RESULT = "a copy got another result";
    static final String TORN = "object and record differ";
    static final String EARLY = "a live client was forgotten or refused";
    static final String PROMISED = "a client was told of a lease that was not ordered";
    static final String TIME = "cluster time or a lease went back";
    static final String SHARED_ID = "two clients have one id";
    static final String OLD_READ = "a read missed an answered write";
    static final String NO_ANSWER = "a call without an answer";
    static final String STAYS = "records that stay";
    static final String BROKE = "the core stopped";

    private final Map<RpcId, LeaseOperation> sent = new HashMap<>();
    private final Map<RpcId, Long> answered = new HashMap<>();
    private final Map<Long, Long> ackIds = new HashMap<>();
    private final Map<Long, ClusterTime> live = new HashMap<>();
    private final Set<Long> expired = new HashSet<>();
    private final Map<Long, SimLeaseClient> owners = new HashMap<>();
    private final Map<Integer, Long> versions = new HashMap<>();
    private ClusterTime time = ClusterTime.ZERO;
    private long operations;

    long operations() {
        return operations;
    }

    LeaseOperation issue(LeaseOperation.Kind kind, int key, long argument, long version) {
        return new LeaseOperation(++operations, key, kind, argument, version);
    }

    void onSent(RpcId id, LeaseOperation operation) {
        sent.put(id, operation);
    }

    /** The client wants no result up to this number any longer. */
    void onFinished(LeaseId client, long upTo) {
        ackIds.merge(client.value(), upTo, Math::max);
    }

    void onOpened(LeaseId client, SimLeaseClient owner) {
        SimLeaseClient other = owners.put(client.value(), owner);
        if (other != null && other != owner) {
            fail(SHARED_ID, "lease " + client.value());
        }
    }

    /** An answer of the authority, when it was ordered. */
    void onAuthority(LeaseAnswer answer) {
        if (time.isAfter(answer.now())) {
            fail(
                    TIME,
                    "cluster time fell from " + time.millis() + " to "
                            + answer.now().millis());
        }
        time = answer.now();
        long client = answer.client().value();
        if (answer.isLive()) {
            if (expired.contains(client)) {
                fail(TIME, "lease " + client + " was over and is live again");
            }
            live.put(client, answer.expires());
        } else if (answer.status() == LeaseAnswer.Status.EXPIRED) {
            if (granted(client).isAfter(answer.now())) {
                fail(
                        EARLY,
                        "lease " + client + " was granted until "
                                + granted(client).millis() + " and is over at "
                                + answer.now().millis());
            }
            expired.add(client);
        }
    }

    /** A client hears of its renewal, perhaps late. */
    void onTold(LeaseAnswer answer) {
        long client = answer.client().value();
        if (answer.isLive() && answer.expires().isAfter(granted(client))) {
            fail(
                    PROMISED,
                    "client " + client + " hears that its lease ends at "
                            + answer.expires().millis() + ", it was granted until "
                            + granted(client).millis());
        }
    }

    private ClusterTime granted(long client) {
        return live.getOrDefault(client, ClusterTime.ZERO);
    }

    boolean isOver(LeaseId client) {
        return expired.contains(client.value()) || !granted(client.value()).isAfter(time);
    }

    void onForgotten(LeaseId client, String server) {
        if (!isOver(client)) {
            fail(
                    EARLY,
                    server + " forgets client " + client.value() + " at " + time.millis() + ", its lease ends at "
                            + granted(client.value()).millis());
        }
    }

    void onRefused(RpcId id, RpcVerdict verdict, String server) {
        boolean wanted = id.number() > ackIds.getOrDefault(id.client().value(), 0L);
        if (wanted && (verdict == RpcVerdict.STALE || !isOver(id.client()))) {
            fail(EARLY, server + " says " + verdict + " to call " + id.client().value() + "-" + id.number());
        }
    }

    /** Before an operation is executed on the server's object. */
    void onExecute(LeaseOperation operation, LeaseObject object, RpcId id, String server) {
        for (LeaseObject.Step step = object.last(); step != null; step = step.before()) {
            if (step.operation().serial() == operation.serial()) {
                fail(TWICE, server + " executes " + text(id) + " again, operation " + operation.serial());
            }
        }
    }

    /** A client got a result. {@code object} is the durable object at its present server. */
    void onAnswer(RpcId id, long result, LeaseObject object, boolean served) {
        Long first = answered.putIfAbsent(id, result);
        if (first != null && first != result) {
            fail(OTHER_RESULT, text(id) + " was " + first + " and is " + result);
        }
        if (first != null || !served) {
            return;
        }
        LeaseOperation operation = Objects.requireNonNull(sent.get(id));
        LeaseObject.Step step = find(object, operation);
        if (step == null || step.result() != result) {
            fail(
                    LOST,
                    text(id) + " was answered " + result + ", its object has "
                            + (step == null ? "no such step" : String.valueOf(step.result())));
        }
        if (result != LeaseOperation.REFUSED) {
            versions.merge(operation.key(), object.version(), Math::max);
        }
    }

    long leastVersion(int key) {
        return versions.getOrDefault(key, 0L);
    }

    void onRead(int key, long least, long version) {
        if (version < least) {
            fail(OLD_READ, "key " + key + " at version " + version + ", " + least + " was there before");
        }
        versions.merge(key, version, Math::max);
    }

    /** A server has read a disk: each object is as new as its records, and each record as its object. */
    void onRecovered(LeaseStore store, int range, String server) {
        Map<RpcId, RpcRecord> records = new HashMap<>();
        for (RpcRecord record : store.records()) {
            int key = LeaseOperation.keyOf(record.keyHash());
            if (LeaseOperation.rangeOf(key) == range) {
                records.put(record.id(), record);
                LeaseObject object = store.objects().getOrDefault(key, LeaseObject.NONE);
                if (find(object, sent.get(record.id())) == null) {
                    fail(TORN, server + " has a record of " + text(record.id()) + " and an object without it");
                }
            }
        }
        Map<Long, RpcId> wanted = new HashMap<>();
        sent.forEach((id, operation) -> {
            boolean acknowledged =
                    id.number() <= ackIds.getOrDefault(id.client().value(), 0L);
            if (operation.range() == range && !acknowledged && !isOver(id.client())) {
                wanted.put(operation.serial(), id);
            }
        });
        store.objects().forEach((key, object) -> {
            for (LeaseObject.Step step = object.last(); step != null; step = step.before()) {
                RpcId id = LeaseOperation.rangeOf(key) == range
                        ? wanted.get(step.operation().serial())
                        : null;
                if (id != null && !records.containsKey(id)) {
                    fail(TORN, server + " has an object with " + text(id) + " in it and no record of that");
                }
            }
        });
    }

    /** In the end: the durable object has each operation once, and each answer that a client got. */
    void checkObject(int key, LeaseObject object) {
        Map<Long, Long> results = new HashMap<>();
        for (LeaseObject.Step step = object.last(); step != null; step = step.before()) {
            long serial = step.operation().serial();
            if (results.put(serial, step.result()) != null) {
                fail(TWICE, "key " + key + " has operation " + serial + " twice");
            }
        }
        answered.forEach((id, result) -> {
            LeaseOperation operation = Objects.requireNonNull(sent.get(id));
            if (operation.key() == key && !result.equals(results.get(operation.serial()))) {
                fail(
                        LOST,
                        text(id) + " was answered " + result + ", in the end its object has "
                                + results.get(operation.serial()));
            }
        });
    }

    private static LeaseObject.@Nullable Step find(LeaseObject object, @Nullable LeaseOperation operation) {
        for (LeaseObject.Step step = object.last(); step != null; step = step.before()) {
            if (operation != null && step.operation().serial() == operation.serial()) {
                return step;
            }
        }
        return null;
    }

    static String text(RpcId id) {
        return "call " + id.client().value() + "-" + id.number();
    }

    void fail(String rule, String detail) {
        throw new SimViolationException(rule, detail);
    }
}
