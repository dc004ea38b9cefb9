package org.amo.cli;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.amo.replication.service.AmoConfig;
import picocli.CommandLine.Option;

/** {@code --config}, the same in every command that takes settings of a group from outside of its command line. */
public final class ConfigOption {
    static final String NAME = "--config";

    @Option(
            names = NAME,
            paramLabel = "FILE",
            description =
                    "Settings for options that are not given; a system property or an environment variable such as AMO_ID comes"
                            + " before them. Default: the property amo.config, else AMO_CONFIG, else amo.properties in this folder.")
    private Optional<Path> file = Optional.empty();

    /**
     * The settings from outside of the command line that have no option, as properties for another process.
     *
     * @throws CliException for a mistake in them
     */
    public Map<String, String> propertiesWithoutOption() {
        try {
            return file.map(AmoConfig::load).orElseGet(AmoConfig::load).values().stream()
                    .filter(value -> value.option().isEmpty())
                    .collect(Collectors.toUnmodifiableMap(AmoConfig.Value::property, AmoConfig.Value::text));
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }
}
