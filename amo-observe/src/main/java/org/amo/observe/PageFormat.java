package org.amo.observe;

import java.util.Locale;

/** Numbers and texts as the page writes them. */
final class PageFormat {
    private static final int MICROS_OF_MILLI = 1_000;

    private PageFormat() {}

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String rate(double perSecond) {
        return String.format(Locale.ROOT, "%,.0f", perSecond);
    }

    static String percent(long part, long whole) {
        return whole <= 0 ? "–" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }

    /** In the unit that suits it. */
    static String time(long micros) {
        if (micros < MICROS_OF_MILLI) {
            return micros + " µs";
        }
        double millis = (double) micros / MICROS_OF_MILLI;
        return millis < 1_000
                ? String.format(Locale.ROOT, millis < 10 ? "%.1f ms" : "%.0f ms", millis)
                : String.format(Locale.ROOT, "%.1f s", millis / 1_000);
    }

    /** A text in HTML, also within quotation marks. */
    static String html(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    /** A text in JSON, with its quotation marks. */
    static String json(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
