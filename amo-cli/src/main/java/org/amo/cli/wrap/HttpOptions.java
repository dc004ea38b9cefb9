package org.amo.cli.wrap;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.observe.ObservationOptions;
import picocli.CommandLine.Option;

/** The port for monitoring: {@code --http}, {@code --http-token-file}. */
public final class HttpOptions {
    static final String OPTION = "--http";

    @Option(
            names = OPTION,
            paramLabel = "[HOST:]PORT",
            description =
                    "Port for metrics, health, status and a page of the group over HTTP: /metrics, /status, /health/live,"
                            + " /health/ready, and the page at /."
                            + " Without HOST this machine alone can reach it. Default: none.")
    private Optional<String> address = Optional.empty();

    @Option(
            names = "--http-token-file",
            paramLabel = "FILE",
            description =
                    "Holds the token that requests for metrics, status and the page's values must bear. Default: none.")
    private Optional<Path> tokenFile = Optional.empty();

    /**
     * The checked options; empty without a port.
     *
     * @throws CliException when they do not fit
     */
    public Optional<ObservationOptions> options() {
        if (address.isEmpty()) {
            if (tokenFile.isPresent()) {
                throw CliException.user("--http-token-file is of use only beside --http; add --http [HOST:]PORT");
            }
            return Optional.empty();
        }
        try {
            ObservationOptions.Builder options = ObservationOptions.builder(address.get());
            tokenFile.ifPresent(options::tokenFile);
            return Optional.of(options.build());
        } catch (IllegalArgumentException e) {
            throw CliException.user("--http: " + e.getMessage());
        } catch (UncheckedIOException e) {
            throw CliException.user("cannot read --http-token-file "
                    + tokenFile.map(Path::toString).orElse("")
                    + " as text; make one, for example: openssl rand -hex 32 > FILE");
        }
    }

    /** The properties of a server with these options. The token itself is none: command lines can be read by all. */
    Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        address.ifPresent(value -> properties.put("amo.http", value));
        tokenFile.ifPresent(file ->
                properties.put("amo.httpTokenFile", file.toAbsolutePath().toString()));
        return properties;
    }
}
