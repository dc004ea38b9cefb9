package org.amo.scmp.udp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.amo.scmp.ScmpOptions;

/**
 * A server in a process of its own: each execution of service 1 is a line of the ledger. Prints its port when it serves. The fourth
 * argument moves its wall clock.
 */
public final class LedgerServer {
    static final Duration BETA = Duration.ofMillis(1_500);

    private LedgerServer() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        Path state = Path.of(args[1]);
        Path ledger = Path.of(args[2]);
        long clockOffset = Long.parseLong(args[3]);
        ScmpServer server = ScmpServerOptions.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .insecure()
                .stateFile(state)
                .core(ScmpServerOptions.coreForHeap().scmp(options().build()).build())
                .wallClock(() -> Clocks.systemWallMicros() + clockOffset)
                .service(1, (caller, arguments) -> {
                    Files.write(
                            ledger,
                            (new String(arguments, StandardCharsets.UTF_8) + "\n").getBytes(StandardCharsets.UTF_8),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.APPEND);
                    return arguments;
                })
                .service(2, (caller, arguments) -> {
                    Files.write(
                            ledger,
                            "slow\n".getBytes(StandardCharsets.UTF_8),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.APPEND);
                    TimeUnit.MINUTES.sleep(10);
                    return arguments;
                })
                .start();
        System.out.println(server.address().getPort());
        TimeUnit.MINUTES.sleep(10);
    }

    static ScmpOptions.Builder options() {
        return ScmpOptions.builder()
                .beta(BETA)
                .storeInterval(Duration.ofMillis(300))
                .skew(Duration.ofMillis(500))
                .retention(Duration.ofMinutes(5));
    }
}
