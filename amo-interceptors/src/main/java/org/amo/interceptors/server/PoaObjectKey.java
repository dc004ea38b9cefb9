package org.amo.interceptors.server;

import java.util.Arrays;

/** The key under which an object or its POA is known at every member, ordered by its bytes. */
record PoaObjectKey(byte[] bytes) implements Comparable<PoaObjectKey> {

    @Override
    public int compareTo(PoaObjectKey other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PoaObjectKey key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Printable characters as they are, others in hexadecimal. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (byte next : bytes) {
            text.append(next >= ' ' && next < 127 ? String.valueOf((char) next) : String.format("\\x%02x", next));
        }
        return text.toString();
    }
}
