package org.amo.core.replica;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.sim.Faults;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/**
 * Nested calls of operations, and the two servers that they call: one runs a call once for each identity, the other runs
 * every call that arrives. Drawn apart from the world, so that runs without them stay unchanged.
 */
final class FtsNested {
    private static final double RUNS = 0.3;
    private static final double CALLS = 0.08;
    private static final long RETRY_MILLIS = 300;
    private static final long PLAIN_MILLIS = 1_500;

    private final SplittableRandom random;
    private final boolean on;
    private final NestedBug bug;

    /** Nested calls of an operation, by the call that it runs for. */
    private final Map<Long, Integer> counts = new HashMap<>();

    private final Map<Long, byte[]> byIdentity = new HashMap<>();
    private final Map<Call, Integer> ran = new HashMap<>();
    private final Map<Call, Optional<byte[]>> used = new HashMap<>();
    private final Set<Call> sent = new HashSet<>();
    private long executions;

    /**
     * A nested call.
     *
     * @param life of the group
     * @param parent the call that the calling operation runs for
     */
    record Call(int life, long parent, int number) {
        /** Whether its callee runs it once for each identity. */
        boolean hasIdentity() {
            return (parent + number) % 2 == 0;
        }
    }

    /**
     * @param others whether a run of this seed has faults that mix badly with these
     * @param otherBug whether the run has a planted bug of another part
     */
    FtsNested(long seed, Faults faults, NestedBug bug, boolean others, boolean otherBug) {
        this.random = new SplittableRandom(seed ^ 0x6E65_7374_6564L);
        this.bug = bug;
        boolean drawn = random.nextDouble() < RUNS;
        this.on = faults != Faults.NONE && !others && (bug != NestedBug.NONE || (drawn && !otherBug));
    }

    boolean isOn() {
        return on;
    }

    NestedBug bug() {
        return bug;
    }

    /** A client makes a call. */
    void made(long call) {
        if (on && random.nextDouble() < CALLS) {
            counts.put(call, 1 + random.nextInt(3));
        }
    }

    /** How many nested calls the operation of this call makes. */
    int count(long call) {
        return counts.getOrDefault(call, 0);
    }

    /** An identity that no call has. */
    byte[] newIdentity() {
        WireWriter writer = new WireWriter(8);
        writer.i64(random.nextLong());
        return writer.toBytes();
    }

    /** @param told the result, once, unless the sender ends before; empty if there was none in time */
    void send(
            SimWorld world,
            SimProcess sender,
            Call call,
            Optional<byte[]> identity,
            long leftMillis,
            Consumer<Optional<byte[]>> told) {
        world.fault(sent.add(call) ? "nestedCall" : "nestedRepeat");
        long millis = identity.isPresent() ? leftMillis : Math.min(leftMillis, PLAIN_MILLIS);
        new Sender(world, sender, call, identity, world.nowMillis() + millis, told).start();
    }

    /** A member takes a result; the others must take the same. */
    void used(Call call, String member, Optional<byte[]> result) {
        Optional<byte[]> first = used.putIfAbsent(call, result);
        if (first != null && !Arrays.equals(first.orElse(new byte[0]), result.orElse(new byte[0]))) {
            throw new SimViolationException(
                    FtsLedger.DIVERGED, call + " has another result at " + member + " than elsewhere");
        }
    }

    private byte[] run(Call call, Optional<byte[]> identity) {
        Optional<Long> id = identity.map(bytes -> new WireReader("identity", bytes).i64("identity"));
        if (id.isPresent() && byIdentity.containsKey(id.get())) {
            return byIdentity.get(id.get());
        }
        executions++;
        if (ran.merge(call, 1, Integer::sum) > 1) {
            throw new SimViolationException(FtsLedger.NESTED_TWICE, call + " ran again");
        }
        WireWriter writer = new WireWriter(8);
        writer.i64(executions);
        byte[] result = writer.toBytes();
        id.ifPresent(known -> byIdentity.put(known, result));
        return result;
    }

    /** A client in the member's process; repeats a call that has an identity. */
    private final class Sender {
        private final SimWorld world;
        private final SimProcess process;
        private final Call call;
        private final Optional<byte[]> identity;
        private final long endMillis;
        private final Consumer<Optional<byte[]>> told;
        private boolean over;

        Sender(
                SimWorld world,
                SimProcess process,
                Call call,
                Optional<byte[]> identity,
                long endMillis,
                Consumer<Optional<byte[]>> told) {
            this.world = world;
            this.process = process;
            this.call = call;
            this.identity = identity;
            this.endMillis = endMillis;
            this.told = told;
        }

        void start() {
            process.after(Math.max(0, endMillis - world.nowMillis()) * 1_000, () -> end(Optional.empty()));
            attempt();
        }

        private void attempt() {
            if (over) {
                return;
            }
            if (!world.chance(0.1)) {
                world.after(latency(), () -> {
                    byte[] result = run(call, identity);
                    if (!world.chance(0.1)) {
                        process.after(latency(), () -> end(Optional.of(result)));
                    }
                });
            }
            if (identity.isPresent()) {
                process.after(RETRY_MILLIS * 1_000, this::attempt);
            }
        }

        private long latency() {
            return world.chance(0.15) ? world.between(50_000, 2_000_000) : world.between(100, 3_000);
        }

        private void end(Optional<byte[]> result) {
            if (!over) {
                over = true;
                told.accept(result);
            }
        }
    }
}
