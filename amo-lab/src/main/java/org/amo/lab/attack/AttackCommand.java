package org.amo.lab.attack;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.JsonOption;
import org.amo.cli.Sizes;
import org.amo.cli.Terminal;
import org.amo.lab.SeedOption;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.WorkFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo attack}. */
@Command(
        name = "attack",
        description = {
            "Attack groups of three members, on this machine, and measure the effect on honest clients.",
            "An attack passes if every member is alive, its heap at most 90 %% full after a collection under attack, honest"
                    + " clients keep 0.7 of their rate and at most 5 times their p99 latency, the members are equal afterwards,"
                    + " nothing ran twice or was lost, and all members together wrote at most 100 log lines.",
            "Exit code 0 only if all attacks passed.",
            WorkFolder.HELP
        },
        sortOptions = false)
public final class AttackCommand implements Callable<Integer> {
    private static final String ALL = "all";
    private static final long SMALLEST_HEAP = 16 << 20;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "NAME|all",
            arity = "0..*",
            description =
                    "The attacks to run; all is every one. Attacks of one kind run one after the other against the same group, and"
                            + " one that fails so runs once more against a group of its own, and that counts.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--list", description = "Print the attacks' names and effects, and run none. Default: off.")
    private boolean list;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "60s",
            description = "How long each attack lasts, at least 1s; a sixth of it is added after it, without an attack."
                    + " Default: ${DEFAULT-VALUE}.")
    private long durationMillis;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            converter = Sizes.class,
            defaultValue = "64m",
            description = "Largest heap of each member. Default: ${DEFAULT-VALUE}.")
    private long heapBytes;

    @Option(
            names = "--service",
            paramLabel = "bank|counter|counter-tls|scmp",
            description =
                    "The target: bank is CORBA, counter plain Java, counter-tls the same with certificates of members, scmp a server of datagrams. Attacks that do not concern it are left out."
                            + " Default: the first that --list names for the attack.")
    private Optional<Service> service = Optional.empty();

    @Option(
            names = "--resume",
            paramLabel = "FILE",
            description =
                    "Take the results of attacks that passed from FILE, which --json of an earlier run has written, and run only"
                            + " the rest: those that failed or are missing there. FILE must be of the same commit, JDK, --heap,"
                            + " --duration and --service. Default: run all.")
    private Optional<Path> resume = Optional.empty();

    @Mixin
    final SeedOption seed = new SeedOption();

    @Mixin
    final JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    private final List<Attack> attacks;
    private final Function<Service, Function<MemberProgram.Of, MemberProgram>> members;
    private final Supplier<String> commit;

    /** With the attacks and members that there are. */
    public AttackCommand() {
        this(Attacks.all(), each -> each::member, Commit::hash);
    }

    /**
     * @param members how members of a service are started and asked
     * @param commit of the program; asked once a run begins
     */
    AttackCommand(
            List<Attack> attacks,
            Function<Service, Function<MemberProgram.Of, MemberProgram>> members,
            Supplier<String> commit) {
        this.attacks = List.copyOf(attacks);
        this.members = members;
        this.commit = commit;
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        json.check();
        if (list) {
            printList(out);
            return ExitCodes.OK;
        }
        List<Attack> chosen = chosen();
        check();
        AttackSettings settings = new AttackSettings(heapBytes, durationMillis, seed.choose());
        AttackConditions conditions = AttackConditions.of(commit.get(), settings, service);
        EarlierAttacks earlier = resume.map(file -> EarlierAttacks.read(file, conditions, chosen))
                .orElseGet(EarlierAttacks::none);
        List<Attack> rest =
                chosen.stream().filter(attack -> !earlier.has(attack)).toList();
        AttackTable table = new AttackTable(json.isStandardOutput() ? Optional.empty() : Optional.of(out));
        table.begin(settings, rest.size());
        earlier.kept().forEach(table::row);
        List<AttackResult> results = new ArrayList<>(earlier.kept());
        AttackProgress progress =
                new AttackProgress(Terminal.progress(spec.commandLine().getErr()), rest.size(), durationMillis);
        AttackSeries series = new AttackSeries(groups(settings, progress), this::against, result -> {
            results.add(result);
            progress.done();
            table.row(result);
            if (!json.isStandardOutput()) {
                // A run that is interrupted later can be resumed.
                AttackReport soFar = AttackReport.of(results, chosen, earlier.failed(), conditions);
                json.write(new ObjectMapper().valueToTree(soFar), out);
            }
        });
        try {
            series.run(AttackPlan.of(rest, this::against));
        } finally {
            progress.end();
        }
        AttackReport report = AttackReport.of(results, chosen, earlier.failed(), conditions);
        json.write(new ObjectMapper().valueToTree(report), out);
        table.end(report);
        return report.failed() == 0 ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private Service against(Attack attack) {
        return service.orElseGet(() -> attack.services().iterator().next());
    }

    private AttackSeries.Groups groups(AttackSettings settings, AttackProgress progress) {
        AtomicInteger number = new AtomicInteger();
        return first -> {
            Service target = against(first);
            String name = "group " + number.incrementAndGet() + " (" + target + ")";
            return AttackedGroup.start(
                    new AttackedMembers(
                            "attack-" + number + "-" + target,
                            target,
                            first.memberOptions(),
                            settings.heapBytes(),
                            members.apply(target),
                            progress::event),
                    settings,
                    line -> progress.now(name + ": " + line));
        };
    }

    private List<Attack> chosen() {
        if (names.isEmpty()) {
            throw CliException.user("no attack given; name one of ./amo attack --list, or all");
        }
        if (names.contains(ALL)) {
            return attacks.stream().filter(this::concerns).toList();
        }
        Set<Attack> chosen = new LinkedHashSet<>();
        for (String name : names) {
            Attack attack = attacks.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() ->
                            CliException.user("there is no attack '" + name + "'; ./amo attack --list names them all"));
            if (!concerns(attack)) {
                throw CliException.user("attack " + name + " does not concern --service "
                        + service.map(Service::toString).orElse("") + "; leave --service out");
            }
            chosen.add(attack);
        }
        return List.copyOf(chosen);
    }

    private boolean concerns(Attack attack) {
        return service.map(attack.services()::contains).orElse(true);
    }

    private void check() {
        if (durationMillis < 1_000) {
            throw CliException.user("--duration must be at least 1s: " + Durations.format(durationMillis));
        }
        if (heapBytes < SMALLEST_HEAP) {
            throw CliException.user("--heap must be at least 16m: " + heapBytes + " bytes");
        }
    }

    private void printList(PrintWriter out) {
        List<Attack> shown = attacks.stream().filter(this::concerns).toList();
        ArrayNode array = new ObjectMapper().createArrayNode();
        for (Attack attack : shown) {
            ObjectNode node = array.addObject().put("name", attack.name()).put("description", attack.description());
            ArrayNode services = node.putArray("services");
            attack.services().forEach(each -> services.add(each.toString()));
        }
        ObjectNode object = new ObjectMapper().createObjectNode();
        object.set("attacks", array);
        json.write(object, out);
        if (!json.isStandardOutput()) {
            for (Attack attack : shown) {
                String services = String.join(
                        ",", attack.services().stream().map(Service::toString).toList());
                out.println(
                        String.format(Locale.ROOT, "%-23s %-24s  %s", attack.name(), services, attack.description()));
            }
            out.flush();
        }
    }
}
