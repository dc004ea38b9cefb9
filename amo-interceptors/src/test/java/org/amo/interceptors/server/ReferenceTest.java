package org.amo.interceptors.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import everything.Calls;
import everything.CallsHelper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.core.order.Member;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.ORB;

/** The bytes of a reference: the same at every member, one profile, all members in it. */
class ReferenceTest {

    @Test
    void byNumber() throws Exception {
        check("numbers", Server.members(3));
    }

    @Test
    void byName() throws Exception {
        check("names", Server.members(3).replace("127.0.0.1", "localhost"));
    }

    private static void check(String group, String members) throws Exception {
        List<String> references = new ArrayList<>();
        List<Server> servers = new ArrayList<>();
        List<Member> list = Member.parseList(members);
        for (Member member : list) {
            Server server = Server.start(group, member.id(), members);
            servers.add(server);
            references.add(server.activate(server.poa(server.root(), "calls"), "one", new CallsServant()));
        }
        assertEquals(references.get(0), references.get(1));
        assertEquals(references.get(0), references.get(2));
        Profile profile = onlyProfile(references.get(0));
        assertEquals(list.get(0).host() + ":" + list.get(0).clientPort(), profile.address());
        assertEquals("everything/calls/one", new String(profile.key(), StandardCharsets.US_ASCII));
        assertEquals(
                List.of(
                        list.get(1).host() + ":" + list.get(1).clientPort(),
                        list.get(2).host() + ":" + list.get(2).clientPort()),
                profile.alternates());
        assertEquals(1, profile.components().get(27).size());
        assertArrayEquals(
                HexFormat.of().parseHex("0001"), profile.components().get(28).get(0));

        // A client without amo follows the alternates once the first member is gone.
        ORB client = Server.client(Map.of("jacorb.connection.client.connect_timeout", "5000"));
        Calls calls = CallsHelper.narrow(client.string_to_object(references.get(0)));
        assertEquals(1, calls.count(1));
        String self = client.object_to_string(calls.myself());
        assertEquals(references.get(0), self);
        client.shutdown(true);
        servers.get(0).close();
        // JacORB's listener ends a little after the shutdown has returned, and still accepts meanwhile.
        await().atMost(Duration.ofSeconds(20)).until(() -> refuses(list.get(0)));
        // One that has no connection yet: JacORB tells the application of one that breaks.
        ORB second = Server.client(Map.of("jacorb.connection.client.connect_timeout", "5000"));
        Calls fresh = CallsHelper.narrow(second.string_to_object(references.get(0)));
        assertEquals(3, fresh.count(2));
        second.shutdown(true);
        servers.get(1).close();
        servers.get(2).close();
    }

    private static boolean refuses(Member member) throws IOException {
        try (Socket socket = new Socket(member.host(), member.clientPort())) {
            return !socket.isConnected();
        } catch (ConnectException e) {
            return true;
        }
    }

    private record Profile(String address, byte[] key, Map<Integer, List<byte[]>> components) {
        List<String> alternates() {
            return components.get(3).stream()
                    .map(data -> hostAndPort(ByteBuffer.wrap(data).position(1)))
                    .toList();
        }
    }

    private static Profile onlyProfile(String reference) {
        ByteBuffer in = ByteBuffer.wrap(HexFormat.of().parseHex(reference.substring("IOR:".length())));
        in.position(1);
        assertEquals("IDL:everything/Calls:1.0", text(in));
        align(in, 4);
        assertEquals(1, in.getInt());
        assertEquals(0, in.getInt());
        ByteBuffer profile = ByteBuffer.wrap(octets(in));
        profile.position(3);
        String address = hostAndPort(profile);
        align(profile, 4);
        byte[] key = octets(profile);
        Map<Integer, List<byte[]>> components = new TreeMap<>();
        align(profile, 4);
        for (int left = profile.getInt(); left > 0; left--) {
            align(profile, 4);
            int tag = profile.getInt();
            components.computeIfAbsent(tag, key2 -> new ArrayList<>()).add(octets(profile));
        }
        return new Profile(address, key, components);
    }

    private static String hostAndPort(ByteBuffer in) {
        String host = text(in);
        align(in, 2);
        return host + ":" + (in.getShort() & 0xFFFF);
    }

    private static String text(ByteBuffer in) {
        align(in, 4);
        byte[] bytes = octets(in);
        return new String(bytes, 0, bytes.length - 1, StandardCharsets.ISO_8859_1);
    }

    private static byte[] octets(ByteBuffer in) {
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return bytes;
    }

    private static void align(ByteBuffer in, int size) {
        in.position(in.position() + size - 1 & -size);
    }
}
