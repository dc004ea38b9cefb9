package org.amo.cli;

/** A switch that a user writes as a word. */
public enum OnOff {
    ON,
    OFF
}
