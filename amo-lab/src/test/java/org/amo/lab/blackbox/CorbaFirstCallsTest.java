package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.examples.bank.BankClient;
import org.amo.examples.bank.idl.Bank;
import org.jacorb.orb.ParsedIOR;
import org.jacorb.orb.iiop.IIOPAddress;
import org.jacorb.orb.iiop.IIOPProfile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.ORB;
import org.omg.IOP.IOR;
import org.omg.IOP.TAG_ALTERNATE_IIOP_ADDRESS;
import org.omg.IOP.TaggedComponent;
import org.omg.IOP.TaggedProfile;
import org.omg.IOP.TaggedProfileHolder;

/** First calls of wrapped clients by datagram, to three members of the unmodified bank. */
@Timeout(120)
final class CorbaFirstCallsTest {
    private static final String SECRET = "0123456789abcdef".repeat(4);

    @TempDir
    static Path folder;

    private static Path secretFile;
    private static BankCluster bank;

    @BeforeAll
    static void start() throws Exception {
        secretFile = Files.writeString(folder.resolve("secret"), SECRET);
        bank = BankCluster.start(BankCluster.Settings.bank("firstcalls")
                .property("amo.secretFile", secretFile.toString())
                .property("amo.udp", "true")
                .property("amo.skewMillis", "500"));
        try (Orb orb = Orb.client()) {
            deposit(orb.bank(bank.reference()), "begin", 1);
        }
        // A new group refuses timestamps up to its first one and the skew, which a client without a connection has not
        // heard of.
        bank.awaitThat("the bound of the start is past", () -> bank.numbers("upperMillis").stream()
                .allMatch(upper -> upper < System.currentTimeMillis()));
    }

    @AfterAll
    static void stop() {
        bank.close();
    }

    @AfterEach
    void allMembersAgreeAndNothingRanTwice() {
        bank.launchKilled();
        bank.awaitEqual();
        assertEquals(Set.of(), bank.executedMoreThanOnce());
    }

    private static ClientWrap wrap(Path secret) {
        return new ClientWrap(
                List.of(), Optional.of(20_000L), true, Optional.empty(), Optional.empty(), Optional.of(secret));
    }

    private static Orb client() {
        return Orb.of(wrap(secretFile), Map.of());
    }

    private static long deposit(Bank to, String account, long amount) {
        try {
            return to.deposit(account, amount);
        } catch (org.amo.examples.bank.idl.BadAmount e) {
            throw new AssertionError(e);
        }
    }

    private static long counted(String outcome) {
        return bank.up().stream()
                .mapToLong(member ->
                        member.status().json().path("datagrams").path(outcome).asLong())
                .sum();
    }

    private static JavaCommandLine program(String reference, String... arguments) {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(List.of("-cp", BankCluster.location(BankClient.class), BankClient.class.getName(), reference));
        words.addAll(List.of(arguments));
        return JavaCommandLine.parse(words, Optional.empty());
    }

    @Test
    void theFirstCallOfAWrappedProgramIsADatagramAndSoIsItsAcknowledgement() {
        long before = counted("TAKEN");
        ProgramRun once = ProgramRun.of(wrap(secretFile)
                .apply(program(bank.reference(), "deposit", "one", "5"))
                .words());
        assertEquals(0, once.exitCode(), once.err());
        assertEquals("5", once.out().strip());
        bank.awaitThat("the call and its acknowledgement came", () -> counted("TAKEN") >= before + 2);
        bank.awaitEverywhere("entries", 0);

        ProgramRun more = ProgramRun.of(wrap(secretFile)
                .apply(program(bank.reference(), "deposit", "one", "5", "3"))
                .words());
        assertEquals(List.of("10", "15", "20"), more.out().lines().toList(), more.err());
    }

    /** It has ordered and executed the call, and dies before its answer arrives. */
    @Test
    void aMemberThatIsKilledBeforeItsReplyArrivesCostsNothingAndTheCallRanOnce() throws Exception {
        MemberProcess killed = bank.follower();
        MemberProcess leader = bank.leader();
        MemberProcess next = bank.processes().stream()
                .filter(member -> member != killed && member != leader)
                .findFirst()
                .orElseThrow();
        int before = killed.executed().size();
        try (FirstCallProxy proxy = new FirstCallProxy(killed.member().clientPort(), true)) {
            String reference = through(proxy.port(), next.member().clientPort());
            // It answers the retry only when the first member is dead.
            next.pause();
            CompletableFuture<ProgramRun> run;
            try {
                List<String> words = wrap(secretFile)
                        .apply(program(reference, "deposit", "killed", "5")
                                .with(List.of(), Map.of("amo.firstMember", "0")))
                        .words();
                run = CompletableFuture.supplyAsync(() -> ProgramRun.of(words));
                bank.awaitThat(
                        "it has executed the call", () -> killed.executed().size() > before);
                killed.kill();
            } finally {
                next.resume();
            }
            ProgramRun ended = run.get(40, TimeUnit.SECONDS);
            assertEquals(0, ended.exitCode(), ended.err());
            assertEquals("5", ended.out().strip());
            assertNotNull(proxy.recorded.peek(), "the call came as a datagram");
        }
        try (Orb orb = client()) {
            assertEquals(6, deposit(orb.bank(bank.reference()), "killed", 1));
        }
    }

    @Test
    void callsAndRepliesThatDoNotFitGoOverIiopAndRunOnce() {
        long before = counted("TAKEN");
        String large = "x".repeat(1_500);
        try (Orb orb = client()) {
            assertEquals(3, deposit(orb.bank(bank.reference()), large, 3));
            assertEquals(before, counted("TAKEN"), "the request did not fit");
        }
        try (Orb orb = client()) {
            // The account with the long name is in it.
            Bank one = orb.bank(bank.reference());
            assertTrue(one.balances().length >= 2);
            assertTrue(counted("TAKEN") > before, "the request came as a datagram");
            assertEquals(7, deposit(one, large, 4));
        }
    }

    @Test
    void aClientWithAnotherSecretCallsOverIiop() throws Exception {
        Path other = Files.writeString(folder.resolve("other"), "fedcba9876543210".repeat(4));
        long before = counted("FORGED");
        try (Orb orb = Orb.of(wrap(other), Map.of())) {
            assertEquals(2, deposit(orb.bank(bank.reference()), "stranger", 2));
        }
        assertTrue(counted("FORGED") > before);
    }

    @Test
    void aCopyOfADatagramRunsNothingAtAnyMember() throws Exception {
        MemberProcess member = bank.leader();
        try (FirstCallProxy proxy = new FirstCallProxy(member.member().clientPort(), false)) {
            String reference = through(proxy.port(), member.member().clientPort());
            try (Orb orb = Orb.of(wrap(secretFile), Map.of("amo.firstMember", "0"))) {
                assertEquals(4, deposit(orb.bank(reference), "copied", 4));
            }
            bank.awaitEqual();
            long taken = counted("TAKEN");
            long repeated = counted("REPEATED");
            List<Long> executed = bank.numbers("executed");
            byte[] call = proxy.recorded.remove();
            // From another address, and a second time at each of them.
            try (DatagramSocket other = new DatagramSocket()) {
                for (MemberProcess each : bank.processes()) {
                    for (int copy = 0; copy < 2; copy++) {
                        other.send(new DatagramPacket(
                                call,
                                call.length,
                                InetAddress.getLoopbackAddress(),
                                each.member().clientPort()));
                    }
                }
                bank.awaitThat(
                        "two members have handed it to the replica, and all have told the second copy",
                        () -> counted("TAKEN") >= taken + 2 && counted("REPEATED") >= repeated + 4);
            }
            bank.awaitEqual();
            assertEquals(executed, bank.numbers("executed"));
        }
        try (Orb orb = client()) {
            assertEquals(5, deposit(orb.bank(bank.reference()), "copied", 1));
        }
    }

    /** The bank's reference with other addresses. */
    private static String through(int first, int second) throws Exception {
        org.jacorb.orb.ORB orb = (org.jacorb.orb.ORB) ORB.init(new String[0], new java.util.Properties());
        try {
            ParsedIOR published = new ParsedIOR(orb, bank.reference());
            IIOPProfile whole = (IIOPProfile) published.getEffectiveProfile();
            IIOPAddress address = new IIOPAddress("127.0.0.1", first);
            address.configure(orb.getConfiguration());
            IIOPProfile changed = new IIOPProfile(address, whole.get_object_key(), whole.version().minor);
            for (TaggedComponent component : whole.getComponents().asArray()) {
                if (component.tag != TAG_ALTERNATE_IIOP_ADDRESS.value) {
                    changed.getComponents().addComponent(component);
                }
            }
            changed.getComponents()
                    .addComponent(new TaggedComponent(TAG_ALTERNATE_IIOP_ADDRESS.value, alternate(second)));
            TaggedProfileHolder marshalled = new TaggedProfileHolder();
            changed.marshal(marshalled, null);
            return new ParsedIOR(orb, new IOR(published.getTypeId(), new TaggedProfile[] {marshalled.value}))
                    .getIORString();
        } finally {
            orb.shutdown(true);
        }
    }

    /** An encapsulation of a string and an unsigned short. */
    private static byte[] alternate(int port) {
        byte[] host = "127.0.0.1\0".getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(20)
                .putInt(0)
                .putInt(host.length)
                .put(host)
                .putShort((short) port)
                .array();
    }
}
