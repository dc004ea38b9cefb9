package org.amo.base;

import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Settings of this process that the members compare if it has the agent of deterministic execution: those of the agent, and the
 * defaults that an operation reads without a call that the agent could replace, since the JDK formats and parses by them.
 */
public final class AgentSettings {
    private static final String DETERMINISTIC = "--deterministic (amo.deterministic)";

    private static final String KINDS = "amo.deterministic";
    private static final String EXCLUDE = "amo.deterministic.exclude";
    private static final String NONE = "none";

    /** The kind that has the JDK's defaults compared. */
    private static final String DEFAULTS = "defaults";

    private AgentSettings() {}

    /**
     * Those to be compared, by name; none unless {@code amo.deterministic} is set.
     *
     * @param property looks a property up
     * @throws IllegalArgumentException in one line if that property asks for the agent, and this process lacks it
     */
    public static Map<String, String> compared(Function<String, Optional<String>> property) {
        return compared(property, OperationAgent.isInstalled());
    }

    static Map<String, String> compared(Function<String, Optional<String>> property, boolean hasAgent) {
        Map<String, String> all = new TreeMap<>();
        property.apply(KINDS).ifPresent(text -> {
            List<String> kinds = words(text);
            if (!hasAgent && !kinds.equals(List.of(NONE))) {
                throw new IllegalArgumentException(
                        "-D" + KINDS + "=" + text + " needs the agent of deterministic execution,"
                                + " and this process has none; start it by ./amo wrap server, or with the option that ./amo agent"
                                + " prints");
            }
            all.put(DETERMINISTIC, String.join(",", kinds));
            all.put("--threads (amo.threads)", property.apply("amo.threads").orElse("warn"));
            all.put(EXCLUDE, String.join(",", words(property.apply(EXCLUDE).orElse(""))));
            if (kinds.contains("all") || kinds.contains(DEFAULTS)) {
                all.putAll(defaults());
            }
        });
        return all;
    }

    /** A list in its natural order, since the order means nothing. */
    private static List<String> words(String list) {
        return Stream.of(list.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .sorted()
                .distinct()
                .toList();
    }

    private static Map<String, String> defaults() {
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
