package org.amo.base.observe;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The value of one metric at one moment.
 *
 * @param name by Prometheus' habits: small letters, the unit at the end, that of a counter ends in {@code _total}, that of a part of a
 *     histogram in {@code _bucket}, {@code _sum} or {@code _count}
 * @param type whether it may fall
 * @param help one sentence for the reader of a dashboard, the same for all readings of a name
 * @param labels that tell readings of one name apart. {@code group} and {@code id} are those of the {@link Observed}
 * @param value a Long or a Double
 */
public record Reading(String name, Type type, String help, SortedMap<String, String> labels, Number value) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
    private static final Pattern PART = Pattern.compile("(.*)_(bucket|sum|count)");
    private static final String OF_A_COUNTER = "_total";

    /** The ways in which a value changes. */
    public enum Type {
        /** Goes up and down. */
        GAUGE,
        /** Counts since the start of the process. */
        COUNTER,
        /** A part of a histogram, see {@link TimeHistogram}. */
        HISTOGRAM
    }

    public Reading {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a metric's name has small letters, digits and '_': '" + name + "'");
        }
        if (name.endsWith(OF_A_COUNTER) != (type == Type.COUNTER)) {
            throw new IllegalArgumentException("the name of a counter ends in " + OF_A_COUNTER
                    + ", and that of a gauge does not: '" + name + "' is a " + type);
        }
        if (PART.matcher(name).matches() != (type == Type.HISTOGRAM)) {
            throw new IllegalArgumentException(
                    "the name of a part of a histogram ends in _bucket, _sum or _count, and no other" + " name does: '"
                            + name + "' is a " + type);
        }
        for (String label : labels.keySet()) {
            if (!NAME.matcher(label).matches() || label.equals("group") || label.equals("id")) {
                throw new IllegalArgumentException("metric " + name + " has the label '" + label
                        + "'; write small letters, digits and '_', and neither group nor id");
            }
        }
        if (!(value instanceof Long || value instanceof Double)) {
            throw new IllegalArgumentException("the value of " + name + " is neither a Long nor a Double: " + value);
        }
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    }

    /** A value that goes up and down. */
    public static Reading gauge(String name, long value, String help) {
        return new Reading(name, Type.GAUGE, help, Collections.emptySortedMap(), value);
    }

    /** The same with a fraction. */
    public static Reading gauge(String name, double value, String help) {
        return new Reading(name, Type.GAUGE, help, Collections.emptySortedMap(), value);
    }

    /** A number of events since the start of the process. */
    public static Reading counter(String name, long value, String help) {
        return new Reading(name, Type.COUNTER, help, Collections.emptySortedMap(), value);
    }

    static Reading ofHistogram(String name, Number value, String help) {
        return new Reading(name, Type.HISTOGRAM, help, Collections.emptySortedMap(), value);
    }

    /** The name of the metric: that of the reading, but for a part of a histogram, which has its own end. */
    public String metric() {
        Matcher part = PART.matcher(name);
        return part.matches() ? part.group(1) : name;
    }

    /** The name with the values of the labels behind it: {@code amo_replica_refusals_total.STALE}. */
    public String fullName() {
        return Stream.concat(Stream.of(name), labels.values().stream()).collect(Collectors.joining("."));
    }

    /** The same with one label in the place of those that it has. */
    public Reading with(String label, String labelValue) {
        return new Reading(name, type, help, new TreeMap<>(Map.of(label, labelValue)), value);
    }
}
