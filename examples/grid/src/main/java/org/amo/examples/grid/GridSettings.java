package org.amo.examples.grid;

/**
 * How the sites share.
 *
 * @param sites how many there are, present or not
 * @param units of the resource
 * @param mostNeed most units that an operation needs
 * @param operationMicros how long an operation takes
 * @param waitMicros the wait time-out: a site that has not got enough units by then releases them and asks anew
 */
record GridSettings(int sites, int units, int mostNeed, long operationMicros, long waitMicros) {
    static final GridSettings DEFAULT = new GridSettings(7, 9, 9, 5_000, 60_000);

    /** On a real network and a busy machine, where a message may take a while. */
    static final GridSettings PATIENT = new GridSettings(7, 9, 9, 5_000, 500_000);

    GridSettings {
        if (mostNeed > units || mostNeed < 1 || sites < 1) {
            throw new IllegalArgumentException("an operation must be possible: units=" + units + " need=" + mostNeed);
        }
    }
}
