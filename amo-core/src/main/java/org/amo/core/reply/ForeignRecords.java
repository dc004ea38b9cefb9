package org.amo.core.reply;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.core.request.Principal;

/** The records of all foreign clients, and when each is to be looked at. One thread owns it. */
public final class ForeignRecords {
    private final ReplyStore store;
    private final Shares shares;
    private final Map<ClientId, ForeignRecord> records = new HashMap<>();

    /** An outdated one is skipped. */
    private final PriorityQueue<Wake> wakes = new PriorityQueue<>();

    /** @param shares new ones: the content of the records is charged there */
    public ForeignRecords(ReplyStore store, Shares shares) {
        this.store = store;
        this.shares = shares;
    }

    /** The shares of the records, by principal. */
    public Shares shares() {
        return shares;
    }

    public int size() {
        return records.size();
    }

    public Optional<ForeignRecord> find(ClientId client) {
        return Optional.ofNullable(records.get(client));
    }

    public ForeignRecord findOrMake(ClientId client, Principal principal) {
        return records.computeIfAbsent(client, id -> new ForeignRecord(id, principal, store));
    }

    /** Takes a record that was read from a snapshot: its replies go where they are kept here. */
    public void add(ForeignRecord read) {
        ForeignRecord record = read.copyTo(store);
        records.put(record.client(), record);
        charge(record);
        wakes.add(new Wake(record.wakeAtMillis(), record.client()));
    }

    /** Forgets a client that is there and holds nothing. */
    public void remove(ClientId client) {
        ForeignRecord removed = records.remove(client);
        if (removed != null) {
            charge(removed);
            shares.leave(removed.place());
        }
    }

    /** A record was changed: it is looked at when its first entry expires. */
    public void reschedule(ForeignRecord record) {
        charge(record);
        long wake = record.nextWakeMillis();
        if (wake < record.wakeAtMillis()) {
            record.wakeAtMillis(wake);
            wakes.add(new Wake(wake, record.client()));
        }
    }

    /** When the first of them is to be looked at; Long.MAX_VALUE when none is. */
    public long nextWakeMillis() {
        while (!wakes.isEmpty() && isOutdated(wakes.peek())) {
            wakes.poll();
        }
        return wakes.isEmpty() ? Long.MAX_VALUE : wakes.peek().atMillis;
    }

    /** Those to be looked at by now, in order of time; from here on none of them is scheduled. */
    public List<ForeignRecord> pollDue(long nowMillis) {
        List<ForeignRecord> due = new ArrayList<>();
        while (!wakes.isEmpty() && wakes.peek().atMillis <= nowMillis) {
            Wake wake = wakes.poll();
            if (!isOutdated(wake)) {
                find(wake.client).ifPresent(record -> {
                    record.wakeAtMillis(Long.MAX_VALUE);
                    due.add(record);
                });
            }
        }
        return due;
    }

    /** In rising order of their ids. */
    public void forEach(Consumer<ForeignRecord> visitor) {
        new TreeMap<>(records).values().forEach(visitor);
    }

    /** As they are now, scheduled for nothing and with all replies on the heap. */
    public ForeignRecords copy() {
        ForeignRecords copy = new ForeignRecords(ReplyStore.heap(), shares.copy());
        records.forEach((client, record) -> copy.records.put(client, record.copy()));
        return copy;
    }

    private void charge(ForeignRecord record) {
        if (record.place() < 0) {
            record.place(shares.join(record.principal()));
        }
        long more = record.newlyCharged();
        if (more != 0) {
            shares.charge(record.place(), more);
        }
    }

    private boolean isOutdated(Wake wake) {
        ForeignRecord record = records.get(wake.client);
        return record == null || record.wakeAtMillis() != wake.atMillis;
    }

    private record Wake(long atMillis, ClientId client) implements Comparable<Wake> {
        @Override
        public int compareTo(Wake other) {
            return Long.compare(atMillis, other.atMillis);
        }
    }
}
