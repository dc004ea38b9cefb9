package org.amo.cli.scmp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.HostPort;
import org.amo.scmp.CallOutcome;
import org.amo.scmp.udp.ScmpCallException;
import org.amo.scmp.udp.ScmpClient;
import org.amo.scmp.udp.ScmpCredential;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo scmp call}: one call, which ends when its outcome is known. */
@Command(
        name = "call",
        description = {
            "Make one call over UDP, and print its reply.",
            "Exit code 1 if the service failed; 3 if the call did not run (NOT_EXECUTED), or ran once or not at all (UNKNOWN)."
        },
        sortOptions = false)
final class ScmpCallCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "The address of the server; an IPv6 address stands in brackets.")
    private HostPort server = new HostPort("", 0);

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "WORD",
            description = "The arguments, joined by spaces: for ./amo scmp serve, add NAME AMOUNT, get NAME, or all.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--credential",
            paramLabel = "FILE",
            description = "The client's own key, of ./amo scmp key. This, --secret-file or --insecure. Default: none.")
    private Optional<Path> credentialFile = Optional.empty();

    @Option(names = "--secret-file", paramLabel = "FILE", description = "The server's secret.")
    private Optional<Path> secretFile = Optional.empty();

    @Option(names = "--insecure", description = "The server runs without a secret. Default: off.")
    private boolean insecure;

    @Option(
            names = "--service",
            paramLabel = "N",
            defaultValue = "1",
            description = "The number of the service. Default: ${DEFAULT-VALUE}.")
    private int service;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "30s",
            description = "Time for the call with all its attempts. Default: ${DEFAULT-VALUE}.")
    private Long timeoutMillis = 0L;

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws InterruptedException {
        InetSocketAddress address = server.address();
        byte[] arguments = String.join(" ", words).getBytes(StandardCharsets.UTF_8);
        try (ScmpClient client = secured(ScmpClient.builder(address)).open()) {
            byte[] reply = client.call(service, arguments, Duration.ofMillis(timeoutMillis));
            spec.commandLine().getOut().println(new String(reply, StandardCharsets.UTF_8));
            return ExitCodes.OK;
        } catch (ScmpCallException e) {
            String outcome = e.kind() + ": " + e.getMessage();
            throw e.kind() == CallOutcome.Kind.SERVICE_FAILED
                    ? CliException.failedCheck(outcome)
                    : CliException.environment(outcome);
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
    }

    private ScmpClient.Builder secured(ScmpClient.Builder client) {
        long chosen = Stream.of(credentialFile.isPresent(), secretFile.isPresent(), insecure)
                .filter(each -> each)
                .count();
        if (chosen != 1) {
            throw CliException.user(
                    "say one of --credential FILE, --secret-file FILE and --insecure, as the server does");
        }
        if (credentialFile.isPresent()) {
            return client.credential(credential(credentialFile.get()));
        }
        return secretFile.map(file -> client.key(ScmpSecret.key(file))).orElseGet(client::insecure);
    }

    private static ScmpCredential credential(Path file) {
        try {
            return ScmpCredential.read(file);
        } catch (IOException e) {
            throw CliException.user("cannot read --credential: " + e.getMessage());
        }
    }
}
