package org.amo.cli.wrap;

import java.util.LinkedHashMap;
import java.util.Map;
import org.amo.cli.CliException;

/** Joins the properties that amo needs with those that the user's command line already sets. */
final class PropertyMerge {
    private static final String LOGGING = "java.util.logging.";

    private final Map<String, String> users;
    private final Map<String, String> added = new LinkedHashMap<>();

    PropertyMerge(Map<String, String> users) {
        this.users = users;
    }

    /**
     * A property that must have this value.
     *
     * @param option of wrap that says so
     */
    PropertyMerge fixed(String name, String value, String option) {
        String own = users.get(name);
        if (own == null) {
            added.put(name, value);
        } else if (!own.equals(value)) {
            throw CliException.user("the program's -D" + name + "=" + own + " contradicts " + option + ", which needs "
                    + value + "; remove it, or change " + option);
        }
        return this;
    }

    /** Properties with values that the user may choose. */
    PropertyMerge defaults(Map<String, String> properties) {
        properties.forEach((name, value) -> {
            // A program's own logging choice, in either of the two ways, is not overruled.
            boolean overruled =
                    name.startsWith(LOGGING) && users.keySet().stream().anyMatch(key -> key.startsWith(LOGGING));
            if (!users.containsKey(name) && !overruled) {
                added.put(name, value);
            }
        });
        return this;
    }

    Map<String, String> added() {
        return added;
    }
}
