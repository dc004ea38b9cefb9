package org.amo.lab;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.JsonOption;
import org.amo.cli.Terminal;
import org.amo.sim.Faults;
import org.amo.sim.Plant;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimTotals;
import org.amo.sim.Simulations;
import org.amo.sim.Violation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo sim}: a protocol in virtual time, with faults, seed by seed. */
@Command(
        name = "sim",
        description = "Run a protocol in the deterministic simulator, with faults, seed by seed; a seed alone"
                + " reproduces its run. Stops at the first violation.",
        sortOptions = false)
final class SimCommand implements Callable<Integer> {
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(1);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            arity = "0..1",
            paramLabel = "PROTOCOL",
            description = "fts: the replicated service. scmp: messages with timestamps. scmp-rpc: calls made of them."
                    + " lease: linearizable calls over a durable store. exon: messages exactly once."
                    + " dpg: multicast in one order.")
    private Optional<String> protocol = Optional.empty();

    @Option(
            names = "--seeds",
            paramLabel = "FIRST..LAST",
            converter = SeedRange.Converter.class,
            description = "Seeds to run, both ends included. Default: 1..2000.")
    private SeedRange seeds = new SeedRange(1, 2000);

    @Option(
            names = "--faults",
            paramLabel = "default|harsh|none",
            description = "Rate of the simulated faults. Default: default.")
    private String faults = "default";

    @Option(
            names = "--plant",
            paramLabel = "NAME",
            description =
                    "Run with a named mutant, which breaks one safety rule, to see that the simulator finds it. Default: none.")
    private Optional<String> plant = Optional.empty();

    @Option(
            names = "--sites",
            paramLabel = "N",
            description = "Replicas or sites, 1 to 100. Default: the protocol's own choice.")
    private Optional<Integer> sites = Optional.empty();

    @Option(
            names = "--style",
            paramLabel = "active|passive",
            description = "Style of the replicas of fts: all members execute, or the primary alone. Default: active.")
    private String style = "active";

    @Option(
            names = "--execute",
            paramLabel = "serial|parallel",
            description =
                    "Operations of the replicas of fts: one after another, or those of different keys at the same time."
                            + " Default: serial.")
    private String execute = "serial";

    @Option(names = "--list-plants", description = "Print PROTOCOL NAME DESCRIPTION, a line each, and end.")
    private boolean listPlants;

    @Option(names = "--trace", description = "Print every event of every seed. Default: only those before a violation.")
    private boolean trace;

    @Mixin
    final JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (listPlants) {
            for (Plant each : Simulations.plants()) {
                out.println(each.protocol() + " " + each.name() + " " + each.description());
            }
            return ExitCodes.OK;
        }
        String name = protocol.orElseThrow(() -> CliException.user("sim needs a protocol; write ./amo sim "
                + Simulations.protocols().get(0)));
        SimOptions options = options(name);
        json.check();
        boolean quiet = json.isStandardOutput();
        PrintWriter err = spec.commandLine().getErr();
        // Not between the lines of a trace.
        Consumer<String> progress = trace ? line -> {} : Terminal.progress(err)::state;
        long start = System.nanoTime();
        long[] last = {start, 0};
        SimTotals totals = SimTotals.run(name, seeds.first(), seeds.last(), options, result -> {
            last[1]++;
            if (trace) {
                (quiet ? err : out).println("seed " + result.seed());
                result.trace().forEach((quiet ? err : out)::println);
            }
            if (System.nanoTime() - last[0] > PROGRESS_NANOS) {
                last[0] = System.nanoTime();
                progress.accept(progress(last[1], seeds.size(), (last[0] - start) / 1e9));
            }
        });
        progress.accept("");
        double seconds = Math.max(1e-9, (System.nanoTime() - start) / 1e9);
        if (!quiet) {
            print(totals, options, seconds, out);
        } else {
            totals.firstViolation().ifPresent(found -> err.println(replay(found, options, name)));
        }
        json.write(object(totals, seconds), out);
        return totals.firstViolation().isPresent() ? ExitCodes.CHECK_FAILED : ExitCodes.OK;
    }

    /** One line that fits a terminal. */
    static String progress(long done, long all, double seconds) {
        return String.format(
                Locale.ROOT, "%,d of %,d seeds, %,.0f s left", done, all, (all - done) * seconds / Math.max(1, done));
    }

    private SimOptions options(String name) {
        try {
            Simulations.of(name);
            Faults profile = Faults.parse(faults.toLowerCase(Locale.ROOT));
            plant.ifPresent(wanted -> requirePlant(name, wanted));
            sites.filter(count -> count < 1 || count > 100).ifPresent(count -> {
                throw CliException.user("--sites " + count + " is out of range; write a number from 1 to 100");
            });
            sites.ifPresent(count -> requireSites(name, count));
            OptionalInt number = sites.map(OptionalInt::of).orElseGet(OptionalInt::empty);
            return new SimOptions(profile, plant, number, trace, isPassive(name), isParallel(name));
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }

    private static void requireSites(String protocol, int count) {
        if (protocol.startsWith("scmp")) {
            throw CliException.user("--sites has no effect on " + protocol + ", which has one server; leave it out");
        }
        if (protocol.equals("exon") && count == 1) {
            throw CliException.user("--sites 1 leaves exon without a peer; write a number from 2 to 100");
        }
    }

    private boolean isPassive(String protocol) {
        boolean passive = style.equals("passive");
        if (!passive && !style.equals("active")) {
            throw CliException.user("--style '" + style + "' is none of active, passive; write one of these");
        }
        if (passive && !protocol.equals("fts")) {
            throw CliException.user("--style is for fts; " + protocol + " has no styles, leave it out");
        }
        return passive;
    }

    private boolean isParallel(String protocol) {
        boolean parallel = execute.equals("parallel");
        if (!parallel && !execute.equals("serial")) {
            throw CliException.user("--execute '" + execute + "' is none of serial, parallel; write one of these");
        }
        if (parallel && !protocol.equals("fts")) {
            throw CliException.user("--execute is for fts; " + protocol + " executes nothing, leave it out");
        }
        if (parallel && style.equals("passive")) {
            throw CliException.user("--execute parallel excludes --style passive; remove one of the two");
        }
        return parallel;
    }

    private static void requirePlant(String protocol, String name) {
        List<Plant> plants = Simulations.plants();
        if (plants.stream()
                .noneMatch(
                        each -> each.protocol().equals(protocol) && each.name().equals(name))) {
            throw CliException.user(
                    "no plant '" + name + "' for " + protocol + "; ./amo sim --list-plants lists the names");
        }
    }

    private static void print(SimTotals totals, SimOptions options, double seconds, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%s: %,d seeds, %,d operations, %,d faults, %.0f seeds a second%n",
                totals.protocol(),
                totals.seeds(),
                totals.operations(),
                totals.faultCount(),
                totals.seeds() / seconds);
        SimRows.print(totals.rows(), seconds, out);
        if (totals.firstViolation().isEmpty()) {
            out.println("no violation");
            return;
        }
        SimResult found = totals.firstViolation().get();
        Violation violation = found.violation().orElseThrow();
        violation.trace().forEach(line -> out.println("  " + line));
        out.println("VIOLATION at seed " + found.seed() + ": " + violation.rule() + ": " + violation.detail());
        out.println(replay(found, options, totals.protocol()));
    }

    private static String replay(SimResult found, SimOptions options, String protocol) {
        return "replay: " + SimTotals.replayCommand(protocol, options, found.seed());
    }

    private static ObjectNode object(SimTotals totals, double seconds) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("protocol", totals.protocol());
        object.put("seeds", totals.seeds());
        object.put("operations", totals.operations());
        object.put("faults", totals.faultCount());
        ObjectNode kinds = object.putObject("faultsByKind");
        totals.faults().forEach(kinds::put);
        object.put("violations", totals.firstViolation().isPresent() ? 1 : 0);
        if (totals.firstViolation().isPresent()) {
            SimResult found = totals.firstViolation().get();
            Violation violation = found.violation().orElseThrow();
            ObjectNode first = object.putObject("firstViolation");
            first.put("seed", found.seed());
            first.put("rule", violation.rule());
            first.put("detail", violation.detail());
            violation.trace().forEach(first.putArray("trace")::add);
        } else {
            object.putNull("firstViolation");
        }
        object.put("seedsPerSecond", Math.round(totals.seeds() / seconds * 10) / 10.0);
        SimRows.put(totals.rows(), seconds, object);
        object.put("commit", Commit.hash());
        return object;
    }
}
