package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoClient.Transport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** Calls without a connection to three members in one JVM, over networks that misbehave. Member c has no UDP port. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
final class FirstCallsTest {
    private static final String SECRET = "0123456789abcdef".repeat(4);

    private final List<Member> members = FreePorts.members(3);
    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();

    /** At each member, how often each request ran. */
    private final Map<String, Map<String, AtomicLong>> ran = new ConcurrentHashMap<>();

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (Member each : members) {
            starting.add(CompletableFuture.supplyAsync(() -> startOne(each.id(), data)));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            AmoReplica replica = each.get(30, TimeUnit.SECONDS);
            replicas.put(replica.id(), replica);
        }
        try (AmoClient client = client(Transport.TCP, Member.format(members)).build()) {
            call(client, "begin");
        }
        // A new group refuses timestamps up to its first one and the skew, which a client without a connection has not
        // heard of.
        await().until(() -> replicas.values().stream()
                .allMatch(replica -> replica.status().upperMillis() < System.currentTimeMillis()));
    }

    private AmoReplica startOne(String id, Path data) {
        Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
        ran.put(id, counts);
        AmoReplica.Builder builder = AmoReplica.builder("count")
                .id(id)
                .members(Member.format(members))
                .data(data)
                .log(ReplicaSettings.Log.MEMORY)
                .secret(SECRET)
                .withoutSnapshots()
                .handler((request, context) -> run(counts, new String(request, UTF_8)));
        return (id.equals("c") ? builder : builder.udp()).start();
    }

    private static byte[] run(Map<String, AtomicLong> counts, String request) {
        counts.computeIfAbsent(request, absent -> new AtomicLong()).incrementAndGet();
        return request.startsWith("large") ? new byte[5_000] : ("did " + request).getBytes(UTF_8);
    }

    @AfterAll
    void close() {
        replicas.values().forEach(AmoReplica::close);
    }

    private AmoClient.Builder client(Transport transport, String list) {
        return AmoClient.builder("count")
                .members(list)
                .secret(SECRET)
                .transport(transport)
                .deadline(Duration.ofSeconds(20));
    }

    private static String call(AmoClient client, String request) {
        return new String(client.call(request.getBytes(UTF_8)), UTF_8);
    }

    private long taken() {
        return counted("TAKEN");
    }

    private long counted(String outcome) {
        return replicas.values().stream()
                .mapToLong(replica -> replica.datagramCounts().getOrDefault(outcome, 0L))
                .sum();
    }

    private void assertRanOnce(String request) {
        await().untilAsserted(() -> ran.forEach((member, counts) ->
                assertEquals(1, counts.getOrDefault(request, new AtomicLong()).get(), request + " at " + member)));
    }

    /** Member a alone, its client port that of the proxy, where no process takes TCP connections. */
    private String behind(DatagramProxy proxy) {
        Member a = members.get(0);
        return Member.format(List.of(new Member("a", a.host(), a.orderPort(), proxy.port())));
    }

    private DatagramProxy proxy() throws Exception {
        return new DatagramProxy(members.get(0).clientPort());
    }

    @Test
    void aFirstCallNeedsNoConnectionAndItsAcknowledgementNeither() throws Exception {
        try (DatagramProxy proxy = proxy();
                AmoClient client = client(Transport.AUTO, behind(proxy)).build()) {
            assertEquals("did first", call(client, "first"));
            // The call, and a second later its acknowledgement; or a call that left twice on a busy machine.
            await().until(() -> proxy.recorded.size() >= 2);
            assertRanOnce("first");
        }
    }

    @Test
    void anAcknowledgementByDatagramFreesTheReplyAtEachMember() throws Exception {
        try (DatagramProxy proxy = proxy();
                AmoClient client = client(Transport.UDP, behind(proxy)).build()) {
            assertEquals("did freed", call(client, "freed"));
            Map<String, Long> freed = new HashMap<>();
            replicas.forEach((id, replica) -> freed.put(id, replica.status().purgedBySack()));
            // The client makes no other call, which would tell it, too.
            await().until(() -> replicas.entrySet().stream()
                    .allMatch(each -> each.getValue().status().purgedBySack() > freed.get(each.getKey())));
        }
    }

    @Test
    void everyFirstCallEndsWithItsReplyAtMembersWithAndWithoutUdp() {
        for (int each = 0; each < 12; each++) {
            try (AmoClient client =
                    client(Transport.AUTO, Member.format(members)).build()) {
                assertEquals("did auto" + each, call(client, "auto" + each));
                assertEquals("did then" + each, call(client, "then" + each));
                assertEquals("did last" + each, call(client, "last" + each));
            }
        }
        for (int each = 0; each < 12; each++) {
            assertRanOnce("auto" + each);
            assertRanOnce("then" + each);
            assertRanOnce("last" + each);
        }
        assertTrue(taken() > 0, "datagrams were used");
    }

    /** A client begins at any of the members, here mostly at one that is down. */
    @Test
    void aMemberThatIsDownCostsNoFirstCall() {
        List<Integer> free = FreePorts.find(6);
        List<Member> list = new ArrayList<>(List.of(members.get(0)));
        for (int down = 0; down < 3; down++) {
            list.add(new Member("down" + down, "127.0.0.1", free.get(2 * down), free.get(2 * down + 1)));
        }
        for (int each = 0; each < 8; each++) {
            try (AmoClient client = client(Transport.AUTO, Member.format(list)).build()) {
                assertEquals("did passed" + each, call(client, "passed" + each));
            }
            assertRanOnce("passed" + each);
        }
    }

    @Test
    void whereDatagramsVanishTheSecondAttemptGoesByTcpUnderTheSameNumber() throws Exception {
        // The UDP port of c belongs to a process that answers nothing, as behind a firewall.
        Member c = members.get(2);
        List<String> sentAs = new ArrayList<>();
        try (DatagramSocket silent =
                        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), c.clientPort()));
                AmoClient client = client(Transport.AUTO, Member.format(List.of(c)))
                        .onSend(sentAs::add)
                        .build()) {
            assertEquals("did blocked", call(client, "blocked"));
            DatagramPacket first = new DatagramPacket(new byte[2_000], 2_000);
            silent.receive(first);
            assertTrue(first.getLength() >= 400, "padded: " + first.getLength());
        }
        assertRanOnce("blocked");
        assertTrue(sentAs.size() > 1 && sentAs.stream().distinct().count() == 1, sentAs.toString());
    }

    @Test
    void anOnlyCallIsADatagramAndItsAcknowledgementAnother() throws Exception {
        try (DatagramProxy proxy = proxy()) {
            Map<String, Long> freed = new HashMap<>();
            replicas.forEach((id, replica) -> freed.put(id, replica.status().purgedBySack()));
            assertEquals("did only", callOnce(client(Transport.AUTO, behind(proxy)), "only"));
            await().until(() -> replicas.entrySet().stream()
                    .allMatch(each -> each.getValue().status().purgedBySack() > freed.get(each.getKey())));
            assertTrue(proxy.recorded.size() >= 2);
        }
        assertRanOnce("only");
    }

    private static String callOnce(AmoClient.Builder client, String request) {
        return new String(client.callOnce(request.getBytes(UTF_8)), UTF_8);
    }

    @Test
    void anOnlyCallWhoseAnswerIsLostGetsItsReplyOverAConnection() throws Exception {
        int made = 0;
        try (DatagramProxy proxy = proxy()) {
            proxy.network = datagrams -> datagrams.get(0)[5] == CallDatagrams.ANSWER ? List.of() : datagrams;
            Member b = members.get(1);
            String list = behind(proxy) + "," + Member.format(List.of(b));
            // A client begins at one of the two by chance.
            while (proxy.recorded.isEmpty()) {
                assertEquals("did unheard" + made, callOnce(client(Transport.AUTO, list), "unheard" + made));
                made++;
            }
        }
        assertRanOnce("unheard" + (made - 1));
    }

    @Test
    void anOnlyCallWithAReplyThatDoesNotFitRunsOnce() {
        String list = Member.format(members.subList(0, 2));
        assertEquals(5_000, client(Transport.AUTO, list).callOnce("large only".getBytes(UTF_8)).length);
        assertRanOnce("large only");
    }

    /** Its datagram may have arrived. */
    @Test
    void anOnlyCallIsUnknownIfNoMemberAnswersAndNoneCanBeReached() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Member a = members.get(0);
            String list = Member.format(List.of(new Member("a", a.host(), a.orderPort(), silent.getLocalPort())));
            AmoClient.Builder client = client(Transport.AUTO, list).deadline(Duration.ofMillis(900));
            assertThrows(AmoUnknownException.class, () -> callOnce(client, "vanished"));
        }
    }

    @Test
    void aReplyThatDoesNotFitComesOverTcpAndTheCallRunsOnce() {
        try (AmoClient client =
                client(Transport.UDP, Member.format(members.subList(0, 2))).build()) {
            assertEquals(5_000, client.call("large reply".getBytes(UTF_8)).length);
            byte[] request = "x".repeat(3_000).getBytes(UTF_8);
            assertEquals(3_004, client.call(request).length);
        }
        assertRanOnce("large reply");
    }

    @Test
    void overANetworkThatLosesRepeatsAndChangesDatagramsEveryCallRunsOnceAndNoneIsUnknown() throws Exception {
        Random random = new Random(127);
        List<byte[]> late = new ArrayList<>();
        try (DatagramProxy proxy = proxy()) {
            proxy.network = datagrams -> {
                synchronized (random) {
                    byte[] datagram = datagrams.get(0);
                    List<byte[]> arriving = new ArrayList<>();
                    if (random.nextInt(100) >= 20) {
                        arriving.add(datagram);
                    }
                    if (random.nextInt(100) < 20) {
                        arriving.add(datagram);
                    }
                    if (random.nextInt(100) < 10) {
                        byte[] changed = datagram.clone();
                        changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
                        arriving.add(changed);
                    }
                    if (random.nextInt(100) < 10) {
                        late.add(datagram);
                    }
                    if (late.size() > 5) {
                        arriving.add(late.remove(0));
                    }
                    return arriving;
                }
            };
            for (int each = 0; each < 10; each++) {
                try (AmoClient client = client(Transport.UDP, behind(proxy)).build()) {
                    assertEquals("did lossy" + each, call(client, "lossy" + each));
                    assertEquals("did again" + each, call(client, "again" + each));
                }
            }
            for (int each = 0; each < 10; each++) {
                assertRanOnce("lossy" + each);
                assertRanOnce("again" + each);
            }
            assertTrue(
                    counted("FORGED") + counted("MALFORMED") + counted("UNSEALED") + counted("VERSION") > 0,
                    "changed ones came");
            assertTrue(counted("REPEATED") > 0, "repeated ones came");

            // Everything once more, from an address of another party.
            proxy.network = datagrams -> datagrams;
            Map<String, Long> before = executions();
            List<byte[]> recorded = List.copyOf(proxy.recorded);
            long answeredBytes = 0;
            try (DatagramSocket spoofed = new DatagramSocket()) {
                for (byte[] each : recorded) {
                    spoofed.send(new DatagramPacket(
                            each,
                            each.length,
                            InetAddress.getLoopbackAddress(),
                            members.get(1).clientPort()));
                }
                spoofed.setSoTimeout(1_000);
                answeredBytes = drain(spoofed);
            }
            assertTrue(
                    answeredBytes
                            <= 3
                                    * recorded.stream()
                                            .mapToLong(each -> each.length)
                                            .sum(),
                    "bytes " + answeredBytes);
            assertEquals(before, executions());
        }
    }

    private static long drain(DatagramSocket socket) throws Exception {
        long bytes = 0;
        DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
        while (true) {
            try {
                packet.setLength(2_000);
                socket.receive(packet);
                bytes += packet.getLength();
            } catch (SocketTimeoutException e) {
                return bytes;
            }
        }
    }

    private Map<String, Long> executions() {
        Map<String, Long> all = new HashMap<>();
        ran.forEach(
                (member, counts) -> counts.forEach((request, count) -> all.put(member + " " + request, count.get())));
        return all;
    }

    @Test
    void aClientWithAnotherSecretGetsNoAnswerAndItsCallEndsUnknown() {
        long before = counted("FORGED");
        try (AmoClient stranger = AmoClient.builder("count")
                .members(Member.format(members.subList(0, 1)))
                .secret("fedcba9876543210".repeat(4))
                .transport(Transport.UDP)
                .deadline(Duration.ofMillis(300))
                .build()) {
            assertThrows(AmoUnknownException.class, () -> call(stranger, "strange"));
        }
        assertTrue(counted("FORGED") > before);
        assertEquals(0, ran.get("a").getOrDefault("strange", new AtomicLong()).get());
    }

    /** Another implementation, of the pages alone: three copies of one attempt get one reply. */
    @Test
    void aClientInPythonCallsTheGroupAsThePagesSay() throws Exception {
        Path script = Path.of(FirstCallsTest.class.getResource("first_call.py").toURI());
        List<String> words = new ArrayList<>(
                List.of("python3", script.toString(), members.get(0).host()));
        words.addAll(List.of(Integer.toString(members.get(0).clientPort()), "count", SECRET, "from python", "3"));
        Process python;
        try {
            python = new ProcessBuilder(words).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new TestAbortedException("python3 is not installed: no other implementation calls", e);
        }
        assertTrue(python.waitFor(30, TimeUnit.SECONDS));
        String said = new String(python.getInputStream().readAllBytes(), UTF_8);
        assertEquals("REPLY did from python\n".repeat(3), said);
        assertRanOnce("from python");
    }

    @Test
    void hostileDatagramsOfEveryLengthAreCountedAndDropped() throws Exception {
        long lengths = counted("LENGTH");
        long versions = counted("VERSION");
        Random random = new Random(1);
        InetAddress host = InetAddress.getLoopbackAddress();
        int port = members.get(0).clientPort();
        try (DatagramSocket hostile = new DatagramSocket()) {
            // Random bytes are of another protocol. On a busy machine some datagrams are lost before they arrive.
            await().until(() -> {
                for (int length = 0; length < 1_400; length++) {
                    byte[] bytes = new byte[length];
                    random.nextBytes(bytes);
                    hostile.send(new DatagramPacket(bytes, length, host, port));
                }
                hostile.send(new DatagramPacket(new byte[65_507], 65_507, host, port));
                return counted("VERSION") > versions + 500 && counted("LENGTH") > lengths + 100;
            });
        }
        await().untilAsserted(() -> assertEquals(
                replicas.get("a").datagramCounts(), replicas.get("a").status().datagrams(), "the status counts them"));
        try (AmoClient client =
                client(Transport.UDP, Member.format(members.subList(0, 1))).build()) {
            assertEquals("did honest", call(client, "honest"));
        }
    }
}
