package org.amo.cli.wrap;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.ConfigOption;
import org.amo.cli.Durations;
import org.amo.cli.HelpOption;
import org.amo.cli.HistoryOption;
import org.amo.cli.OnOff;
import org.amo.cli.SecretFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code amo wrap client}. */
@Command(
        name = "client",
        description =
                "Run a CORBA client so that its calls survive the loss of a replica and are executed at most once.",
        sortOptions = false)
final class WrapClientCommand implements Callable<Integer> {
    @Option(
            names = "--members",
            paramLabel = "ID=HOST:ORDERPORT/CLIENTPORT,...",
            converter = MembersConverter.class,
            description = "Addresses of the replicas. Default: those in the object reference.")
    private Optional<MembersConverter.Members> members = Optional.empty();

    @Option(
            names = "--deadline",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "60s",
            description = "How long a call may take, with all its attempts. Default: ${DEFAULT-VALUE}.")
    private long deadlineMillis;

    @Option(
            names = "--sack",
            paramLabel = "on|off",
            defaultValue = "on",
            description = "Acknowledge replies, so that replicas need not keep them. Default: ${DEFAULT-VALUE}.")
    private OnOff sack = OnOff.ON;

    @Option(
            names = "--first-call",
            paramLabel = "iiop|udp",
            defaultValue = "iiop",
            description =
                    "How the first call of the process to a group leaves: over a connection, or as one sealed datagram, which saves"
                            + " the connection. udp needs --secret-file here and --udp at the members. Default:"
                            + " ${DEFAULT-VALUE}.")
    private FirstCall firstCall = FirstCall.IIOP;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "The group's key, for --first-call udp. Default: none.")
    private Optional<Path> secretFile = Optional.empty();

    @Mixin
    final HistoryOption history = new HistoryOption();

    @Mixin
    final ConfigOption config = new ConfigOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(paramLabel = "-- java [...] Main [...]", arity = "0..*", description = "The client's command line.")
    private List<String> program = List.of();

    @Override
    public Integer call() {
        ClientWrap wrap = new ClientWrap(
                members.map(MembersConverter.Members::list).orElse(List.of()),
                Optional.of(deadlineMillis),
                sack == OnOff.ON,
                history.file(),
                Optional.empty(),
                firstCallSecret());
        JavaCommandLine own = JavaCommandLine.parse(program, Optional.ofNullable(System.getenv("CLASSPATH")));
        PropertyMerge merge = new PropertyMerge(own.properties()).defaults(config.propertiesWithoutOption());
        return Launch.run(wrap.apply(own.with(List.of(), merge.added())).words());
    }

    private Optional<Path> firstCallSecret() {
        if (firstCall == FirstCall.IIOP) {
            return Optional.empty();
        }
        Path file = secretFile.orElseThrow(() ->
                CliException.user("--first-call udp seals the call with the group's secret; add --secret-file FILE"));
        SecretFile.readForAnotherProcess(file);
        return secretFile;
    }

    /** The ways of a first call. */
    enum FirstCall {
        IIOP,
        UDP
    }
}
