package org.amo.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.cli.CliException;
import org.amo.cli.HelpOption;
import org.amo.cli.HostPort;
import org.amo.cli.OnOff;
import org.amo.cli.SecretFile;
import org.amo.cli.Terminal;
import org.amo.examples.grid.GridProcess;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo grid}: one process of examples/grid. */
@Command(
        name = "grid",
        description = {
            "Run one of several sites that share six units of a resource over DPG, until it is stopped.",
            "Each second it prints its operations, and for each unit the number of the site that holds it, or -."
        },
        sortOptions = false)
final class GridCommand implements Callable<Integer> {
    private static final int LOOKS_A_SECOND = 5;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--sites",
            split = ",",
            converter = HostPort.Converter.class,
            defaultValue = "127.0.0.1:7931,127.0.0.1:7932,127.0.0.1:7933",
            paramLabel = "LIST",
            description =
                    "All sites, present or not: HOST:PORT,... ; the same list everywhere. UDP ports. Default: ${DEFAULT-VALUE}.")
    private List<HostPort> sites = List.of();

    @Option(
            names = "--sequencers",
            split = ",",
            converter = HostPort.Converter.class,
            defaultValue = "127.0.0.1:7934,127.0.0.1:7935",
            paramLabel = "LIST",
            description = "All tag sequencers, in the order in which the sites turn to them; the same list everywhere."
                    + " Default: ${DEFAULT-VALUE}.")
    private List<HostPort> sequencers = List.of();

    @Option(
            names = "--site",
            paramLabel = "NUMBER",
            description = "The site in the list, from 1. Default: the first whose address this process can have.")
    private Optional<Integer> site = Optional.empty();

    @Option(
            names = "--sequencer",
            defaultValue = "on",
            paramLabel = "on|off",
            description = "Whether to run a tag sequencer as well, the first whose address this process can have."
                    + " Default: ${DEFAULT-VALUE}.")
    private OnOff sequencer = OnOff.ON;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description =
                    "A file with the secret of the grid, the same everywhere. Without it, all addresses must be of"
                            + " this machine, whose other processes can take part.")
    private Optional<Path> secretFile = Optional.empty();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (GridProcess process = GridProcess.start(options())) {
            out.println(process.title() + "; process " + ProcessHandle.current().pid());
            out.flush();
            Consumer<String> line = Terminal.progress(out)::state;
            while (true) {
                for (int i = 0; i < LOOKS_A_SECOND; i++) {
                    TimeUnit.MILLISECONDS.sleep(1_000 / LOOKS_A_SECOND);
                    line.accept(process.holders());
                }
                line.accept("");
                out.println(process.progress());
                out.flush();
            }
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
    }

    private GridProcess.Options options() {
        List<InetSocketAddress> all = addresses(sites);
        List<InetSocketAddress> numbering = addresses(sequencers);
        return new GridProcess.Options(
                all,
                numbering,
                site.isPresent() ? OptionalInt.of(site.get() - 1) : OptionalInt.empty(),
                sequencer == OnOff.ON,
                secretFile.map(SecretFile::read));
    }

    private List<InetSocketAddress> addresses(List<HostPort> written) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (HostPort each : written) {
            InetSocketAddress address = each.address();
            if (!(address.getAddress() instanceof Inet4Address)) {
                throw CliException.user(each + " is no address of IPv4, and DPG has sockets of IPv4 alone");
            }
            if (secretFile.isEmpty() && !address.getAddress().isLoopbackAddress()) {
                throw CliException.user(
                        each + " is not the loopback of this machine: say --secret-file FILE, the same at all sites");
            }
            addresses.add(address);
        }
        return addresses;
    }
}
