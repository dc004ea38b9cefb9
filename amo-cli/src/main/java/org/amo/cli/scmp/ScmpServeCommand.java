package org.amo.cli.scmp;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.ListenOptions;
import org.amo.cli.wrap.HttpOptions;
import org.amo.net.CheckedFile;
import org.amo.observe.Observation;
import org.amo.scmp.udp.ScmpServer;
import org.amo.scmp.udp.ScmpServerOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo scmp serve}: counters behind at-most-once calls. */
@Command(
        name = "serve",
        description = {
            "Serve counters over UDP until it is stopped; each call runs at most once, also across a kill or a loss of power.",
            "The calls: add NAME AMOUNT, get NAME, all. The ledger has a line for each addition that ran."
        },
        sortOptions = false)
final class ScmpServeCommand implements Callable<Integer> {
    /** The number of the service. */
    static final int COUNTERS = 1;

    private static final Duration SKEW = Duration.ofSeconds(2);
    private static final Duration LEAST_AHEAD = Duration.ofSeconds(3);

    /** Writes within the time that one write reaches ahead beyond the skew. */
    private static final int WRITES_AHEAD = 4;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ListenOptions listen = new ListenOptions();

    @Option(
            names = "--state",
            required = true,
            paramLabel = "FILE",
            description = "The state file; ./amo scmp init makes it, once.")
    private Path state = Path.of("");

    @Option(
            names = "--state-lost",
            description = "The state file was lost with its disk: serve without it, and refuse calls for the time of"
                    + " --write-ahead first. Default: off.")
    private boolean stateLost;

    @Option(
            names = "--ledger",
            paramLabel = "FILE",
            description = "A file with a line for each addition that ran. Default: the state file's name and .ledger.")
    private Optional<Path> ledgerFile = Optional.empty();

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "A file with the server's secret. Clients have credentials that ./amo scmp key makes, or the"
                    + " secret. Either this or --insecure.")
    private Optional<Path> secretFile = Optional.empty();

    @Option(names = "--insecure", description = "No secret: each process that reaches the port can call. Default: off.")
    private boolean insecure;

    @Option(
            names = "--write-ahead",
            converter = Durations.class,
            paramLabel = "TIME",
            defaultValue = "10s",
            description =
                    "Calls may be refused for so long after a crash; a shorter time needs more writes of the state"
                            + " file. With --state-lost, at least that of the earlier starts. At least 3s. Default: ${DEFAULT-VALUE}.")
    private Long writeAheadMillis = 0L;

    @Mixin
    private HttpOptions http = new HttpOptions();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws InterruptedException {
        if (secretFile.isPresent() == insecure) {
            throw CliException.user("say either --secret-file FILE or --insecure");
        }
        Duration ahead = Duration.ofMillis(writeAheadMillis);
        if (ahead.compareTo(LEAST_AHEAD) < 0) {
            throw CliException.user("--write-ahead is at least 3s, since clocks may differ by 2s");
        }
        checkState();
        ScmpServerOptions.Builder options = ScmpServerOptions.builder(listen.address())
                .stateFile(state)
                .core(ScmpServerOptions.coreForHeap()
                        .scmp(ScmpServerOptions.scmpForHeap()
                                .skew(SKEW)
                                .beta(ahead)
                                .storeInterval(ahead.minus(SKEW).dividedBy(WRITES_AHEAD))
                                .build())
                        .build());
        secretFile.ifPresentOrElse(file -> options.key(ScmpSecret.key(file)), options::insecure);
        try (CounterLedger ledger = openLedger();
                ScmpServer server = options.service(COUNTERS, ledger).start();
                Observation observation = Observation.offer(server.observed(), http.options())) {
            say("serves at " + listen.at(server.address())
                    + (observation.port().isPresent()
                            ? ", metrics at port " + observation.port().getAsInt()
                            : ""));
            new CountDownLatch(1).await(); // until the process is stopped
            return ExitCodes.OK;
        } catch (IOException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
    }

    /** A start without a state file is never a mere oversight: the operator says which of the two it is. */
    private void checkState() {
        if (stateLost && Files.exists(state)) {
            throw CliException.user("--state-lost, but " + state
                    + " is there; leave --state-lost out, or move the file away if it" + " is an older copy");
        }
        if (stateLost || Files.exists(state)) {
            return;
        }
        String lost = "if it was lost, add --state-lost, and calls are refused for the first "
                + Durations.format(writeAheadMillis);
        throw CliException.user(
                CheckedFile.wasClaimed(state)
                        ? state + " is not there, but its lock file is, so a server ran with it: put the file back;"
                                + " " + lost
                        : state + " is not there; if this server never ran, make it once: ./amo scmp init " + state
                                + "; " + lost);
    }

    private CounterLedger openLedger() throws IOException {
        return CounterLedger.open(ledgerFile.orElseGet(() -> Path.of(state + ".ledger")));
    }

    private void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
