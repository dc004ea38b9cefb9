package org.amo.replication;

/**
 * The feature version of Java in this process, such as 17 or 25. Members with different ones do not compute alike: from Java 19 on some
 * numbers have other texts, from Java 20 on times of day do, and {@code nextGaussian} has other draws.
 */
final class JavaVersion {
    /** As a setting that must be equal at all members. */
    static final String SETTING = "Java version";

    private JavaVersion() {}

    static String here() {
        return String.valueOf(Runtime.version().feature());
    }
}
