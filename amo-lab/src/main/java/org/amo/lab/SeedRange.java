package org.amo.lab;

import org.amo.cli.CliException;
import picocli.CommandLine.ITypeConverter;

/**
 * Seeds {@code FIRST..LAST}, both included; one number alone is a range of one.
 *
 * @param first at least 0
 * @param last at least {@code first}
 */
record SeedRange(long first, long last) {

    static SeedRange parse(String text) {
        int dots = text.indexOf("..");
        try {
            long first = Long.parseLong(dots < 0 ? text : text.substring(0, dots));
            long last = dots < 0 ? first : Long.parseLong(text.substring(dots + 2));
            if (first < 0 || last < first) {
                throw CliException.user("--seeds '" + text + "' is empty; write FIRST..LAST, for example 1..2000");
            }
            return new SeedRange(first, last);
        } catch (NumberFormatException e) {
            throw CliException.user("--seeds '" + text + "' is no range; write FIRST..LAST, for example 1..2000");
        }
    }

    long size() {
        return last - first + 1;
    }

    static final class Converter implements ITypeConverter<SeedRange> {
        @Override
        public SeedRange convert(String text) {
            return parse(text);
        }
    }
}
