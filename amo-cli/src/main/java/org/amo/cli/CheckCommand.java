package org.amo.cli;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.determinism.check.DeterminismCheck;
import org.amo.determinism.check.Finding;
import org.amo.determinism.check.ScanException;
import org.amo.determinism.check.ScanResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo check}: the sources of nondeterminism that a program's operations reach, from its class files. */
@Command(
        name = "check",
        description =
                "List clocks, random numbers, threads, files and other sources of nondeterminism and outside effects"
                        + " that the operations of a program's servants reach. The program is not run.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no finding",
            "1:findings",
            "2:the command line is wrong, or the program has no operation; one line says how to write it",
            "3:a jar or class file cannot be read, so the list may lack findings"
        },
        sortOptions = false)
final class CheckCommand implements Callable<Integer> {
    private static final int MOST_BROKEN = 3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--agent",
            paramLabel = "off|on",
            defaultValue = "off",
            description =
                    "on: findings that the determinism agent makes deterministic are listed but do not count for the"
                            + " exit code. Default: ${DEFAULT-VALUE}, all findings count.")
    private OnOff agent = OnOff.OFF;

    @Option(
            names = "--entry",
            paramLabel = "CLASS",
            description =
                    "Begin with the operations of this class or interface: all public methods if it is no servant."
                            + " Repeatable. Default: all CORBA servants and all services of AmoReplica.")
    private List<String> entries = List.of();

    @Option(
            names = "--exclude",
            paramLabel = "NAME",
            description =
                    "Do not enter classes with names that begin so, a library's package for instance. Repeatable. Default:"
                            + " the JDK, the ORB, amo and logging.")
    private List<String> excluded = List.of();

    @Option(
            names = "--accept",
            paramLabel = "KIND:CLASS.METHOD",
            description =
                    "Leave these findings out; KIND alone, CLASS alone and CLASS* are fine, too. Repeatable. Default:"
                            + " none.")
    private List<String> accepted = List.of();

    @Mixin
    final JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(paramLabel = "-- java [...] Main [...]", arity = "0..*", description = "The program's command line.")
    private List<String> program = List.of();

    @Override
    public Integer call() {
        json.check();
        List<Path> classPath = JavaCommandLine.classFiles(program, Optional.ofNullable(System.getenv("CLASSPATH")));
        ScanResult result = scan(classPath);
        if (json.isWanted()) {
            json.write(CheckJson.of(result), spec.commandLine().getOut());
        }
        if (!json.isStandardOutput()) {
            CheckPrinter.print(result, spec.commandLine().getOut());
        }
        if (!result.broken().isEmpty()) {
            throw CliException.environment("the list may lack findings: "
                    + String.join(
                            ", ",
                            result.broken()
                                    .subList(
                                            0,
                                            Math.min(
                                                    MOST_BROKEN, result.broken().size())))
                    + (result.broken().size() > MOST_BROKEN ? " and more" : "")
                    + "; build the program anew, or correct the class path");
        }
        List<Finding> counted = agent == OnOff.ON ? result.leftByAgent() : result.findings();
        return counted.isEmpty() ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private ScanResult scan(List<Path> classPath) {
        try {
            return DeterminismCheck.ofClassPath(classPath)
                    .entries(entries)
                    .without(excluded)
                    .accept(accepted.toArray(String[]::new))
                    .run();
        } catch (ScanException e) {
            throw CliException.user(String.valueOf(e.getMessage()) + (entries.isEmpty() ? ": --entry CLASS" : ""));
        } catch (UncheckedIOException e) {
            throw CliException.environment("cannot read the class path (" + e.getMessage() + "); correct it");
        }
    }
}
