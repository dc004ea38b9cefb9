package org.amo.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Amounts of memory as users write them: 256MB, 64kB, 1GB, or as for a JVM 64m; the units are powers of 1024. */
public final class Sizes implements ITypeConverter<Long> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(B|KB?|MB?|GB?)");

    /** Bytes; at least 1. */
    @Override
    public Long convert(String text) {
        Matcher matcher = FORM.matcher(text.strip().toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + text + "' is not a size; write a number and B, kB, MB or GB, for example 256MB");
        }
        int shift =
                switch (matcher.group(2)) {
                    case "B" -> 0;
                    case "K", "KB" -> 10;
                    case "M", "MB" -> 20;
                    default -> 30;
                };
        long bytes = Long.parseLong(matcher.group(1)) << shift;
        if (bytes < 1) {
            throw new TypeConversionException("'" + text + "' is no room at all; write for example 256MB");
        }
        return bytes;
    }
}
