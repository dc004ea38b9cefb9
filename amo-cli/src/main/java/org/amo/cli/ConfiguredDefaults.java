package org.amo.cli;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.replication.service.AmoConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Gives the options of a command that are not on its command line the values of an {@link AmoConfig}. */
final class ConfiguredDefaults implements IDefaultValueProvider {
    private static final String OPERANDS = "--";
    private static final String INSECURE = "--insecure";
    private static final String SECRET = "--secret-file";
    private static final int KILO = 1_024;

    private final AmoConfig config;
    private final List<String> options;

    private ConfiguredDefaults(AmoConfig config, List<String> options) {
        this.config = config;
        this.options = options;
    }

    /**
     * Prepares the command that these arguments start, if it has a {@code --config}.
     *
     * @throws IllegalArgumentException in one line for a mistake in the settings
     */
    static void prepare(CommandLine amo, String... args) {
        List<String> words = Arrays.asList(args);
        int operands = words.indexOf(OPERANDS);
        List<String> before = operands < 0 ? words : words.subList(0, operands);
        CommandLine command = amo;
        for (String word : before) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                break;
            }
            command = next;
        }
        boolean helps = before.contains("-h") || before.contains("--help");
        if (command.getCommandSpec().findOption(ConfigOption.NAME) != null && !helps) {
            Optional<Path> file = value(before, ConfigOption.NAME).map(Path::of);
            AmoConfig config = file.map(AmoConfig::load).orElseGet(AmoConfig::load);
            command.setDefaultValueProvider(new ConfiguredDefaults(config, before));
        }
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option) || isChosen(option.longestName())) {
            return null;
        }
        // It says that the port is that of a Java service.
        if (option.longestName().equals("--group") && option.command().name().equals("status")) {
            return null;
        }
        String name = option.longestName();
        return config.values().stream()
                .filter(value -> value.option().equals(Optional.of(name)))
                .findFirst()
                .map(ConfiguredDefaults::asOption)
                .orElse(null);
    }

    /** picocli turns a switch off that is on by default and on the command line, too; and a choice of security replaces another one. */
    private boolean isChosen(String name) {
        Set<String> replacing =
                name.equals(SECRET) || name.startsWith("--tls-") ? Set.of(name, INSECURE) : Set.of(name);
        boolean replaced = name.equals(INSECURE)
                && options.stream().anyMatch(word -> isOption(word, SECRET) || word.startsWith("--tls-"));
        return replaced || options.stream().anyMatch(word -> replacing.stream().anyMatch(each -> isOption(word, each)));
    }

    private static boolean isOption(String word, String name) {
        return word.equals(name) || word.startsWith(name + "=");
    }

    /** Settings are plain numbers, options have units. */
    private static String asOption(AmoConfig.Value value) {
        String text = value.text();
        return switch (value.property()) {
            case "amo.budget" -> size(Long.parseLong(text));
            case "amo.deadlineMillis" -> text + "ms";
            default -> text;
        };
    }

    /** In the largest unit, since an option has nine digits. */
    private static String size(long bytes) {
        long number = bytes;
        int unit = 0;
        while (number >= KILO && number % KILO == 0 && unit < 3) {
            number /= KILO;
            unit++;
        }
        return number + List.of("B", "kB", "MB", "GB").get(unit);
    }

    private static Optional<String> value(List<String> words, String name) {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.startsWith(name + "=")) {
                return Optional.of(word.substring(name.length() + 1));
            }
            if (word.equals(name) && i + 1 < words.size()) {
                return Optional.of(words.get(i + 1));
            }
        }
        return Optional.empty();
    }
}
