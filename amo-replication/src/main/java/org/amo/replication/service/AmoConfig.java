package org.amo.replication.service;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.amo.base.Experimental;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a member or a client from outside of the program: system properties ({@code amo.http}) before environment
 * variables ({@code AMO_HTTP}) before a file of properties. Options of amo's commands and methods called on a builder come
 * before all three. docs/reference/configuration.md lists the settings.
 *
 * <p>The file is the one that the property {@code amo.config} or the variable {@code AMO_CONFIG} names, else
 * {@code amo.properties} in the current folder if there is one. Relative paths in it belong to its folder. Read once;
 * immutable; any thread.
 */
@Experimental
public final class AmoConfig {
    /** In the current folder, if no file is named. */
    static final String DEFAULT_FILE = "amo.properties";

    private static final String FILE_PROPERTY = "amo.config";
    private static final String FILE_VARIABLE = "AMO_CONFIG";
    private static final String PREFIX = "amo.";

    private final Optional<Path> file;
    private final Map<String, Value> values;
    private final List<String> mistakes;
    private final Set<String> unknownVariables;

    private AmoConfig(
            Optional<Path> file, Map<String, Value> values, List<String> mistakes, Set<String> unknownVariables) {
        this.file = file;
        this.values = values;
        this.mistakes = List.copyOf(mistakes);
        this.unknownVariables = unknownVariables;
    }

    /**
     * A setting with a value.
     *
     * @param property its name, for example {@code amo.http}
     * @param option of amo's commands; empty without one
     * @param origin in words, for example {@code environment AMO_HTTP}
     */
    @Experimental
    public record Value(String property, Optional<String> option, String text, String origin) {}

    /**
     * The settings of this process.
     *
     * @throws IllegalArgumentException in one line if the file cannot be read, names a setting that does not exist, or a value
     *     cannot be one
     */
    public static AmoConfig load() {
        return checked(read(Optional.empty()));
    }

    /** The same with this file in the place of the one that the process names. */
    public static AmoConfig load(Path file) {
        return checked(read(Optional.of(file)));
    }

    /**
     * The same without an exception for mistakes in names and values: {@link #mistakes} has them.
     *
     * @throws IllegalArgumentException in one line if the file cannot be read
     */
    public static AmoConfig read(Optional<Path> file) {
        return read(file, System::getProperty, System.getenv());
    }

    /**
     * The same with other sources than those of this process, for tools that judge the settings of another one.
     *
     * @param named the file; empty for the one that the sources name
     * @param properties looks a system property up; null when it is not set
     */
    public static AmoConfig read(
            Optional<Path> named, Function<String, @Nullable String> properties, Map<String, String> environment) {
        Function<String, Optional<String>> system = name -> nonEmpty(properties.apply(name));
        Function<String, Optional<String>> variable = name -> nonEmpty(environment.get(name));
        Optional<Path> file = named.or(() -> system.apply(FILE_PROPERTY).map(Path::of))
                .or(() -> variable.apply(FILE_VARIABLE).map(Path::of))
                .or(() -> Optional.of(Path.of(DEFAULT_FILE)).filter(Files::isRegularFile));
        List<String> mistakes = new ArrayList<>();
        Map<String, String> inFile = file.map(path -> text(path, mistakes)).orElse(Map.of());
        Map<String, Value> values = new LinkedHashMap<>();
        for (Setting setting : Setting.ALL) {
            String name = setting.property();
            system.apply(name)
                    .map(text -> value(setting, text, "system property"))
                    .or(() -> variable.apply(setting.variable())
                            .map(text -> value(setting, text, "environment " + setting.variable())))
                    .or(() -> Optional.ofNullable(inFile.get(name))
                            .map(text -> value(setting, inFolder(setting, text, file), "file " + show(file))))
                    .ifPresent(value -> values.put(name, value));
        }
        mistakes.addAll(mistakesOf(values));
        Set<String> unknown = new TreeSet<>(environment.keySet());
        unknown.removeIf(name -> !name.startsWith("AMO_")
                || name.equals(FILE_VARIABLE)
                || Setting.ALL.stream().anyMatch(setting -> setting.variable().equals(name)));
        return new AmoConfig(file, Collections.unmodifiableMap(values), mistakes, unknown);
    }

    /**
     * The settings of a framework that has sources of its own. Neither a file nor this process is asked.
     *
     * @param origin of each setting in words, for messages
     * @param source looks a setting up by its name; null when it has no value
     * @throws IllegalArgumentException in one line if a value cannot be one
     */
    public static AmoConfig of(String origin, Function<String, @Nullable String> source) {
        Map<String, Value> values = new LinkedHashMap<>();
        for (Setting setting : Setting.ALL) {
            nonEmpty(source.apply(setting.property()))
                    .ifPresent(text -> values.put(setting.property(), value(setting, text, origin)));
        }
        return checked(
                new AmoConfig(Optional.empty(), Collections.unmodifiableMap(values), mistakesOf(values), Set.of()));
    }

    private static List<String> mistakesOf(Map<String, Value> values) {
        List<String> mistakes = new ArrayList<>();
        values.values().forEach(value -> setting(value.property())
                .mistake(value.text())
                .ifPresent(cause -> mistakes.add(value.property() + " (" + value.origin() + "): " + cause)));
        return mistakes;
    }

    private static AmoConfig checked(AmoConfig config) {
        if (!config.mistakes.isEmpty()) {
            int others = config.mistakes.size() - 1;
            throw new IllegalArgumentException(
                    config.mistakes.get(0) + (others == 0 ? "" : "; " + others + " more: see ./amo config check"));
        }
        return config;
    }

    /** The value of a setting, if it has one outside of the program. */
    public Optional<String> get(String property) {
        return Optional.ofNullable(values.get(property)).map(Value::text);
    }

    /** The file that was read. */
    public Optional<Path> file() {
        return file;
    }

    /** All settings with a value, in the order of the reference. */
    public List<Value> values() {
        return List.copyOf(values.values());
    }

    /** Names that do not exist and values that cannot be, one line each with its remedy. */
    public List<String> mistakes() {
        return mistakes;
    }

    /**
     * Reads the files that the settings name, and compares the settings with each other.
     *
     * @return further mistakes, one line each with its remedy
     */
    public List<String> check() {
        return new ConfigChecks(this).all();
    }

    /** What a start would not refuse, and yet is better changed, one line each. */
    public List<String> warnings() {
        List<String> all = new ArrayList<>(new ConfigChecks(this).warnings());
        unknownVariables.forEach(name -> all.add("the variable " + name + " is no setting, and has no effect"));
        return all;
    }

    private static Map<String, String> text(Path file, List<String> mistakes) {
        Map<String, String> found = new TreeMap<>();
        // The class of the JDK keeps the last of two equal names in silence.
        Properties reader = new Properties() {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized Object put(Object key, Object value) {
                if (found.put(String.valueOf(key), String.valueOf(value).strip()) != null) {
                    mistakes.add(key + " stands twice in " + file + "; remove one of the two");
                }
                return value;
            }
        };
        try (Reader in = Files.newBufferedReader(file)) {
            reader.load(in);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "cannot read the settings in " + file + " as text (" + e + "); correct --config, " + FILE_PROPERTY
                            + " or " + FILE_VARIABLE,
                    e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    file + " has a \\u without four digits behind it; write \\\\u for the letters", e);
        }
        found.keySet().stream()
                .filter(name -> Setting.ALL.stream()
                        .noneMatch(setting -> setting.property().equals(name)))
                .forEach(name -> mistakes.add(unknown(name, file)));
        found.values().removeIf(String::isEmpty);
        return found;
    }

    private static String unknown(String name, Path file) {
        if (name.equals("amo.secret")) {
            return "amo.secret in " + file
                    + ": a secret does not stand in a file of settings; write it to a file that its"
                    + " owner alone can read, and name that by amo.secretFile";
        }
        String nearest = Setting.ALL.stream()
                .map(Setting::property)
                .min((first, second) -> Integer.compare(distance(name, first), distance(name, second)))
                .orElseThrow();
        return "unknown setting " + name + " in " + file + "; the nearest is " + nearest;
    }

    /** Letters to insert, remove or exchange between two names; a forgotten prefix is none. */
    private static int distance(String name, String known) {
        String from = name.startsWith(PREFIX) ? name : PREFIX + name;
        int[] row = new int[known.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int exchanged = diagonal + (from.charAt(i - 1) == known.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(exchanged, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[known.length()];
    }

    private static String inFolder(Setting setting, String text, Optional<Path> file) {
        if (!setting.isPath() || SecretText.isDescriptor(text)) {
            return text;
        }
        Path folder = file.orElseThrow().toAbsolutePath().getParent();
        return folder == null ? text : folder.resolve(text).normalize().toString();
    }

    private static Value value(Setting setting, String text, String origin) {
        return new Value(setting.property(), setting.option(), text, origin);
    }

    static Setting setting(String property) {
        return Setting.ALL.stream()
                .filter(setting -> setting.property().equals(property))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no setting " + property));
    }

    private static String show(Optional<Path> file) {
        return file.map(Path::toString).orElse("");
    }

    private static Optional<String> nonEmpty(@Nullable String text) {
        return Optional.ofNullable(text).map(String::strip).filter(stripped -> !stripped.isEmpty());
    }
}
