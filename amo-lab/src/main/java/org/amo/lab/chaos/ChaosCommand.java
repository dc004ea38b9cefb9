package org.amo.lab.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.HistoryOption;
import org.amo.cli.JsonOption;
import org.amo.cli.OrderOptions;
import org.amo.cli.Terminal;
import org.amo.cli.wrap.Launch;
import org.amo.lab.GroupOptions;
import org.amo.lab.SeedOption;
import org.amo.lab.cluster.WorkFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo chaos}. */
@Command(
        name = "chaos",
        description = {
            "Start replicas of an example in real processes, load them, break something every five seconds, and"
                    + " check the history of all that happened.",
            "Exit code 1 on any violation; the seed is in the result.",
            WorkFolder.HELP
        },
        sortOptions = false)
public final class ChaosCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "60s",
            description = "How long the load and the faults last. Default: ${DEFAULT-VALUE}.")
    private long durationMillis;

    @Option(
            names = "--replicas",
            paramLabel = "3|5",
            defaultValue = "3",
            description = "Replica processes. Default: ${DEFAULT-VALUE}.")
    private int replicas;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "8",
            description =
                    "Clients that call at the same time, each with an ORB or client of its own. Default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--service",
            paramLabel = "bank|counter|nondeterministic|chain",
            defaultValue = "bank",
            description =
                    "The replicated service: the CORBA bank, the plain Java counters, whose members do not change, a CORBA bank"
                            + " that uses clocks, random numbers, identity hashes and timers, or counters in a chain of three"
                            + " groups that call each other. Default: ${DEFAULT-VALUE}.")
    private ServiceUnderTest service = ServiceUnderTest.BANK;

    @Option(
            names = "--faults",
            paramLabel = "LIST",
            split = ",",
            defaultValue = "default",
            description =
                    "The kinds of faults, with commas between: default (processes, networks, clocks, full disks, members),"
                            + " disk (bits that flip, torn and lost writes, syncs that fail, full disks), memory (a request that"
                            + " exhausts the heap of a replica, of 64 MB). Default: ${DEFAULT-VALUE}.")
    private List<FaultFamily> faults = List.of();

    @Option(
            names = "--reads",
            paramLabel = "SHARE",
            defaultValue = "0",
            description =
                    "The share of linearizable reads among the calls, 0 to 0.95, with --service counter. 0 stands for a"
                            + " few. Default: ${DEFAULT-VALUE}.")
    private double reads;

    @Option(
            names = "--plant",
            paramLabel = "NAME",
            description = "Run the replicas with a named mutant, to see that the check finds it: dedupe-on-receipt,"
                    + " sack-outside-order, sack-forgets-id, local-timers, completed-entries-only,"
                    + " read-before-apply (with --reads) or, with --faults disk,"
                    + " damage-taken-for-crash. Default: none.")
    private Optional<String> plant = Optional.empty();

    @Mixin
    final OrderOptions order = new OrderOptions();

    @Mixin
    final GroupOptions group = new GroupOptions();

    @Mixin
    final SeedOption seed = new SeedOption();

    @Mixin
    final HistoryOption history = new HistoryOption();

    @Mixin
    final JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        ChaosSettings settings = settings();
        json.check();
        if (!Isolation.isInside()) {
            Optional<List<String>> inside = Isolation.command(
                    spec.commandLine().getParent().getParseResult().originalArgs());
            if (inside.isPresent()) {
                return Launch.run(inside.get());
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Terminal.Progress progress = Terminal.progress(err);
        ChaosResult result;
        Optional<Path> kept;
        try (ChaosRun run = new ChaosRun(settings, progress)) {
            result = run.run();
            kept = run.kept();
        } finally {
            progress.end();
        }
        json.write(new ObjectMapper().valueToTree(result), out);
        if (!json.isStandardOutput()) {
            ChaosPrinter.print(result, out);
        }
        kept.ifPresent(folder -> err.println("amo: " + result.violations() + " violations with --seed " + result.seed()
                + "; the history and the processes' output are in " + folder));
        return result.passed() ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private ChaosSettings settings() {
        return new ChaosSettings(
                service,
                replicas,
                clients,
                durationMillis,
                order.order(),
                order.log(),
                group.style(),
                seed.choose(),
                Set.copyOf(faults),
                reads,
                group.isUdp(),
                plant,
                history.file());
    }
}
