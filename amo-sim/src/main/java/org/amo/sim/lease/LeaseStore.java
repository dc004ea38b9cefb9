package org.amo.sim.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcLogBatch;
import org.amo.linearizable.rpclog.RpcRecord;
import org.amo.sim.SimProcess;
import org.amo.sim.SimWorld;

/**
 * The disk of one server: batches that are written in order, each whole or not at all, and forced together. A crash
 * keeps any number of those that were written and not yet forced, from the first on.
 */
final class LeaseStore {
    private final SimWorld world;
    private final SimProcess process;
    private final Deque<Batch> written = new ArrayDeque<>();
    private boolean forcing;

    private final Map<Integer, LeaseObject> objects = new TreeMap<>();
    private final Map<Long, TreeMap<Long, byte[]>> records = new TreeMap<>();
    private final Map<Long, Long> bounds = new TreeMap<>();

    LeaseStore(SimWorld world, SimProcess process) {
        this.world = world;
        this.process = process;
    }

    /** Changes that come to the disk together. */
    static final class Batch implements RpcLogBatch {
        private final List<java.util.function.Consumer<LeaseStore>> changes = new ArrayList<>();
        private final List<Runnable> whenDurable = new ArrayList<>();

        void putObject(int key, LeaseObject object) {
            changes.add(store -> store.objects.put(key, object));
        }

        void clearRange(int range) {
            changes.add(store -> {
                store.objects.keySet().removeIf(key -> LeaseOperation.rangeOf(key) == range);
                store.records.values().forEach(each -> each.values().removeIf(bytes -> rangeOf(bytes) == range));
            });
        }

        @Override
        public void putRecord(RpcRecord record) {
            byte[] bytes = record.encode();
            changes.add(store -> store.records
                    .computeIfAbsent(record.id().client().value(), client -> new TreeMap<>())
                    .put(record.id().number(), bytes));
        }

        @Override
        public void putBound(LeaseId client, long ackId) {
            changes.add(store -> store.bounds.put(client.value(), ackId));
        }

        @Override
        public void removeRecord(RpcId id) {
            changes.add(store -> {
                Map<Long, byte[]> own = store.records.get(id.client().value());
                if (own != null) {
                    own.remove(id.number());
                }
            });
        }

        @Override
        public void removeClient(LeaseId client) {
            changes.add(store -> {
                store.records.remove(client.value());
                store.bounds.remove(client.value());
            });
        }

        boolean isEmpty() {
            return changes.isEmpty();
        }
    }

    private static int rangeOf(byte[] record) {
        return LeaseOperation.rangeOf(
                LeaseOperation.keyOf(RpcRecord.decode(record).keyHash()));
    }

    Map<Integer, LeaseObject> objects() {
        return objects;
    }

    Map<Long, Long> bounds() {
        return bounds;
    }

    List<RpcRecord> records() {
        List<RpcRecord> all = new ArrayList<>();
        records.values()
                .forEach(own -> own.values().stream().map(RpcRecord::decode).forEach(all::add));
        return all;
    }

    /** The durable record of a call. */
    java.util.Optional<RpcRecord> record(RpcId id) {
        Map<Long, byte[]> own = records.getOrDefault(id.client().value(), new TreeMap<>());
        return java.util.Optional.ofNullable(own.get(id.number())).map(RpcRecord::decode);
    }

    /** Tells, unless the process crashes before, when this batch and all before it are durable. */
    void write(Batch batch, Runnable durable) {
        batch.whenDurable.add(durable);
        written.add(batch);
        force();
    }

    /** Tells when all that was written so far is durable. */
    void afterAll(Runnable durable) {
        if (written.isEmpty()) {
            durable.run();
        } else {
            written.getLast().whenDurable.add(durable);
        }
    }

    private void force() {
        if (forcing || written.isEmpty()) {
            return;
        }
        forcing = true;
        int count = written.size();
        process.after(world.chance(0.05) ? world.between(20_000, 300_000) : world.between(100, 8_000), () -> {
            forcing = false;
            List<Runnable> told = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Batch batch = written.remove();
                batch.changes.forEach(change -> change.accept(this));
                told.addAll(batch.whenDurable);
            }
            force();
            told.forEach(Runnable::run);
        });
    }

    /** The process is gone. */
    void crash() {
        forcing = false;
        long kept = world.chance(0.3) ? 0 : world.between(0, written.size());
        for (long i = 0; i < kept; i++) {
            written.remove().changes.forEach(change -> change.accept(this));
        }
        written.clear();
    }
}
