package org.amo.interceptors.server;

import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The defaults of this process that an operation reads without a call that the agent of deterministic execution could replace:
 * the JDK formats and parses by them. So they must be equal at all members.
 */
final class ProcessDefaults {
    private static final String KINDS = "amo.deterministic";

    /** Every kind of nondeterminism but this one can be named without it. */
    private static final String DEFAULTS = "defaults";

    private ProcessDefaults() {}

    /**
     * Those to be compared with the other members', by name; none unless {@code amo.deterministic} is {@code all} or names
     * {@code defaults}.
     */
    static Map<String, String> compared(Function<String, Optional<String>> property) {
        List<String> kinds = Stream.of(property.apply(KINDS).orElse("none").split(",", -1))
                .map(String::strip)
                .toList();
        if (!kinds.contains("all") && !kinds.contains(DEFAULTS)) {
            return Map.of();
        }
        return Map.of(
                "the default locale (-Duser.language, -Duser.country)",
                locale(Locale.Category.FORMAT) + " " + locale(Locale.Category.DISPLAY),
                "the default charset (-Dfile.encoding)",
                Charset.defaultCharset().name(),
                "the default time zone (-Duser.timezone)",
                TimeZone.getDefault().getID());
    }

    private static String locale(Locale.Category category) {
        return Locale.getDefault(category).toLanguageTag();
    }
}
