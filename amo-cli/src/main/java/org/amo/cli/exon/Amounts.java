package org.amo.cli.exon;

import java.util.Locale;

/** Amounts as people read them. */
final class Amounts {
    private Amounts() {}

    /** Bytes in a unit with at most three digits before the point; units are powers of 1000. */
    static String bytes(double bytes) {
        if (bytes < 1_000) {
            return String.format(Locale.ROOT, "%.0f B", bytes);
        }
        if (bytes < 1e6) {
            return String.format(Locale.ROOT, "%.1f kB", bytes / 1e3);
        }
        return bytes < 1e9
                ? String.format(Locale.ROOT, "%.1f MB", bytes / 1e6)
                : String.format(Locale.ROOT, "%.2f GB", bytes / 1e9);
    }

    static String bytes(long bytes) {
        return bytes((double) bytes);
    }

    /** Minutes and seconds, or hours before them. */
    static String time(long seconds) {
        long minutes = seconds / 60;
        return minutes < 60
                ? String.format(Locale.ROOT, "%d:%02d", minutes, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d:%02d", minutes / 60, minutes % 60, seconds % 60);
    }
}
