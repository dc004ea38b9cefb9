package org.amo.lab.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.HistoryOption;
import org.amo.cli.JsonOption;
import org.amo.cli.OnOff;
import org.amo.cli.OrderOptions;
import org.amo.cli.Terminal;
import org.amo.lab.SeedOption;
import org.amo.lab.StyleOption;
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
            "Start replicas of the bank example, which knows nothing of amo, load them, kill one with kill -9, and check"
                    + " that no call was executed twice or lost.",
            "Exit code 0 only if nothing ran twice, nothing was lost, no call failed and all replicas are equal.",
            WorkFolder.HELP
        },
        sortOptions = false)
public final class DemoCommand implements Callable<Integer> {
    private static final String NEVER = "never";
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
            defaultValue = "20s",
            description = "How long the load lasts. Default: ${DEFAULT-VALUE}.")
    private long durationMillis;

    @Option(
            names = "--kill",
            paramLabel = "connected|leader|follower|none",
            defaultValue = "connected",
            description =
                    "The replica to kill; connected is the replica that serves client c1. Default: ${DEFAULT-VALUE}.")
    private DemoSettings.Kill kill = DemoSettings.Kill.CONNECTED;

    @Option(
            names = "--kill-at",
            paramLabel = "DURATION",
            converter = Durations.class,
            description = "Time of the kill, from the start of the load. Default: 40 %% of the duration.")
    private Optional<Long> killAtMillis = Optional.empty();

    @Option(
            names = "--restart-after",
            paramLabel = "DURATION|never",
            description = "Time of the restart, from the kill. Default: 20 %% of the duration.")
    private Optional<String> restartAfter = Optional.empty();

    @Option(
            names = "--sack",
            paramLabel = "on|off",
            defaultValue = "on",
            description = "Whether clients acknowledge replies. Default: ${DEFAULT-VALUE}.")
    private OnOff sack = OnOff.ON;

    @Mixin
    final OrderOptions order = new OrderOptions();

    @Mixin
    final StyleOption style = new StyleOption();

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
        DemoSettings settings = settings();
        json.check();
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        DemoResult result;
        try (DemoRun run = new DemoRun(settings, Terminal.progress(err))) {
            result = run.run();
        }
        json.write(new ObjectMapper().valueToTree(result), out);
        if (!json.isStandardOutput()) {
            DemoPrinter.print(settings, result, out);
        }
        return result.passed() ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    DemoSettings settings() {
        return new DemoSettings(
                replicas,
                clients,
                threads,
                durationMillis,
                kill,
                killAtMillis.orElse(Math.max(1, Math.round(KILL_AT * durationMillis))),
                restart(),
                order.order(),
                order.log(),
                style.style(),
                sack == OnOff.ON,
                seed.choose(),
                history.file());
    }

    private OptionalLong restart() {
        if (restartAfter.filter(NEVER::equals).isPresent()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(restartAfter
                .map(Durations::parseMillis)
                .orElse(Math.max(1, Math.round(RESTART_AFTER * durationMillis))));
    }
}
