package org.amo.lab.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.HistoryOption;
import org.amo.cli.JsonOption;
import org.amo.cli.OnOff;
import org.amo.cli.OrderOptions;
import org.amo.cli.Terminal;
import org.amo.lab.GroupOptions;
import org.amo.lab.SeedOption;
import org.amo.lab.cluster.WorkFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo demo}. */
@Command(
        name = "demo",
        description = {
            "Start replicas of the bank example, which knows nothing of amo, load them, kill one with kill -9, and"
                    + " check that no call was executed twice or lost. With --retry-storm: show a retry with and without a"
                    + " key.",
            "Exit code 0 only if nothing ran twice, nothing was lost, no call failed and all replicas are equal.",
            WorkFolder.HELP
        },
        sortOptions = false)
public final class DemoCommand implements Callable<Integer> {
    private static final String NEVER = "never";
    private static final Set<String> OF_THE_STORM =
            Set.of("--retry-storm", "--clients", "--threads", "--seed", "--json");
    private static final int MOST_STORM_THREADS = 100;
    private static final long DURATION_MILLIS = 20_000;
    private static final long PAGE_MILLIS = 86_400_000;
    private static final double KILL_AT = 0.4;
    private static final double RESTART_AFTER = 0.2;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--replicas",
            paramLabel = "N",
            defaultValue = "3",
            description = "Replica processes. Default: ${DEFAULT-VALUE}.")
    private int replicas;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "4",
            description = "Client processes. Default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "Threads in each client process, each with an account of its own. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            converter = Durations.class,
            description = "How long the load lasts. Default: 20s; with --page 24h.")
    private Optional<Long> durationMillis = Optional.empty();

    @Option(
            names = "--kill",
            paramLabel = "connected|leader|follower|none",
            description =
                    "The replica to kill; connected is the replica that serves client c1. Default: connected; none with"
                            + " --page, whose buttons kill.")
    private Optional<DemoSettings.Kill> kill = Optional.empty();

    @Option(
            names = "--kill-at",
            paramLabel = "DURATION",
            converter = Durations.class,
            description = "Time of the kill, from the start of the load. Default: 40 %% of the duration.")
    private Optional<Long> killAtMillis = Optional.empty();

    @Option(
            names = "--restart-after",
            paramLabel = "DURATION|never",
            description = "Time of the restart, from the kill. Default: 20 %% of the duration. A replica that the page"
                    + " kills always starts again, after 3 s.")
    private Optional<String> restartAfter = Optional.empty();

    @Option(
            names = "--page",
            arity = "0..1",
            paramLabel = "PORT",
            fallbackValue = "0",
            description =
                    "Show the group on a page at this port of this machine, with a button that kills a replica, until"
                            + " Ctrl-C or the end of --duration. The clients pause between calls, so that the machine has"
                            + " time for the page. Without PORT: any free one. Default: no page.")
    private Optional<Integer> page = Optional.empty();

    @Option(
            names = "--retry-storm",
            description = "Instead of a group: a service over HTTP in this process, and a network that loses the first"
                    + " answer of every call. Plain clients and clients with an Idempotency-Key retry alike. Takes"
                    + " --clients, --threads, --seed and --json. Default: off.")
    private boolean retryStorm;

    @Option(
            names = "--sack",
            paramLabel = "on|off",
            defaultValue = "on",
            description = "Whether clients acknowledge replies. Default: ${DEFAULT-VALUE}.")
    private OnOff sack = OnOff.ON;

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
        if (retryStorm) {
            return storm();
        }
        DemoSettings settings = settings();
        json.check();
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        DemoResult result;
        Consumer<String> told = line -> tell(json.isStandardOutput() ? err : out, line);
        Terminal.Progress progress = Terminal.progress(err);
        try (DemoRun run = new DemoRun(settings, progress, told)) {
            result = run.run();
        } finally {
            progress.end();
        }
        json.write(new ObjectMapper().valueToTree(result), out);
        if (!json.isStandardOutput()) {
            DemoPrinter.print(settings, result, out);
        }
        return result.passed() ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private int storm() {
        Set<String> others = new TreeSet<>();
        spec.commandLine().getParseResult().matchedOptions().forEach(each -> others.add(each.longestName()));
        others.removeAll(OF_THE_STORM);
        if (!others.isEmpty()) {
            throw CliException.user("with --retry-storm there is no group; leave " + String.join(", ", others)
                    + " away, or --retry-storm");
        }
        if (clients < 1 || threads < 1 || (long) clients * threads > MOST_STORM_THREADS) {
            throw CliException.user("--clients " + clients + " with --threads " + threads + ": write 1 to "
                    + MOST_STORM_THREADS + " threads in all");
        }
        json.check();
        PrintWriter out = spec.commandLine().getOut();
        RetryStormResult result = new RetryStorm(clients * threads, seed.choose()).run(Commit.hash());
        json.write(new ObjectMapper().valueToTree(result), out);
        if (!json.isStandardOutput()) {
            DemoPrinter.print(result, out);
        }
        return result.passed() ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private static void tell(PrintWriter writer, String line) {
        writer.println(line);
        writer.flush();
    }

    DemoSettings settings() {
        DemoSettings.Kill killed = kill.orElse(page.isPresent() ? DemoSettings.Kill.NONE : DemoSettings.Kill.CONNECTED);
        long duration = durationMillis.orElse(page.isPresent() ? PAGE_MILLIS : DURATION_MILLIS);
        return new DemoSettings(
                replicas,
                clients,
                threads,
                duration,
                killed,
                killAtMillis.orElse(Math.max(1, Math.round(KILL_AT * duration))),
                restart(duration),
                order.order(),
                order.log(),
                group.style(),
                sack == OnOff.ON,
                group.isUdp(),
                seed.choose(),
                history.file(),
                page.map(OptionalInt::of).orElseGet(OptionalInt::empty));
    }

    private OptionalLong restart(long duration) {
        if (restartAfter.filter(NEVER::equals).isPresent()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(
                restartAfter.map(Durations::parseMillis).orElse(Math.max(1, Math.round(RESTART_AFTER * duration))));
    }
}
