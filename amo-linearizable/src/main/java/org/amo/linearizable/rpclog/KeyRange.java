package org.amo.linearizable.rpclog;

/**
 * A tablet: the objects of a table with a key hash between two, both included, as unsigned numbers.
 *
 * @param table its id
 * @param first lowest hash
 * @param last highest hash
 */
public record KeyRange(long table, long first, long last) {
    public KeyRange {
        if (Long.compareUnsigned(first, last) > 0) {
            throw new IllegalArgumentException("an empty range of key hashes: first=" + Long.toUnsignedString(first)
                    + " last=" + Long.toUnsignedString(last));
        }
    }

    public boolean contains(long itsTable, long keyHash) {
        return itsTable == table
                && Long.compareUnsigned(keyHash, first) >= 0
                && Long.compareUnsigned(keyHash, last) <= 0;
    }

    /** Whether an object can be in both. */
    public boolean overlaps(KeyRange other) {
        return contains(other.table, other.first) || other.contains(table, first);
    }
}
