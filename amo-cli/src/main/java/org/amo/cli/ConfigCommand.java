package org.amo.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.amo.replication.service.AmoConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo config}: settings from outside of a command line. */
@Command(
        name = "config",
        description = "Show and check the settings that a member or client takes from files and its environment.",
        subcommands = ConfigCommand.Check.class,
        synopsisSubcommandLabel = "check")
final class ConfigCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say which: config check [FILE]");
    }

    /** {@code amo config check}. */
    @Command(
            name = "check",
            description = {
                "Print each setting with a value, its value and its origin, and each mistake with its remedy. Nothing is changed, and"
                        + " no secret is printed.",
                "Exit code 1: there are mistakes."
            },
            sortOptions = false)
    static final class Check implements Callable<Integer> {
        @Spec
        private CommandSpec spec = CommandSpec.create();

        @Parameters(
                arity = "0..1",
                paramLabel = "FILE",
                description =
                        "The file of settings. Default: the property amo.config, else AMO_CONFIG, else amo.properties in"
                                + " this folder.")
        private Optional<Path> file = Optional.empty();

        @Mixin
        final HelpOption help = new HelpOption();

        @Override
        public Integer call() {
            AmoConfig config = read();
            PrintWriter out = spec.commandLine().getOut();
            config.values()
                    .forEach(value -> out.println(String.format(
                            Locale.ROOT, "%-28s %-40s %s", value.property(), value.text(), value.origin())));
            List<String> mistakes = Stream.concat(config.mistakes().stream(), config.check().stream())
                    .toList();
            mistakes.forEach(mistake -> out.println("mistake: " + mistake));
            config.warnings().forEach(warning -> out.println("warning: " + warning));
            out.println(config.file().map(Path::toString).orElse("no file of settings") + ", "
                    + config.values().size() + " settings, " + mistakes.size() + " mistakes");
            out.flush();
            return mistakes.isEmpty() ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
        }

        private AmoConfig read() {
            try {
                return AmoConfig.read(file);
            } catch (IllegalArgumentException e) {
                throw CliException.user(String.valueOf(e.getMessage()));
            }
        }
    }
}
