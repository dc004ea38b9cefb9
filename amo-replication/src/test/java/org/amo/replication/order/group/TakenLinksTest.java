package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.jgroups.Version;
import org.jgroups.protocols.TCP;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real channels with a secret; strangers that do not know it greet with the addresses of members. */
@Timeout(90)
final class TakenLinksTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final byte MESSAGE = 1;
    private static final int STRANGERS = 10;

    @TempDir
    private Path data = Path.of("unset");

    private final List<Member> members = FreePorts.members(2);
    private final List<GroupChannel> channels = new ArrayList<>();
    private final List<List<String>> received = new ArrayList<>();

    @AfterEach
    void close() {
        channels.forEach(GroupChannel::close);
    }

    @Test
    void aGreetingWithAMembersAddressAndNoFrameLeavesTheMembersConnectionOpen() throws IOException {
        String group = Groups.freshName();
        members.forEach(member -> join(group, member));
        exchange("before");
        // Connections that the members opened to each other at once, when they joined.
        List<Long> before = suspectEvents();
        for (int i = 0; i < STRANGERS; i++) {
            greet(members.get(0), members.get(1));
            greet(members.get(1), members.get(0));
        }
        assertEquals(before, suspectEvents(), "a connection between members ended");
        exchange("after");
    }

    private List<Long> suspectEvents() {
        return channels.stream()
                .map(channel -> channel.protocol(TCP.class).numSuspectEvents())
                .toList();
    }

    private void join(String group, Member self) {
        List<String> texts = new CopyOnWriteArrayList<>();
        GroupChannel channel = new GroupChannel(
                Groups.settings(
                        group,
                        self.id(),
                        members,
                        ReplicaSettings.Order.RAFT,
                        ReplicaSettings.Log.MEMORY,
                        data,
                        Optional.of("5e".repeat(32))),
                List.of(),
                new Texts(texts));
        received.add(texts);
        channels.add(channel);
        channel.connect(() -> {});
    }

    /** A message each way. */
    private void exchange(String text) {
        await().atMost(BOUND).until(() -> channels.stream()
                .allMatch(channel -> channel.reachable().size() == members.size()));
        for (int i = 0; i < channels.size(); i++) {
            String other = members.get(1 - i).id();
            assertTrue(channels.get(i).send(other, MESSAGE, new byte[0], text.getBytes(UTF_8)));
        }
        await().atMost(BOUND).until(() -> received.stream().allMatch(texts -> texts.contains(text)));
    }

    /** Greets one member with the address of the other one, sends no frame, and waits until the connection is closed. */
    private static void greet(Member at, Member claimed) throws IOException {
        InetAddress host = InetAddress.getByName(claimed.host());
        try (Socket stranger = new Socket(InetAddress.getByName(at.host()), at.orderPort())) {
            stranger.setSoTimeout((int) BOUND.toMillis());
            stranger.getOutputStream()
                    .write(ByteBuffer.allocate(15)
                            .put("bela".getBytes(US_ASCII))
                            .putShort(Version.version)
                            .putShort((short) 7)
                            .put((byte) 4)
                            .put(host.getAddress())
                            .putShort((short) claimed.orderPort())
                            .array());
            stranger.shutdownOutput();
            while (stranger.getInputStream().read() >= 0) {
                // JGroups says farewell with a few bytes, or sends what is for the member.
                assertTrue(stranger.isConnected());
            }
        } catch (SocketException e) {
            assertTrue(e.getMessage().contains("reset"), e.getMessage());
        }
    }

    private record Texts(List<String> texts) implements GroupChannel.Listener {
        @Override
        public void onMessage(String member, byte kind, byte[] bytes, int offset, int length) {
            texts.add(new String(bytes, offset, length, UTF_8));
        }

        @Override
        public void onView(List<String> members) {
            // The channel says which are reachable.
        }

        @Override
        public void onTwin() {
            texts.add("twin");
        }

        @Override
        public void onFatal(VirtualMachineError error) {
            texts.add(error.toString());
        }
    }
}
