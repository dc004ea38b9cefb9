package org.amo.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as users write them: 500ms, 20s, 1.5s, 2m, 1h. */
public final class Durations implements ITypeConverter<Long> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)(ms|s|m|h)");

    /** Milliseconds; at least 1. */
    @Override
    public Long convert(String text) {
        return parseMillis(text);
    }

    /** @throws TypeConversionException in one line that shows the right form */
    public static long parseMillis(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + text + "' is not a duration; write a number and ms, s, m or h, for example 20s or 500ms");
        }
        long unit =
                switch (matcher.group(2)) {
                    case "ms" -> 1;
                    case "s" -> 1_000;
                    case "m" -> 60_000;
                    default -> 3_600_000;
                };
        long millis = Math.round(Double.parseDouble(matcher.group(1)) * unit);
        if (millis < 1) {
            throw new TypeConversionException("'" + text + "' is too short; the shortest duration is 1ms");
        }
        return millis;
    }

    /** The shortest of the forms above. */
    public static String format(long millis) {
        if (millis % 60_000 == 0 && millis > 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}
