package org.amo.replication.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each start that cannot work says so in one line that names the remedy. */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
final class StartFailuresTest {
    @TempDir
    private Path data = Path.of("unset");

    private final String group = Groups.freshName();
    private final List<OrderedLog> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(OrderedLog::close);
    }

    @Test
    void aPortInUseIsNamed() throws IOException {
        List<Member> members = FreePorts.members(3);
        int port = members.get(0).orderPort();
        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertTrue(taken.isBound());
            for (ReplicaSettings.Order order : ReplicaSettings.Order.values()) {
                OrderedLogException failure = fails(order, ReplicaSettings.Log.FSYNC, members, data);
                assertEquals(Fault.ENVIRONMENT, failure.fault());
                assertSays(failure, "port " + port + " is in use", "another port");
            }
        }
    }

    @Test
    void aMemberThatFailedToStartInMemoryMayTryAgain() throws IOException {
        List<Member> members = FreePorts.members(3);
        try (ServerSocket taken = new ServerSocket(members.get(0).orderPort(), 1, InetAddress.getLoopbackAddress())) {
            assertTrue(taken.isBound());
            fails(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.MEMORY, members, data);
        }
        Recorder recorder = new Recorder();
        open(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.MEMORY, members, data)
                .start(recorder);
        assertEquals("", recorder.leader());
    }

    @Test
    void aMemoryLogIsNotStartedTwice() {
        List<Member> members = FreePorts.members(3);
        OrderedLog first = open(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.MEMORY, members, data);
        first.start(new Recorder());
        first.close();
        for (ReplicaSettings.Log log : ReplicaSettings.Log.values()) {
            OrderedLogException failure = fails(ReplicaSettings.Order.RAFT, log, members, data);
            assertEquals(Fault.USER, failure.fault());
            assertSays(failure, "kept its log in memory", "another --data folder");
        }
    }

    @Test
    void aLogOnDiskIsNotIgnored() {
        List<Member> members = FreePorts.members(3);
        OrderedLog first = open(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, members, data);
        first.start(new Recorder());
        first.close();
        OrderedLogException failure = fails(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.MEMORY, members, data);
        assertEquals(Fault.USER, failure.fault());
        assertSays(failure, "has a log on disk", "--log fsync");
    }

    @Test
    void aSecondProcessWithTheSameFolderIsRefused() {
        open(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, FreePorts.members(3), data)
                .start(new Recorder());
        OrderedLogException failure =
                fails(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, FreePorts.members(3), data);
        assertEquals(Fault.ENVIRONMENT, failure.fault(), "a supervisor tries again when the other has ended");
        assertSays(failure, "already member 'a'", "has not ended yet", "another --id");
    }

    @Test
    void aHostOfAnotherMachineIsNamed() {
        List<Member> members =
                List.of(new Member("a", "192.0.2.1", 7801, 9801), new Member("b", "127.0.0.1", 7802, 9802));
        OrderedLogException failure = fails(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, members, data);
        assertEquals(Fault.USER, failure.fault());
        assertSays(failure, "192.0.2.1", "--members");
    }

    /** It may be known a moment later: a supervisor tries again. */
    @Test
    void aHostThatIsNotKnownYetIsAFaultOfTheEnvironment() {
        List<Member> members = List.of(new Member("a", "no-such-host.invalid", 7801, 9801));
        OrderedLogException failure = fails(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, members, data);
        assertEquals(Fault.ENVIRONMENT, failure.fault());
        assertSays(failure, "no-such-host.invalid", "is unknown", "--members");
    }

    @Test
    void aDataFolderThatCannotBeUsedIsNamed() throws IOException {
        Path file = Files.createFile(data.resolve("file"));
        OrderedLogException failure =
                fails(ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, FreePorts.members(3), file);
        assertEquals(Fault.ENVIRONMENT, failure.fault());
        assertSays(failure, file.toString(), "--data");
    }

    private OrderedLog open(ReplicaSettings.Order order, ReplicaSettings.Log log, List<Member> members, Path folder) {
        OrderedLog opened =
                OrderedLogs.open(Groups.settings(group, "a", members, order, log, folder, Optional.empty()));
        this.opened.add(opened);
        return opened;
    }

    private OrderedLogException fails(
            ReplicaSettings.Order order, ReplicaSettings.Log log, List<Member> members, Path folder) {
        return assertThrows(OrderedLogException.class, () -> open(order, log, members, folder)
                .start(new Recorder()));
    }

    private static void assertSays(OrderedLogException failure, String... parts) {
        String message = String.valueOf(failure.getMessage());
        assertFalse(message.contains("\n"), "one line: " + message);
        for (String part : parts) {
            assertTrue(message.contains(part), part + " in: " + message);
        }
    }
}
