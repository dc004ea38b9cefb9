package org.amo.benchmarks.rpclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.order.LineProcess;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcTransport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The two processes of the measurement over a connection. */
@Timeout(120)
final class RemoteClientTest {
    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void bothKindsOfWriteCrossTheConnectionAndItsEndIsTold() throws Exception {
        byte[] value = new byte[100];
        try (LineProcess node = LineProcess.start(
                        "the store",
                        StoreNode.class,
                        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                        List.of(folder.resolve("store").toString(), "FILE"),
                        folder.resolve("log"));
                RpcTransport transport = RpcTransport.open("amo-bench-store")) {
            node.awaitReady(60);
            int port = Integer.parseInt(node.ask("port?", 60));
            RpcPeer peer = new RpcPeer("127.0.0.1", port, StoreNode.GROUP, Optional.empty());
            RemoteClient client = RemoteClient.connect(transport, peer, 1).join();
            Figures figures = new Figures("rpclog");
            InterleavedWrites.measure(client, 100, 1, 50).addTo(figures, ", over a connection", Map.of(), 100);
            assertEquals(
                    List.of(
                            "linearizable / regular, over a connection, median, 100 bytes at most 1.02",
                            "linearizable / regular, over a connection, p99, 100 bytes at most 1.2"),
                    figures.bars().stream()
                            .map(bar -> bar.what() + " " + bar.sign() + " " + bar.bound())
                            .toList());
            assertTrue(figures.bars().stream().allMatch(bar -> bar.value() > 0), "no time passed");
            for (boolean linearizable : List.of(true, false)) {
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
                assertTrue(client.writeUntil(end, linearizable, value).join() > 0);
            }
            StoreOutcome large =
                    client.linearizable(StoreClient.key(1), new byte[1_000_000]).join();
            assertEquals(StoreOutcome.Status.DONE, large.status());
            assertTrue(ProcessHandle.of(node.pid()).orElseThrow().destroyForcibly());
            assertThrows(CompletionException.class, () -> client.regular(StoreClient.key(1), value)
                    .join());
        }
    }
}
