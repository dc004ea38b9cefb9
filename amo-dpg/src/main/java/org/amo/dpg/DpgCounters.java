package org.amo.dpg;

/** Figures of a site; read them in its thread. */
public final class DpgCounters {
    long delivered;
    long dummies;
    long marked;
    long forced;
    long chosen;
    long adopted;
    long contradictions;
    long overflows;
    long seized;
    long premature;
    long remulticast;
    long reports;
    long waived;
    long refusedOrigins;
    long returns;
    long astray;
    int mostVertices;

    DpgCounters() {}

    /** Messages delivered with their body. */
    public long delivered() {
        return delivered;
    }

    /** Messages delivered without their body. */
    public long dummies() {
        return dummies;
    }

    /** Messages incorporated because they were known to be next. */
    public long marked() {
        return marked;
    }

    /** Messages incorporated because Deliv_Cycle had passed: only their order may differ at another site. */
    public long forced() {
        return forced;
    }

    /** Of the forced: those that were chosen among several by their tags. */
    public long chosen() {
        return chosen;
    }

    /** Messages incorporated as another site had done. */
    public long adopted() {
        return adopted;
    }

    /** Statements about the order that contradict this site's knowledge: the order was violated, or a detector was wrong. */
    public long contradictions() {
        return contradictions;
    }

    /** Messages for which there was no room. */
    public long overflows() {
        return overflows;
    }

    /** Ordering buffers that a message took from its successor. */
    public long seized() {
        return seized;
    }

    /** Bodies dropped before all present sites had delivered them, for lack of room. */
    public long premature() {
        return premature;
    }

    /** Bodies sent again for others. */
    public long remulticast() {
        return remulticast;
    }

    /** Reports sent. */
    public long reports() {
        return reports;
    }

    /** Reports of others that made this site's own come sooner. */
    public long waived() {
        return waived;
    }

    /** Messages refused because too many origins are remembered. */
    public long refusedOrigins() {
        return refusedOrigins;
    }

    /** Times that this site began anew after an absence. */
    public long returns() {
        return returns;
    }

    /**
     * Of the returns: those after which messages that this site delivered may stand elsewhere at the others, since it decided
     * without them, or they without it.
     */
    public long astray() {
        return astray;
    }

    /** Most vertices that were not incorporated at a time. */
    public int mostVertices() {
        return mostVertices;
    }
}
