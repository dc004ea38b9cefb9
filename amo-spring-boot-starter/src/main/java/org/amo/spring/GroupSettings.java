package org.amo.spring;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.amo.replication.service.AmoConfig;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * The settings of groups from the application's properties, under amo's names in any form that Spring accepts: {@code
 * amo.groups.NAME.secret-file} before {@code amo.secret-file}, for the group of that name. Immutable; any thread.
 */
final class GroupSettings {
    private static final String PREFIX = "amo.";

    private final Binder properties;

    GroupSettings(Environment environment) {
        properties = Binder.get(environment);
    }

    /**
     * The name of a group.
     *
     * @param named if empty, the property has it
     * @param asking for the message
     */
    String group(String named, String asking) {
        return named.isEmpty()
                ? text(PREFIX + "group")
                        .orElseThrow(() -> new GroupStartException(
                                asking + " names no group; say group = \"…\", or set the property amo.group"))
                : named;
    }

    /**
     * The settings of a group.
     *
     * @param required names without the prefix
     * @throws GroupStartException in one line if one of these is missing, or another has a value that cannot be
     */
    AmoConfig of(String group, List<String> required) {
        for (String name : required) {
            if (text(group, PREFIX + name).isEmpty()) {
                throw new GroupStartException("group " + group + " has no " + PREFIX + name + "; set that property, or "
                        + PREFIX + "groups." + group + "." + name);
            }
        }
        return GroupStartException.unless(() -> AmoConfig.of(
                "property of the application",
                name -> name.equals(PREFIX + "group")
                        ? group
                        : text(group, name).orElse(null)));
    }

    /** A property of a group, by its name with the prefix. */
    Optional<String> text(String group, String name) {
        String rest = name.substring(PREFIX.length());
        String own = PREFIX + "groups." + group + "." + kebab(rest);
        // A name with capital letters or other characters is a key in brackets.
        String inBrackets = PREFIX + "groups[" + group + "]." + kebab(rest);
        return text(isOneElement(group) ? own : inBrackets).or(() -> text(PREFIX + kebab(rest)));
    }

    private Optional<String> text(String name) {
        return Optional.ofNullable(properties.bind(name, String.class).orElse(null))
                .map(String::strip)
                .filter(text -> !text.isEmpty());
    }

    private static boolean isOneElement(String group) {
        return group.indexOf('.') < 0 && ConfigurationPropertyName.isValid(group);
    }

    /** The form of a name that Spring takes all others for. */
    static String kebab(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }
}
