package org.amo.cli.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.JsonOutput;
import org.amo.cli.OnOff;
import org.amo.cli.Terminal;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
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
            "Exit code 0 only if nothing ran twice, nothing was lost, no call failed and all replicas are equal."
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
                    "Which replica to kill; connected is the one that serves client c1. Default: ${DEFAULT-VALUE}.")
    private DemoSettings.Kill kill = DemoSettings.Kill.CONNECTED;

    @Option(
            names = "--kill-at",
            paramLabel = "DURATION",
            converter = Durations.class,
            description = "When, from the start of the load. Default: 40 %% of the duration.")
    private Optional<Long> killAtMillis = Optional.empty();

    @Option(
            names = "--restart-after",
            paramLabel = "DURATION|never",
            description = "When to start it again, from the kill. Default: 20 %% of the duration.")
    private Optional<String> restartAfter = Optional.empty();

    @Option(
            names = "--order",
            paramLabel = "raft|sequencer",
            defaultValue = "raft",
            description = "The ordered log; sequencer is weaker. Default: ${DEFAULT-VALUE}.")
    private Order order = Order.RAFT;

    @Option(
            names = "--log",
            paramLabel = "fsync|file|memory",
            defaultValue = "fsync",
            description =
                    "Where raft keeps its log; memory takes only --restart-after never. Default: ${DEFAULT-VALUE}.")
    private Log log = Log.FSYNC;

    @Option(
            names = "--sack",
            paramLabel = "on|off",
            defaultValue = "on",
            description = "Whether clients acknowledge replies. Default: ${DEFAULT-VALUE}.")
    private OnOff sack = OnOff.ON;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Chooses the calls of each thread. Default: another one in each run.")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write the result as one JSON object; - is standard output, and then nothing else goes there."
                    + " Default: words.")
    private Optional<String> json = Optional.empty();

    @Option(
            names = "--history",
            paramLabel = "FILE",
            description = "Write the events of all processes, one JSON object a line. Default: none.")
    private Optional<Path> history = Optional.empty();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        DemoSettings settings = settings();
        json.filter(target -> !target.equals("-")).ifPresent(target -> checkWritable("--json", Path.of(target)));
        history.ifPresent(target -> checkWritable("--history", target));
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        DemoResult result;
        try (DemoRun run = new DemoRun(settings, Terminal.progress(err))) {
            result = run.run();
        }
        json.ifPresent(target -> JsonOutput.write(target, new ObjectMapper().valueToTree(result), out));
        if (json.filter("-"::equals).isEmpty()) {
            DemoWords.print(settings, result, out);
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
                order,
                log,
                sack == OnOff.ON,
                seed.orElseGet(() -> ThreadLocalRandom.current().nextLong(1, Integer.MAX_VALUE)),
                history);
    }

    private OptionalLong restart() {
        if (restartAfter.filter(NEVER::equals).isPresent()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(restartAfter
                .map(Durations::parseMillis)
                .orElse(Math.max(1, Math.round(RESTART_AFTER * durationMillis))));
    }

    private static void checkWritable(String option, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
            throw CliException.user("cannot write " + file + ": give " + option + " a file in a folder that exists");
        }
    }
}
