package org.amo.cli.wrap;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.ConfigOption;
import org.amo.cli.HelpOption;
import org.amo.cli.HistoryOption;
import org.amo.cli.OrderOptions;
import org.amo.cli.SecretFile;
import org.amo.cli.Sizes;
import org.amo.core.replica.FeatureLevels;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.replica.ReplicaSettings.Nested;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.RandomSource;
import org.amo.core.replica.ReplicaSettings.Store;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.determinism.agent.Kind;
import org.amo.observe.ObservationOptions;
import org.amo.replication.store.ReplyStores;
import org.amo.wrap.WrappedProgram;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code amo wrap server}. */
@Command(
        name = "server",
        description = "Run a CORBA server as one replica of a group. Start it once for each member.",
        sortOptions = false,
        showDefaultValues = false)
final class WrapServerCommand implements Callable<Integer> {
    private static final String SERIAL = "serial";

    @Option(names = "--group", required = true, paramLabel = "NAME", description = "Name of the group.")
    private String group = "";

    @Option(names = "--id", required = true, paramLabel = "ID", description = "Id of this member.")
    private String id = "";

    @Option(
            names = "--members",
            required = true,
            paramLabel = "ID=HOST:ORDERPORT/CLIENTPORT,...",
            converter = MembersConverter.class,
            description = "All members, in the same order everywhere.")
    private MembersConverter.Members members = new MembersConverter.Members(List.of());

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = ".amo",
            description =
                    "Folder for data that must survive a crash; each member makes its own in it. Default: ${DEFAULT-VALUE}.")
    private Path data = Path.of(".amo");

    @Option(
            names = "--store",
            paramLabel = "heap|chronicle",
            defaultValue = "heap",
            description =
                    "Place of cached replies; chronicle is outside the heap, for many or large replies, and needs a JDK. Default:"
                            + " ${DEFAULT-VALUE}.")
    private Store store = Store.HEAP;

    @Option(
            names = "--budget",
            paramLabel = "SIZE",
            converter = Sizes.class,
            description = "Room for requests and replies that clients may still ask for; the group's first start sets"
                    + " it. Default: 256MB.")
    private Optional<Long> budget = Optional.empty();

    @Option(
            names = "--nested",
            paramLabel = "refuse|ordered|allow",
            description =
                    "Calls that an operation makes to other objects: refuse them; ordered: one member makes each, and all take"
                            + " its outcome; allow: each member makes them, for called objects that may run them once a"
                            + " member. Equal at all members. Default: that of the style, ordered for leader, else refuse.")
    private Optional<Nested> nested = Optional.empty();

    @Option(
            names = "--style",
            paramLabel = "active|leader|passive",
            defaultValue = "active",
            description =
                    "active: each member executes, and computes all values itself. leader: random numbers and results of nested"
                            + " calls come from one member, by way of the order. passive: the leader executes, and the others apply"
                            + " the updates of its servants' state; for servants that are not deterministic and have a state that"
                            + " can be taken. Fixed at the group's first start; equal at all members. Default: ${DEFAULT-VALUE}.")
    private Style style = Style.ACTIVE;

    @Option(
            names = "--random",
            paramLabel = "seeded|leader",
            description =
                    "Random numbers inside of operations: seeded by the group's secret and the request, or by a secret seed that"
                            + " the order carries, fit for keys and passwords. Equal at all members. Default: that of the style,"
                            + " leader for leader, else seeded.")
    private Optional<RandomSource> random = Optional.empty();

    @Option(
            names = "--execute",
            paramLabel = "serial|parallel=N",
            defaultValue = "serial",
            converter = Execute.class,
            description =
                    "serial: one operation after another. parallel=N: operations of different servants run in N threads at the same"
                            + " time, those of one servant in their order; for servants that share no state. Excludes"
                            + " --style passive, --nested ordered and allow, --threads ordered. All members serial, or all"
                            + " parallel. Default: ${DEFAULT-VALUE}.")
    private String execute = SERIAL;

    @Option(
            names = "--feature-level",
            paramLabel = "auto|NUMBER",
            defaultValue = "auto",
            converter = Level.class,
            description =
                    "auto: the group comes to the highest feature level that all members speak. A number: not above that level, so that"
                            + " each member can go back to the version of amo before; a level is never lowered. The lowest number of the"
                            + " members counts. Default: ${DEFAULT-VALUE}.")
    private String featureLevel = "auto";

    @Option(
            names = "--transfer",
            paramLabel = "tcp|exon",
            defaultValue = "tcp",
            description =
                    "How a member that lacks entries gets the snapshot of another one: over the connections between members, or by"
                            + " datagrams of Exon at the UDP port with the number of the order port, which are faster over a long"
                            + " way that loses some. Needs --order raft, and --secret-file beside TLS. Default: ${DEFAULT-VALUE}.")
    private Transfer transfer = Transfer.TCP;

    @Option(
            names = "--divergence",
            paramLabel = "stop|report|off",
            defaultValue = "stop",
            description =
                    "What follows if the members' digests of decisions, replies and state differ and none has a majority: stop"
                            + " takes no requests, report says so and goes on. A minority always begins anew. off: nothing is"
                            + " compared. Equal at all members. Default: ${DEFAULT-VALUE}.")
    private Divergence divergence = Divergence.STOP;

    @Option(
            names = "--deterministic",
            paramLabel = "all|none|KIND,...",
            defaultValue = "all",
            converter = Kinds.class,
            description =
                    "What is the same at all members inside of operations: time, random, identity. An agent replaces the"
                            + " program's calls. defaults: locale, charset and time zone are compared. Equal at all members."
                            + " Default: ${DEFAULT-VALUE}.")
    private String deterministic = "all";

    @Option(
            names = "--threads",
            paramLabel = "warn|refuse|ordered",
            defaultValue = "warn",
            description =
                    "Threads and timers that an operation starts, and tasks that it gives to others: each member would run them"
                            + " at a moment of its own. ordered: all members run them at the same place of the order. Equal at"
                            + " all members. Default: ${DEFAULT-VALUE}.")
    private Threads threads = Threads.WARN;

    @Option(
            names = "--udp",
            description =
                    "Take first calls of clients as sealed datagrams, too, at the UDP port with the number of the client port. Needs"
                            + " --secret-file, and excludes SSL of clients. Equal at all members. Default: off.")
    private boolean udp;

    @Option(names = "--insecure", description = "Let any process that reaches the ports join the group. Default: off.")
    private boolean insecure;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description =
                    "The group's key, equal at all members. One of --insecure, --secret-file and TLS must be chosen.")
    private Optional<Path> secretFile = Optional.empty();

    @Mixin
    final TlsOptions tls = new TlsOptions();

    @Mixin
    final HttpOptions observe = new HttpOptions();

    @Mixin
    final OrderOptions order = new OrderOptions();

    @Mixin
    final HistoryOption history = new HistoryOption();

    @Mixin
    final ConfigOption config = new ConfigOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(
            paramLabel = "-- COMMAND [...]",
            arity = "0..*",
            description = "The command that starts the server: java and its arguments, or a script.")
    private List<String> program = List.of();

    @Override
    public Integer call() {
        checkSecurity();
        checkStyle();
        checkExecute();
        checkTransfer();
        Optional<ObservationOptions> observation = observe.options();
        ServerWrap wrap = new ServerWrap(
                group,
                id,
                members.list(),
                WrapFiles.folder(data),
                order.order(),
                order.log(),
                budget,
                secretFile,
                history.file(),
                tls.properties());
        boolean byAgent = AgentLaunch.isNeeded(program, Optional.ofNullable(System.getenv("JDK_JAVA_OPTIONS")));
        if (threads == Threads.REFUSE && deterministic.equals("none")) {
            throw CliException.user("--threads refuse needs the agent, which --deterministic none leaves out;"
                    + " remove one of the two, or write --deterministic time");
        }
        if (threads == Threads.ORDERED && Kind.parse(deterministic).size() < Kind.values().length) {
            throw CliException.user(
                    "--threads ordered needs all that the agent makes deterministic, and --deterministic "
                            + deterministic + " leaves some of it out; write --deterministic all");
        }
        JavaCommandLine own = byAgent
                ? AgentLaunch.unknown()
                : JavaCommandLine.parse(program, Optional.ofNullable(System.getenv("CLASSPATH")));
        JavaCommandLine chosen = own.with(List.of(), choices(own.properties()));
        JavaCommandLine command = byAgent ? wrap.apply(chosen) : wrap.applyWithAgent(chosen);
        if (store == Store.CHRONICLE) {
            command = command.with(AmoClassPath.chronicleEntries(), Map.of()).withOptions(ReplyStores.jvmOptions());
        }
        Ports.checkFree(wrap.self());
        observation.ifPresent(port -> Ports.checkFree(wrap.self(), port));
        return byAgent ? AgentLaunch.run(wrap.agentFolder(), program, command) : Launch.run(command.words());
    }

    /**
     * The properties of the options.
     *
     * @param own those that the program's command line sets. Of a property set twice the last counts, and members would run
     *     with another value than the command line shows
     */
    private Map<String, String> choices(Map<String, String> own) {
        PropertyMerge merge = new PropertyMerge(own)
                .fixed(WrappedProgram.DETERMINISTIC, deterministic, "--deterministic")
                .fixed("amo.threads", word(threads), "--threads")
                .fixed("amo.divergence", word(divergence), "--divergence")
                .fixed("amo.execute", execute, "--execute")
                .fixed("amo.featureLevel", featureLevel, "--feature-level")
                .fixed("amo.style", word(style), "--style");
        nested.ifPresent(value -> merge.fixed("amo.nested", word(value), "--nested"));
        random.ifPresent(value -> merge.fixed("amo.random", word(value), "--random"));
        observe.properties().forEach((name, value) -> merge.fixed(name, value, HttpOptions.OPTION));
        if (transfer == Transfer.EXON) {
            merge.fixed("amo.transfer", word(transfer), "--transfer");
        }
        if (store == Store.CHRONICLE) {
            merge.fixed("amo.store", word(store), "--store");
        }
        if (udp) {
            merge.fixed("amo.udp", "true", "--udp");
        }
        merge.defaults(config.propertiesWithoutOption());
        return merge.added();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** A member would refuse it too, in a program that may hide its message. */
    private void checkStyle() {
        if (style == Style.LEADER && random.equals(Optional.of(RandomSource.SEEDED))) {
            throw CliException.user("--style leader has the order carry random numbers, and --random seeded does not;"
                    + " remove one of the two");
        }
        if (style == Style.LEADER && nested.equals(Optional.of(Nested.ALLOW))) {
            throw CliException.user(
                    "--style leader has one member make nested calls, and --nested allow each; remove one"
                            + " of the two");
        }
        if (style == Style.PASSIVE && nested.equals(Optional.of(Nested.ORDERED))) {
            throw CliException.user(
                    "--style passive executes at the leader alone, and --nested ordered has every member execute;"
                            + " remove one of the two");
        }
        if (style == Style.PASSIVE && threads == Threads.ORDERED) {
            throw CliException.user(
                    "--style passive executes at the leader alone, and --threads ordered has timers fire at every"
                            + " member; remove one of the two");
        }
        boolean draws = style == Style.LEADER || random.equals(Optional.of(RandomSource.LEADER));
        if (draws && !Kind.parse(deterministic).contains(Kind.RANDOM)) {
            throw CliException.user((style == Style.LEADER ? "--style leader" : "--random leader")
                    + " needs the agent to replace random numbers, and --deterministic "
                    + deterministic + " leaves them as they are; remove one of the two");
        }
    }

    /** As {@link #checkStyle}. */
    private void checkTransfer() {
        if (transfer == Transfer.EXON && order.order() != Order.RAFT) {
            throw CliException.user(
                    "--transfer exon brings snapshots of raft, and --order sequencer has none; remove one");
        }
        if (transfer == Transfer.EXON && tls.isChosen() && secretFile.isEmpty()) {
            throw CliException.user("--transfer exon seals datagrams with the group's secret; add --secret-file FILE");
        }
    }

    /** As {@link #checkStyle}. */
    private void checkExecute() {
        if (execute.equals(SERIAL)) {
            return;
        }
        if (style == Style.PASSIVE) {
            throw CliException.user(
                    "--execute parallel runs operations of several servants at once, and --style passive orders one"
                            + " update behind each run; remove one of the two");
        }
        Nested calls = nested.orElse(style == Style.LEADER ? Nested.ORDERED : Nested.REFUSE);
        if (calls != Nested.REFUSE) {
            throw CliException.user("--execute parallel gives operations of different servants no order, and "
                    + (nested.isPresent() ? "--nested " + word(calls) : "--style leader with its nested calls")
                    + " needs one; write --execute serial or --nested refuse");
        }
        if (threads == Threads.ORDERED) {
            throw CliException.user(
                    "--execute parallel runs several operations at once, and --threads ordered has one place of"
                            + " the order for each task; remove one of the two");
        }
    }

    private void checkSecurity() {
        boolean secured = secretFile.isPresent() || tls.isChosen();
        if (insecure && secured) {
            throw CliException.user(
                    "--insecure excludes " + (tls.isChosen() ? "--tls-key-store" : "--secret-file") + "; remove one");
        }
        if (!insecure && !secured) {
            throw CliException.user(
                    "no security chosen; give all members the same --secret-file FILE or each its --tls-key-store FILE, or"
                            + " say --insecure if only trusted machines reach the ports");
        }
        if (udp && secretFile.isEmpty()) {
            throw CliException.user("--udp takes calls that are sealed with the group's secret; add --secret-file FILE,"
                    + " or remove it");
        }
        secretFile.ifPresent(SecretFile::readForAnotherProcess);
    }

    /** The ways of a snapshot from one member to another. */
    enum Transfer {
        TCP,
        EXON
    }

    /** The treatment of threads that an operation starts. */
    enum Threads {
        WARN,
        REFUSE,
        ORDERED
    }

    /** The ways to execute, checked. */
    static final class Execute implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            try {
                ReplicaSettings.executorsOf(text);
                return text;
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** The highest feature level, checked. */
    static final class Level implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            try {
                FeatureLevels unused = FeatureLevels.OF_BUILD.upTo(FeatureLevels.boundOf(text));
                return text;
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** The kinds of nondeterminism that the agent removes. */
    static final class Kinds implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            try {
                // Members compare the text.
                return Kind.format(Kind.parse(text));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
