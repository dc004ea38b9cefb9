package org.amo.dpg;

/**
 * An arc of a precedence graph: {@code from} was sent before {@code to}.
 *
 * @param marked whether nothing was sent between them
 */
public record Arc(Tag from, Tag to, boolean marked) {
    public static Arc plain(Tag from, Tag to) {
        return new Arc(from, to, false);
    }

    public static Arc marked(Tag from, Tag to) {
        return new Arc(from, to, true);
    }

    @Override
    public String toString() {
        return from + (marked ? "=>" : "->") + to;
    }
}
