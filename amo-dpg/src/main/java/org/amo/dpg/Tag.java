package org.amo.dpg;

import java.util.Comparator;

/**
 * A message's unique tag (Konorski, section 4).
 *
 * <p>The order of tags is the one static order in which messages are forced ("e.g. of decreasing tags"): it is the same at
 * all sites, regardless of their knowledge. Of one origin the lower number is the greater tag, so that decreasing tags keep
 * the order in which a site sent.
 *
 * @param origin 64 random bits, drawn for each presence spell of a site, not 0; it says nothing about which site it is
 * @param number 1, 2, 3 … in the order of sending
 */
public record Tag(long origin, long number) implements Comparable<Tag> {
    /** Stands before the first message of a group. */
    public static final Tag ROOT = new Tag(0, 0);

    private static final Comparator<Tag> ORDER = Comparator.comparing(Tag::origin, Long::compareUnsigned)
            .thenComparing(Tag::number, Comparator.reverseOrder());

    // Written out, as graphs are full of tags: the generated ones take several times as long.
    @Override
    public boolean equals(Object other) {
        return other instanceof Tag tag && origin == tag.origin && number == tag.number;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(origin * 31 + number);
    }

    @Override
    public int compareTo(Tag other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return Long.toHexString(origin) + ":" + number;
    }
}
