package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A second implementation of the client, {@code src/test/python/grpc_client.py}, which only sets metadata. */
@Timeout(60)
final class PythonClientTest {
    @TempDir
    private Path folder;

    @Test
    void aClientThatOnlySetsMetadataGetsAtMostOnce() throws Exception {
        assumeTrue(hasGrpc(), "python3 has no grpcio (Debian: python3-grpcio): no foreign client was tried");
        CounterService service = new CounterService();
        try (AtMostOnceServer once = AtMostOnceServer.open(folder, AtMostOnceServer.Options.defaults())) {
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .addService(service.definition())
                    .intercept(once)
                    .build()
                    .start();
            try {
                Process client = new ProcessBuilder(
                                "python3",
                                Path.of("src", "test", "python", "grpc_client.py")
                                        .toString(),
                                "" + server.getPort())
                        .redirectErrorStream(true)
                        .start();
                String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertTrue(client.waitFor(20, TimeUnit.SECONDS), said);
                assertEquals(
                        List.of(
                                "FAILED_PRECONDITION HELLO false",
                                "OK REPLY true p 1",
                                "OK REPLAYED true p 1",
                                "OK REPLY true q 2",
                                "ALREADY_EXISTS ID_REUSED true",
                                "FAILED_PRECONDITION STALE true",
                                "OK REPLY true r 3",
                                "FAILED_PRECONDITION WRONG_SERVER true"),
                        said.lines().map(String::strip).toList());
                assertEquals(3, service.runs());
                assertEquals(1, once.engine().entries());
            } finally {
                server.shutdownNow();
                server.awaitTermination(10, TimeUnit.SECONDS);
            }
        }
    }

    private static boolean hasGrpc() throws InterruptedException {
        try {
            Process version = new ProcessBuilder("python3", "-c", "import grpc")
                    .redirectErrorStream(true)
                    .start();
            return version.waitFor(20, TimeUnit.SECONDS) && version.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
