package org.amo.replication.service;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.core.order.OrderedLogException;

/** Messages for users of the builder: they name its methods in the place of the options of {@code amo wrap server}. */
final class MethodNames {
    /** An option, perhaps with its property in parentheses or with a value behind it. */
    private static final Pattern OPTION =
            Pattern.compile("(--[a-z][a-z-]+)(?: ([a-z]+)\\b)?(?: \\((?:amo\\.[\\w.]+)(?:=[a-z]+)?\\))?");

    private static final Map<String, String> NESTED =
            Map.of("ordered", "orderNestedCalls()", "allow", "allowNestedCalls()");

    private MethodNames() {}

    /** The same message; other text stays as it is. */
    static String in(String message) {
        return OPTION.matcher(message).replaceAll(found -> Matcher.quoteReplacement(name(found)));
    }

    /** The same exception with such a message. */
    static OrderedLogException in(OrderedLogException e) {
        String message = String.valueOf(e.getMessage());
        String named = in(message);
        return named.equals(message) ? e : new OrderedLogException(e.fault(), named, e);
    }

    private static String name(MatchResult found) {
        Optional<Setting> setting = Setting.ALL.stream()
                .filter(each -> each.option().equals(Optional.of(found.group(1))))
                .findFirst();
        if (setting.isEmpty()) {
            return found.group();
        }
        String word = Optional.ofNullable(found.group(2)).orElse("");
        boolean isValue = setting.get().kind() == Setting.Kind.WORD
                && List.of(setting.get().form().split("\\|", -1)).contains(word);
        String behind = isValue || word.isEmpty() ? "" : " " + word;
        if (setting.get().replicaMethod().isEmpty()) {
            return "-D" + setting.get().property() + (isValue ? "=" + word : "") + behind;
        }
        if (setting.get().property().equals("amo.nested")) {
            return NESTED.getOrDefault(word, "orderNestedCalls() or allowNestedCalls()") + behind;
        }
        return setting.get().replicaMethod().get()
                + (isValue ? "(" + word.toUpperCase(Locale.ROOT) + ")" : "(...)")
                + behind;
    }
}
