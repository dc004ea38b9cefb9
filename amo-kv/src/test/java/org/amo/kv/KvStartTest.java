package org.amo.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.amo.core.order.OrderedLogException;
import org.amo.linearizable.rocksdb.Durability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A program may try again after a start that failed. */
@Timeout(60)
final class KvStartTest {
    private static final String HOST = "127.0.0.1";
    private static final KvAccess ACCESS = new KvAccess("a=127.0.0.1:1/2", Optional.empty());

    @TempDir
    private Path folder;

    @Test
    void aBackupWhosePortIsTakenLeavesItsDirectoryFree() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertThrows(OrderedLogException.class, () -> backup(port).close());
        }
        backup(0).close();
    }

    private KvBackup backup(int port) {
        KvBackup.Options options = new KvBackup.Options("b1", HOST, port, folder.resolve("b1"), Durability.FILE);
        return KvBackup.start(options, ACCESS, System.err::println);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aServerWhosePortIsTakenLeavesNoConnectionsOpen() throws IOException {
        long before = selectors();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            KvServer.Options options = KvServer.Options.builder("s1", folder.resolve("s1"))
                    .listen(HOST, taken.getLocalPort())
                    .build();
            assertThrows(OrderedLogException.class, () -> KvServer.start(options, ACCESS, System.err::println)
                    .close());
        }
        await().until(() -> selectors() <= before);
    }

    /** Each event loop has one, also before its thread runs. */
    private static long selectors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(KvStartTest::isSelector).count();
        }
    }

    private static boolean isSelector(Path open) {
        try {
            return Files.readSymbolicLink(open).toString().contains("eventpoll");
        } catch (IOException e) {
            // It was closed since.
            return false;
        }
    }
}
