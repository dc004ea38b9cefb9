package org.amo.sim.lease;

/**
 * An operation that an application wants done once, under any ids.
 *
 * @param serial its number in the run
 * @param key of the object
 * @param kind of operation
 * @param argument the value, or the amount to add
 * @param version that a conditional write expects
 */
record LeaseOperation(long serial, int key, Kind kind, long argument, long version) {
    /** Result of a condition that failed. */
    static final long REFUSED = -1;

    static final int KEYS = 8;
    static final int RANGES = 4;

    /** The operations of Park's section II-A. */
    enum Kind {
        WRITE,
        CONDITIONAL_WRITE,
        INCREMENT
    }

    int range() {
        return rangeOf(key);
    }

    static int rangeOf(int key) {
        return key * RANGES / KEYS;
    }

    static long hashOf(int key) {
        return (long) key << 61;
    }

    static int keyOf(long hash) {
        return (int) (hash >>> 61);
    }

    LeaseObject applyTo(LeaseObject object) {
        boolean refused = kind == Kind.CONDITIONAL_WRITE && version != object.version();
        if (refused) {
            return new LeaseObject(
                    object.version(), object.value(), new LeaseObject.Step(this, REFUSED, object.last()));
        }
        long value = kind == Kind.INCREMENT ? object.value() + argument : argument;
        long result = kind == Kind.INCREMENT ? value : object.version() + 1;
        return new LeaseObject(object.version() + 1, value, new LeaseObject.Step(this, result, object.last()));
    }
}
