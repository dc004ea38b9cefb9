package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Datagrams that were recorded before all members of a group, here its only one, started again. */
@Timeout(60)
final class RecordedDatagramsTest {
    private static final String SECRET = "0123456789abcdef".repeat(4);

    @TempDir
    private Path data = Path.of("unset");

    private final List<Member> members = FreePorts.members(1);

    private AmoReplica start(ReplicaSettings.Log log, String life, AtomicLong executed) {
        AmoReplica replica = AmoReplica.builder("count")
                .id(members.get(0).id())
                .members(Member.format(members))
                .data(data.resolve(life))
                .log(log)
                .secret(SECRET)
                .withoutSnapshots()
                .handler((request, context) ->
                        Long.toString(executed.incrementAndGet()).getBytes(UTF_8))
                .udp()
                .start();
        // A new group refuses timestamps up to its first one and the skew.
        await().until(() -> replica.status().orderedTimeMillis() > 0
                && replica.status().upperMillis() < System.currentTimeMillis());
        return replica;
    }

    /** One call, made by a datagram. */
    private byte[] recordedCall() throws Exception {
        Member member = members.get(0);
        try (DatagramProxy proxy = new DatagramProxy(member.clientPort());
                AmoClient client = AmoClient.builder("count")
                        .members(Member.format(
                                List.of(new Member(member.id(), member.host(), member.orderPort(), proxy.port()))))
                        .secret(SECRET)
                        .transport(AmoClient.Transport.UDP)
                        .deadline(Duration.ofSeconds(20))
                        .build()) {
            assertEquals("1", new String(client.call(new byte[] {1}), UTF_8));
            return proxy.recorded.element();
        }
    }

    /** Sends it to the member, and returns the length of its answer. */
    private int answered(byte[] recording) throws Exception {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(10_000);
            socket.send(new DatagramPacket(
                    recording,
                    recording.length,
                    InetAddress.getLoopbackAddress(),
                    members.get(0).clientPort()));
            DatagramPacket answer = new DatagramPacket(new byte[2_000], 2_000);
            socket.receive(answer);
            return answer.getLength();
        }
    }

    @Test
    void aRecordingOfBeforeARestartOfTheGroupDoesNotRunAgain() throws Exception {
        byte[] recording;
        try (AmoReplica first = start(ReplicaSettings.Log.FILE, "one", new AtomicLong())) {
            recording = recordedCall();
            assertEquals(1, first.status().executed());
        }
        AtomicLong executed = new AtomicLong();
        try (AmoReplica second = start(ReplicaSettings.Log.FILE, "one", executed)) {
            await().until(() -> executed.get() == 1); // from the log
            assertTrue(answered(recording) > 0);
            assertEquals(
                    1, second.datagramCounts().get("TAKEN"), "no filter of repeated datagrams stood before the table");
            assertEquals(1, executed.get(), "it ran again");
        }
    }

    /** Its entries are gone with the processes, and the group starts anew under its name: it cannot know what ran. */
    @Test
    void aGroupWithoutALogRefusesWhatItsEarlierLifeMayHaveRun() throws Exception {
        byte[] recording;
        try (AmoReplica first = start(ReplicaSettings.Log.MEMORY, "one", new AtomicLong())) {
            recording = recordedCall();
            assertEquals(1, first.status().executed());
        }
        AtomicLong executed = new AtomicLong();
        try (AmoReplica second = start(ReplicaSettings.Log.MEMORY, "two", executed)) {
            assertTrue(answered(recording) > 0);
            assertEquals(1, second.datagramCounts().get("TAKEN"), "the replica decided");
            assertEquals(0, executed.get(), "it ran again");
        }
    }
}
