package org.amo.replication.order;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.jgroups.Version;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Strangers at the order port of members with 128 MB: they greet as members do, and know no secret. One group bears all tests. */
@Timeout(240)
final class OrderPortUnderAttackTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final Path ERRORS = Path.of("target/member-processes.log");
    private static final int CLAIMED = 1_000_000;

    @TempDir
    private static Path data = Path.of("unset");

    private static final List<MemberProcess> processes = new ArrayList<>();
    private static List<Member> members = List.of();
    private static long errorsBefore;

    private final List<Socket> strangers = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        errorsBefore = Files.exists(ERRORS) ? Files.size(ERRORS) : 0;
        members = FreePorts.members(3);
        for (Member member : members) {
            processes.add(new MemberProcess(
                    member.id(), members, "raft", "file", data.resolve(member.id()), "5e".repeat(32)));
        }
        await().atMost(BOUND).until(() -> processes.stream()
                .noneMatch(process -> process.leader().isEmpty()));
    }

    @AfterAll
    static void end() {
        processes.forEach(MemberProcess::close);
    }

    @AfterEach
    void leave() throws IOException {
        for (Socket stranger : strangers) {
            stranger.close();
        }
    }

    @Test
    void framesThatClaimAMegabyteTakeNoMemory() throws Exception {
        for (int i = 0; i < 240; i++) {
            for (Member member : members) {
                Socket stranger = greeted(member);
                send(stranger, ByteBuffer.allocate(4).putInt(CLAIMED).array());
                send(stranger, new byte[500_000]);
            }
        }
        theGroupGoesOn();
    }

    @Test
    void anUnprovedConnectionIsClosedInTime() throws Exception {
        Socket silent = greeted(members.get(0));
        Socket claiming = greeted(members.get(0));
        send(claiming, ByteBuffer.allocate(4).putInt(60_000).array());
        send(claiming, new byte[100]);
        for (Socket each : List.of(silent, claiming)) {
            each.setSoTimeout(40_000);
            while (each.getInputStream().read() >= 0) {
                // JGroups says farewell with a few bytes.
                assertFalse(each.isClosed());
            }
        }
        theGroupGoesOn();
    }

    private void theGroupGoesOn() throws IOException {
        long before = processes.stream().mapToLong(this::position).max().orElseThrow();
        processes.forEach(process -> process.say("flow 500"));
        await().atMost(BOUND).until(() -> processes.stream().allMatch(process -> position(process) > before + 50));
        byte[] all = Files.exists(ERRORS) ? Files.readAllBytes(ERRORS) : new byte[0];
        String errors = new String(all, (int) errorsBefore, all.length - (int) errorsBefore, StandardCharsets.UTF_8);
        assertFalse(errors.contains("OutOfMemory"), errors);
        assertEquals(3, processes.stream().filter(MemberProcess::isAlive).count());
    }

    private long position(MemberProcess process) {
        long answers = answers(process);
        process.say("where");
        await().atMost(BOUND).pollInterval(Duration.ofMillis(5)).until(() -> answers(process) > answers);
        return Long.parseLong(process.last("at ").split(" ", -1)[0]);
    }

    private static long answers(MemberProcess process) {
        return process.lines().stream().filter(line -> line.startsWith("at ")).count();
    }

    /** A connection that has said whose it is, as JGroups' own do: cookie, version, length of the address, address. */
    private Socket greeted(Member member) throws IOException {
        InetAddress host = InetAddress.getByName(member.host());
        Socket socket = new Socket(host, member.orderPort());
        strangers.add(socket);
        ByteBuffer greeting = ByteBuffer.allocate(15);
        greeting.put("bela".getBytes(StandardCharsets.US_ASCII))
                .putShort(Version.version)
                .putShort((short) 7)
                .put((byte) 4)
                .put(host.getAddress())
                .putShort((short) socket.getLocalPort());
        send(socket, greeting.array());
        return socket;
    }

    private static void send(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            // The member has hung up, as it should.
            assertTrue(e.toString() != null);
        }
    }
}
