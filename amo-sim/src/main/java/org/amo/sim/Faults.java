package org.amo.sim;

import java.util.Locale;

/** How hard the world treats a run (docs/protocols/simulation.md has the numbers). */
public enum Faults {
    /** Nothing goes wrong; latencies only. */
    NONE,
    /** All faults that the rules were made for, also those outside the assumptions of one machine. */
    DEFAULT,
    /** The same, several times as often. */
    HARSH;

    /** @throws IllegalArgumentException naming the permitted profiles */
    public static Faults parse(String text) {
        for (Faults faults : values()) {
            if (faults.toString().equals(text)) {
                return faults;
            }
        }
        throw new IllegalArgumentException("no such fault profile: '" + text + "'; write default, harsh or none");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
