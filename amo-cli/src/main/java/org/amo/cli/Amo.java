package org.amo.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.amo.cli.exon.ExonCommand;
import org.amo.cli.scmp.ScmpCommand;
import org.amo.cli.wrap.AgentCommand;
import org.amo.cli.wrap.WrapCommand;
import org.amo.core.order.OrderedLogException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code amo} command. */
@Command(
        name = "amo",
        description = "Fault tolerance for unmodified services, with at-most-once execution of every request.",
        modelTransformer = Amo.Commands.class,
        versionProvider = AmoVersion.class,
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the command succeeded and every check passed",
            "1:a check failed: something ran twice, was lost or diverged, or a bar was missed",
            "2:the command line is wrong; one line says how to correct it",
            "3:the environment is at fault: a port is taken, the disk is full"
        })
public final class Amo implements Runnable {
    /** picocli writes the constants of an enumeration, and the help the words that users write. */
    private static final Pattern WORDS =
            Pattern.compile("expected one of \\[([A-Z_, ]+)] \\(case-insensitive\\) but was '([^']*)'");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version, its commit and the Java that runs it.")
    boolean versionWanted;

    /** The commands of this module between those of the providers. picocli calls it for each new {@link Amo}. */
    static final class Commands implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            List<CommandProvider> providers = ServiceLoader.load(CommandProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
            Stream<Class<?>> own = Stream.of(
                    WrapCommand.class,
                    AgentCommand.class,
                    CheckCommand.class,
                    ConfigCommand.class,
                    CallCommand.class,
                    StatusCommand.class,
                    MemberCommand.class,
                    SnapshotCommand.class,
                    VerifyCommand.class,
                    BackupCommand.class,
                    RestoreCommand.class,
                    RecoverCommand.class,
                    IorCommand.class,
                    ExonCommand.class,
                    ScmpCommand.class);
            Stream.of(
                            providers.stream().flatMap(provider -> provider.first().stream()),
                            own,
                            providers.stream().flatMap(provider -> provider.last().stream()))
                    .flatMap(commands -> commands)
                    .forEach(command -> spec.addSubcommand(null, new CommandLine(command)));
            return spec;
        }
    }

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** The whole command with its error handling, for {@link #main} and tests. */
    public static CommandLine commandLine() {
        CommandLine commandLine = new Configured(new Amo());
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setParameterExceptionHandler(Amo::onMistake);
        commandLine.setExecutionExceptionHandler((exception, command, result) -> onFailure(exception, command));
        return commandLine;
    }

    /** Looks settings up in files and the environment before it reads the arguments. */
    private static final class Configured extends CommandLine {
        Configured(Amo amo) {
            super(amo);
        }

        @Override
        public int execute(String... args) {
            String[] words = helped(args);
            try {
                ConfiguredDefaults.prepare(this, words);
            } catch (IllegalArgumentException e) {
                getErr().println("amo: " + oneLine(String.valueOf(e.getMessage())));
                return ExitCodes.USER;
            }
            return super.execute(words);
        }

        /** {@code amo help COMMAND} is {@code amo COMMAND --help}. */
        private static String[] helped(String... args) {
            if (args.length == 0 || !args[0].equals("help")) {
                return args;
            }
            return Stream.concat(Stream.of(args).skip(1), Stream.of("--help")).toArray(String[]::new);
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    private static int onMistake(ParameterException exception, String[] args) {
        CommandLine command = exception.getCommandLine();
        String text = oneLine(message(exception, command));
        command.getErr()
                .println("amo: " + text + "; see ./" + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCodes.USER;
    }

    private static String message(ParameterException exception, CommandLine command) {
        boolean group = !command.getSubcommands().isEmpty();
        if (exception instanceof UnmatchedArgumentException unmatched && group && !unmatched.isUnknownOption()) {
            return "unknown command '" + unmatched.getUnmatched().get(0) + "'; there are "
                    + String.join(", ", command.getSubcommands().keySet());
        }
        return WORDS.matcher(String.valueOf(exception.getMessage()))
                .replaceFirst(found -> Matcher.quoteReplacement(
                        "'" + found.group(2) + "' is none of " + found.group(1).toLowerCase(Locale.ROOT)));
    }

    private static int onFailure(Exception exception, CommandLine command) {
        PrintWriter err = command.getErr();
        if (exception instanceof CliException known) {
            err.println("amo: " + oneLine(String.valueOf(known.getMessage())));
            return known.exitCode();
        }
        if (exception instanceof OrderedLogException fault) {
            err.println("amo: " + oneLine(String.valueOf(fault.getMessage())));
            return fault.fault() == OrderedLogException.Fault.USER ? ExitCodes.USER : ExitCodes.ENVIRONMENT;
        }
        // Neither the user nor the environment: a defect of ours, so its trace is worth having.
        err.println("amo: internal error, please report it: " + exception);
        exception.printStackTrace(err);
        return ExitCodes.CHECK_FAILED;
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s*\\R\\s*", " ").strip();
        // Sentences of ours begin small after "amo: "; picocli's begin with a capital.
        boolean ordinaryWord = line.length() > 1 && Character.isLowerCase(line.charAt(1));
        return ordinaryWord ? line.substring(0, 1).toLowerCase(Locale.ROOT) + line.substring(1) : line;
    }
}
