package org.amo.core.reply;

import static org.amo.core.reply.ClientRows.FLOOR;
import static org.amo.core.reply.ClientRows.HIGHEST_TIMESTAMP;
import static org.amo.core.reply.ClientRows.LAST_HEARD;
import static org.amo.core.reply.ClientRows.WAKE_AT;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.core.request.Principal;
import org.jspecify.annotations.Nullable;

/**
 * The records of all own clients. A client that has neither a live entry nor a resolved range, which is most of them most of
 * the time, is a row of six longs; the others are objects. {@link #find} makes an object of a row, {@link #keep} a row of an
 * object that can be one: a change that was not kept is lost.
 *
 * <p>One thread owns it.
 */
public final class ClientRecords {
    /** What an idle client takes, with its place in the index and among the times to look at it. */
    public static final int ROW_BYTES = 72;

    private final ReplyStore store;
    private final Shares shares;
    private final ClientRows rows;
    private final RowIndex index;
    private final WakeHeap wakes;

    /** The records of clients that are not idle; a client's row has its place. */
    private @Nullable ClientRecord[] active = {};

    private int activeEnd;
    private final FreePlaces freeActive;

    /**
     * @param hashSeed anything that clients cannot guess; the content does not depend on it
     * @param pages for the rows of idle clients
     * @param shares new ones: the content of the records is charged there
     */
    public ClientRecords(long hashSeed, ReplyStore store, RowPages pages, Shares shares) {
        this.store = store;
        this.shares = shares;
        rows = new ClientRows(pages);
        index = new RowIndex(rows, hashSeed);
        wakes = new WakeHeap(row -> rows.get(row, WAKE_AT));
        freeActive = new FreePlaces();
    }

    private ClientRecords(ClientRecords other) {
        store = ReplyStore.heap();
        shares = other.shares.copy();
        rows = other.rows.copy();
        index = other.index.copy(rows);
        wakes = new WakeHeap(row -> rows.get(row, WAKE_AT));
        active = other.active.clone();
        for (int place = 0; place < active.length; place++) {
            ClientRecord record = active[place];
            active[place] = record == null ? null : record.copy();
        }
        activeEnd = other.activeEnd;
        freeActive = other.freeActive.copy();
    }

    public int size() {
        return rows.size();
    }

    /** The shares of the records, by principal. */
    public Shares shares() {
        return shares;
    }

    /** The record of a client, if there is one. */
    public Optional<ClientRecord> find(ClientId client) {
        int row = index.find(client);
        if (row == RowIndex.NONE) {
            return Optional.empty();
        }
        long floor = rows.get(row, FLOOR);
        return Optional.of(
                floor < 0
                        ? activeAt(~floor)
                        : ClientRecord.idle(
                                client,
                                shares.principal(rows.principal(row)),
                                store,
                                floor,
                                rows.get(row, HIGHEST_TIMESTAMP),
                                rows.get(row, LAST_HEARD),
                                rows.get(row, WAKE_AT)));
    }

    /** The record of a client, or a new empty one; only {@link #keep} stores it. */
    public ClientRecord findOrMake(ClientId client, Principal principal) {
        return find(client).orElseGet(() -> new ClientRecord(client, principal, store));
    }

    /** Takes a record that was read from a snapshot: its replies go where they are kept here. */
    public void add(ClientRecord read) {
        keep(read.copyTo(store));
    }

    /** Takes a record that is new or was changed. */
    public void keep(ClientRecord record) {
        int row = index.find(record.client());
        if (row == RowIndex.NONE) {
            row = rows.add(record.client());
            rows.principal(row, shares.join(record.principal()));
            index.add(row);
        }
        long more = record.newlyCharged();
        if (more != 0) {
            shares.charge(rows.principal(row), more);
        }
        if (record.isIdle()) {
            deactivate(row);
            rows.set(row, FLOOR, record.floor());
            rows.set(row, HIGHEST_TIMESTAMP, record.highestTimestampMillis());
            rows.set(row, LAST_HEARD, record.lastHeardMillis());
        } else {
            activate(row, record);
        }
        if (rows.get(row, WAKE_AT) != record.wakeAtMillis()) {
            rows.set(row, WAKE_AT, record.wakeAtMillis());
            wakes.update(row);
        }
    }

    /** Forgets a client that is there, and its charges. */
    public void remove(ClientRecord record) {
        int row = index.find(record.client());
        shares.charge(rows.principal(row), -record.release());
        shares.leave(rows.principal(row));
        wakes.remove(row);
        deactivate(row);
        index.remove(row);
        rows.remove(row);
    }

    /** When the first of them is to be looked at; Long.MAX_VALUE when none is. */
    public long nextWakeMillis() {
        return wakes.isEmpty() ? Long.MAX_VALUE : rows.get(wakes.first(), WAKE_AT);
    }

    /** Those to be looked at by now, in order of time; from here on none of them is scheduled. */
    public List<ClientId> pollDue(long nowMillis) {
        List<ClientId> due = new ArrayList<>();
        while (!wakes.isEmpty() && nextWakeMillis() <= nowMillis) {
            int row = wakes.first();
            rows.set(row, WAKE_AT, Long.MAX_VALUE);
            wakes.remove(row);
            if (rows.get(row, FLOOR) < 0) {
                activeAt(~rows.get(row, FLOOR)).wakeAtMillis(Long.MAX_VALUE);
            }
            due.add(rows.id(row));
        }
        return due;
    }

    /** The most resolved ranges of any of them. */
    public int maxRanges() {
        int most = 0;
        for (ClientRecord record : active) {
            most = record == null ? most : Math.max(most, record.rangeCount());
        }
        return most;
    }

    /** In rising order of their ids. */
    public void forEach(Consumer<ClientRecord> visitor) {
        ClientId[] ids = new ClientId[size()];
        int found = 0;
        for (int row = 0; row < rows.end(); row++) {
            ClientId id = rows.id(row);
            if (index.find(id) == row) {
                ids[found++] = id;
            }
        }
        Arrays.sort(ids);
        for (ClientId id : ids) {
            find(id).ifPresent(visitor);
        }
    }

    /** As they are now, scheduled for nothing and with all replies on the heap. */
    public ClientRecords copy() {
        return new ClientRecords(this);
    }

    private void activate(int row, ClientRecord record) {
        long floor = rows.get(row, FLOOR);
        int place = (int) ~floor;
        if (floor >= 0) {
            place = freeActive.isEmpty() ? activeEnd++ : freeActive.pop();
            if (place == active.length) {
                active = Arrays.copyOf(active, place + 8 + place / 4);
            }
            rows.set(row, FLOOR, ~(long) place);
        }
        active[place] = record;
    }

    private void deactivate(int row) {
        long floor = rows.get(row, FLOOR);
        if (floor < 0) {
            active[(int) ~floor] = null;
            freeActive.push((int) ~floor);
        }
    }

    private ClientRecord activeAt(long place) {
        ClientRecord record = active[(int) place];
        if (record == null) {
            throw new IllegalStateException("no record at " + place);
        }
        return record;
    }
}
