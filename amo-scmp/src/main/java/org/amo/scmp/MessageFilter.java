package org.amo.scmp;

import java.util.OptionalLong;

/**
 * Tags each message new or duplicate without a handshake (SCMP, figures 2-1 and 2-2). The filter never takes a duplicate
 * for new, under any behaviour of clocks and network. The opposite error is possible: a new message is refused if it is
 * later than ρ, or if its sender's clock is off.
 *
 * <p>There are four ways to begin, because the wrong one lets duplicates through:
 *
 * <table>
 * <caption>factories</caption>
 * <tr><td>{@link #firstCreation}</td><td>stable storage, and this server name never existed</td></tr>
 * <tr><td>{@link #recovered}</td><td>stable storage, with the value found there</td></tr>
 * <tr><td>{@link #volatileFirstCreation}</td><td>no storage, and this name never existed</td></tr>
 * <tr><td>{@link #volatileRestart}</td><td>no storage or a lost one, and the name may have existed; the clock never
 * runs backwards</td></tr>
 * </table>
 *
 * <p>With storage: when {@link #toStore} gives a value, make it durable, then call {@link #onStored}. Nothing is accepted
 * before the first one.
 *
 * <p>Times are microseconds; {@code nowMicros} is G.time. One thread owns it.
 */
public class MessageFilter {
    /** Entries looked at for each message that finds the table too full. */
    private static final int SWEEP = 64;

    private final ScmpOptions options;
    private final LatestBound latest;
    private final ConnectionTable table;
    private final Keeper keeper;

    // Invariant: upper of a class >= every timestamp ever removed from the table for a connection of that class, and
    // >= every timestamp accepted before the last crash. A connection without an entry is judged by it.
    // Also upper <= G.time - rho, except after a restart: only old entries are removed.
    private final long[] upperMicros;
    private final long collectFromMicros;
    private int hand;

    /** A component that keeps more than a timestamp for each slot, and may need an entry for longer. */
    public interface Keeper {
        /** Whether the keeper no longer needs the entry. The filter checks ρ itself. */
        boolean mayForget(int slot, long nowMicros);

        /** The entry is gone; its slot will be another connection's. */
        void onForgotten(int slot);
    }

    private static final Keeper NOTHING_MORE = new Keeper() {
        @Override
        public boolean mayForget(int slot, long nowMicros) {
            return true;
        }

        @Override
        public void onForgotten(int slot) {}
    };

    MessageFilter(ScmpOptions options, Keeper keeper, LatestBound latest, long[] upperMicros, long collectFromMicros) {
        this.options = options;
        this.keeper = keeper;
        this.latest = latest;
        this.table = new ConnectionTable(options.hashSeed());
        this.upperMicros = upperMicros;
        this.collectFromMicros = collectFromMicros;
    }

    /** Figure 2-2, initialization: a server name that never existed before. */
    public static MessageFilter firstCreation(ScmpOptions options, long nowMicros) {
        return StartModes.of(options).firstCreation(nowMicros).filter(NOTHING_MORE);
    }

    /** Figure 2-2, crash recovery. */
    public static MessageFilter recovered(ScmpOptions options, long storedMicros, long nowMicros) {
        return StartModes.of(options).recovered(storedMicros, nowMicros).filter(NOTHING_MORE);
    }

    /** Figure 2-1, with rule 1: latest is G.time + ε. A name that never existed before. */
    public static MessageFilter volatileFirstCreation(ScmpOptions options, long nowMicros) {
        return StartModes.of(options).volatileFirstCreation(nowMicros).filter(NOTHING_MORE);
    }

    /** The alternative without storage (section 2.2): refuses everything for ε. Only safe with a monotonic clock. */
    public static MessageFilter volatileRestart(ScmpOptions options, long nowMicros) {
        return StartModes.of(options).volatileRestart(nowMicros).filter(NOTHING_MORE);
    }

    /** Tags a message and remembers it if it is new. */
    public Verdict accept(ConnectionId connection, long timestampMicros, long nowMicros) {
        int slot = find(connection);
        Verdict verdict = judge(slot, connection, timestampMicros, nowMicros);
        if (verdict == Verdict.NEW) {
            if (slot == ConnectionTable.NONE && !makeRoom(nowMicros)) {
                return Verdict.FULL;
            }
            record(slot, connection, timestampMicros);
        }
        return verdict;
    }

    /** The slot of a connection, or {@link ConnectionTable#NONE}. */
    public int find(ConnectionId connection) {
        return table.find(connection);
    }

    /** The verdict that {@link #accept} would give, without a trace; never {@link Verdict#FULL}. */
    public Verdict judge(int slot, ConnectionId connection, long timestampMicros, long nowMicros) {
        if (isTooEarly(timestampMicros, nowMicros)) {
            return Verdict.TOO_EARLY; // rule 1
        }
        boolean known = slot != ConnectionTable.NONE;
        long bound = known ? table.timestamp(slot) : upperMicros[options.classOf(connection.uid())];
        if (isNewer(timestampMicros, bound)) {
            return Verdict.NEW; // rules 2b, 3b
        }
        return known ? Verdict.DUPLICATE : Verdict.OLD; // rules 2a, 3a
    }

    boolean isTooEarly(long timestampMicros, long nowMicros) {
        return timestampMicros > latest.latestMicros(nowMicros);
    }

    boolean isNewer(long timestampMicros, long boundMicros) {
        return timestampMicros > boundMicros;
    }

    /** Remembers a message that was judged new, after {@link #makeRoom} if it has no slot. Returns its slot. */
    public int record(int slot, ConnectionId connection, long timestampMicros) {
        if (slot == ConnectionTable.NONE) {
            return table.add(connection, timestampMicros);
        }
        table.setTimestamp(slot, timestampMicros);
        return slot;
    }

    /** Whether there is room for one more entry; looks for some that may be forgotten if the table is nearly full. */
    public boolean makeRoom(long nowMicros) {
        if (table.size() >= options.collectAbove()) {
            sweep(SWEEP, nowMicros);
        }
        return table.size() < options.maxConnections();
    }

    /** Garbage collection: forgets every entry that may be forgotten, whether there is room or not. Returns how many. */
    public int collect(long nowMicros) {
        return sweep(table.slots(), nowMicros);
    }

    /** Whether there are so many entries that old ones are worth collecting. */
    public boolean isNearlyFull() {
        return table.size() > options.collectAbove();
    }

    /** The same as {@link #collect} for the next so many slots, round and round. */
    public int collectSome(int slots, long nowMicros) {
        return sweep(slots, nowMicros);
    }

    private int sweep(int entries, long nowMicros) {
        // Section 2.4: after a recovery messages of before may still come, and would be refused by a raised upper.
        if (nowMicros < collectFromMicros) {
            return 0;
        }
        int removed = 0;
        for (int i = Math.min(entries, table.slots()); i > 0; i--) {
            hand = hand + 1 < table.slots() ? hand + 1 : 0;
            if (table.isUsed(hand) && isOld(hand, nowMicros) && keeper.mayForget(hand, nowMicros)) {
                forget(hand);
                removed++;
            }
        }
        return removed;
    }

    boolean isOld(int slot, long nowMicros) {
        long retention = options.retentionMicros().get(options.classOf(table.uid(slot)));
        return table.timestamp(slot) <= nowMicros - retention;
    }

    private void forget(int slot) {
        raiseUpper(options.classOf(table.uid(slot)), table.timestamp(slot));
        table.remove(slot);
        keeper.onForgotten(slot);
    }

    /** From now on the class refuses the messages that it has forgotten. */
    void raiseUpper(int retentionClass, long timestampMicros) {
        upperMicros[retentionClass] = Math.max(upperMicros[retentionClass], timestampMicros);
    }

    /** A value to make durable now, if one is due; at most one is out. Ask again at every tick. */
    public OptionalLong toStore(long nowMicros) {
        return latest.toStore(nowMicros);
    }

    /** The value is durable, and becomes {@code latest}. */
    public void onStored(long latestMicros) {
        latest.onStored(latestMicros);
    }

    /** The value may not be durable; {@code latest} stays, and the next one is asked for in time. */
    public void onStoreFailed() {
        latest.onStoreFailed();
    }

    /** {@code G.latest}. */
    public long latestMicros(long nowMicros) {
        return latest.latestMicros(nowMicros);
    }

    /** {@code G.upper} of a connection's class. */
    public long upperMicros(int uid) {
        return upperMicros[options.classOf(uid)];
    }

    public int size() {
        return table.size();
    }

    ConnectionTable table() {
        return table;
    }
}
