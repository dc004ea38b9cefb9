package org.amo.lab.blackbox.corba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import matrix.Everything;
import matrix.EverythingHelper;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.lab.blackbox.BankCluster;
import org.amo.lab.blackbox.MemberProcess;
import org.amo.lab.blackbox.Status;
import org.jacorb.orb.giop.BiDirConnectionInitializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE;
import org.omg.BiDirPolicy.BOTH;
import org.omg.BiDirPolicy.BidirectionalPolicyValueHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * A replicated front server of three members, in processes, that calls other servers by {@code --nested ordered}. It stands before a
 * plain server and before another group, of one member, in all tests, since each life of a member takes seconds; that group's server is
 * of a shape of its own.
 */
@Timeout(240)
class OrderedFrontServerTest {
    private static final String BIDIRECTIONAL =
            "org.omg.PortableInterceptor.ORBInitializerClass." + BiDirConnectionInitializer.class.getName();

    /** Of a load for each death: a quarter of them are made before a leader is killed. */
    private static final int CALLS = 40;

    private static final int FEW = 20;
    private static final int KILLS = Boolean.getBoolean("amo.allSeeds") ? 2 : 1;

    /** Arguments of calls; none is taken twice. */
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static ORB plain;
    private static Back back;
    private static BankCluster called;
    private static BankCluster cluster;

    private ORB client;

    /** A plain server that notes how often each call came; each has an argument of its own. */
    private static final class Back extends MatrixServant {
        private final Map<Integer, Integer> ran = new ConcurrentHashMap<>();
        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch go = new CountDownLatch(1);

        Back(ORB orb) {
            super(orb);
        }

        /** The call with a negative argument waits for the test. */
        @Override
        public int count(int by) {
            ran.merge(by, 1, Integer::sum);
            if (by < 0) {
                held.countDown();
                try {
                    go.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return by;
        }

        int ran(int by) {
            return ran.getOrDefault(by, 0);
        }

        int most() {
            return ran.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        }
    }

    /** The group before a plain server and before another group. */
    @BeforeAll
    static void startFront() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("OAIAddr", "127.0.0.1");
        plain = PlainOrb.create(properties);
        back = new Back(plain);
        POA root = POAHelper.narrow(plain.resolve_initial_references("RootPOA"));
        root.the_POAManager().activate();
        root.activate_object(back);
        called = BankCluster.start(
                BankCluster.Settings.bank("back").main(LateServer.class).one());
        cluster = BankCluster.start(BankCluster.Settings.bank("front")
                .main(FrontServer.class)
                .property(
                        FrontServer.BACK,
                        write("plain", plain.object_to_string(root.servant_to_reference(back)))
                                .toString())
                .property(FrontServer.OTHER, write("group", called.reference()).toString())
                .property("amo.nested", "ordered")
                .property(BIDIRECTIONAL, ""));
    }

    @AfterAll
    static void stopFront() {
        cluster.close();
        called.close();
        plain.shutdown(true);
    }

    @BeforeEach
    void start() {
        Properties ofClient = new Properties();
        ofClient.putAll(JacorbClientDefaults.properties());
        ofClient.setProperty("amo.deadlineMillis", "20000");
        ofClient.setProperty(BIDIRECTIONAL, "");
        ofClient.setProperty("OAIAddr", "127.0.0.1");
        client = PlainOrb.create(ofClient);
    }

    @AfterEach
    void stop() {
        client.shutdown(true);
    }

    private static Path write(String name, String reference) throws IOException {
        Path file = folder.resolve(name + ".ior");
        Files.write(file, reference.getBytes(StandardCharsets.US_ASCII));
        return file;
    }

    private Everything stub() {
        return EverythingHelper.unchecked_narrow(client.string_to_object(cluster.reference()));
    }

    /** Each of the leaders dies in the middle of all loads, and is back before the next one dies. */
    private static void killLeaders(List<Load> loads) throws Exception {
        Executor threads = task -> new Thread(task).start();
        for (int i = 0; i < KILLS; i++) {
            int enough = i * CALLS + CALLS / 4;
            List<CompletableFuture<Void>> running = loads.stream()
                    .map(load -> CompletableFuture.runAsync(load, threads))
                    .toList();
            cluster.awaitThat(
                    "the loads are under way",
                    () -> loads.stream().allMatch(load -> load.done.get() >= enough)
                            || running.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
            MemberProcess leader = cluster.leader();
            leader.kill();
            for (CompletableFuture<Void> each : running) {
                each.get(60, TimeUnit.SECONDS);
            }
            cluster.restart(leader);
        }
    }

    @Test
    void aPlainServerGetsEachCallOnce() {
        Everything front = stub();
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < FEW; i++) {
            int number = NUMBERS.incrementAndGet();
            assertEquals(number, front.count(number));
            asked.add(number);
        }
        cluster.awaitEqual();
        asked.forEach(number -> assertEquals(1, back.ran(number), "call " + number));
    }

    /** The member that sends it dies with the only connection. */
    @Test
    @Tag("slow")
    void aCallWhoseSenderDiesIsUnknownAtAllMembers() throws Exception {
        Everything front = stub();
        int before = NUMBERS.incrementAndGet();
        assertEquals(before, front.count(before));
        CompletableFuture<SystemException> call =
                CompletableFuture.supplyAsync(() -> assertThrows(SystemException.class, () -> front.count(-1)));
        assertTrue(back.held.await(30, TimeUnit.SECONDS));
        MemberProcess sender = cluster.leader();
        sender.kill();
        SystemException unknown = call.get(60, TimeUnit.SECONDS);
        back.go.countDown();
        assertEquals(TIMEOUT.class, unknown.getClass());
        assertEquals(MinorCodes.UNKNOWN, unknown.minor);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, unknown.completed);
        cluster.restart(sender);
        int after = NUMBERS.incrementAndGet();
        assertEquals(after, front.count(after));
        cluster.awaitEqual();
        assertEquals(1, back.most());
    }

    @Test
    void aServerWhoseMainReturnsAndWhoseObjectsShareAServant() {
        ORB orb = PlainOrb.create();
        Everything one = EverythingHelper.narrow(orb.string_to_object(called.reference()));
        int before = one.count(0);
        assertEquals(before + 3, one.count(3));
        assertEquals("one@late", one.whoAmI());
        called.awaitEqual();
        orb.shutdown(true);
    }

    @Test
    @Tag("slow")
    void aServerWhoseMainReturnsRunsItsLogAgain() {
        ORB orb = PlainOrb.create();
        Everything one = EverythingHelper.narrow(orb.string_to_object(called.reference()));
        int before = one.count(2);
        orb.shutdown(true);
        called.member(0).kill();
        called.restart(called.member(0));
        ORB again = PlainOrb.create();
        Everything same = EverythingHelper.narrow(again.string_to_object(called.reference()));
        assertEquals(before, same.count(0));
        again.shutdown(true);
    }

    /**
     * The same deaths for all callees: another group, a plain server, and the client itself, which the next leader asks over a connection
     * of its own if it has none of the client's.
     */
    @Test
    void whileMembersDieAGroupRunsEachCallOnceKeepsNoRepliesAndOthersRunItAtMostOnce() throws Exception {
        Everything front = stub();
        Everything counter = EverythingHelper.unchecked_narrow(client.string_to_object(called.reference()));
        int before = counter.count(0);
        assertKeepsNoReplies(front);
        Back listener = new Back(client);
        String reference = callbacks(listener);
        Load toGroup = new Load(call -> front.slow(1, 0));
        Load toPlain = new Load(stub()::count);
        Everything third = stub();
        Load toClient = new Load(call -> third.mix((byte) 0, call, reference, 0));
        killLeaders(List.of(toGroup, toPlain, toClient));
        cluster.awaitEqual();
        called.awaitEqual();
        System.out.println("back group: " + toGroup + "; plain back: " + toPlain + "; callbacks: " + toClient);
        assertEquals(Set.of(), cluster.executedMoreThanOnce());
        assertEquals(Set.of(), called.executedMoreThanOnce());

        assertEquals(KILLS * CALLS, toGroup.answered.size());
        assertEquals(before + FEW + KILLS * CALLS, counter.count(0));
        assertAtMostOnce(toPlain, back);
        assertAtMostOnce(toClient, listener);
    }

    /** And each call that was answered once. */
    private static void assertAtMostOnce(Load load, Back callee) {
        assertEquals(1, callee.most());
        for (int call : load.answered) {
            assertEquals(1, callee.ran(call), "call " + call);
        }
        assertTrue(load.answered.size() > KILLS * CALLS / 2, load::toString);
    }

    /** A group that is called no more forgets long before the deadline, which would free them, too. */
    private static void assertKeepsNoReplies(Everything front) {
        awaitNoReplies();
        List<Status> before = called.awaitEqual();
        for (int i = 0; i < FEW; i++) {
            assertEquals(1, front.slow(1, 0));
        }
        awaitNoReplies();
        List<Status> after = called.awaitEqual();
        for (int i = 0; i < after.size(); i++) {
            assertEquals(before.get(i).number("purgedByTimeout"), after.get(i).number("purgedByTimeout"));
            assertEquals(
                    before.get(i).number("purgedBySack") + FEW, after.get(i).number("purgedBySack"));
        }
    }

    private static void awaitNoReplies() {
        called.awaitThat("no reply is kept", () -> called.awaitEqual().stream()
                .allMatch(status -> status.number("entries") == 0));
    }

    @Test
    void aCallbackIntoTheClientRunsOnce() throws Exception {
        Back listener = new Back(client);
        String reference = callbacks(listener);
        Everything front = stub();
        for (int i = 1; i <= FEW; i++) {
            assertEquals(i, front.mix((byte) 0, i, reference, 0));
        }
        cluster.awaitEqual();
        assertEquals(FEW, listener.ran.size());
        assertEquals(1, listener.most());
    }

    /** Activates an object of the client for calls over the client's connections, and returns its reference. */
    private String callbacks(Back listener) throws UserException {
        Any both = client.create_any();
        BidirectionalPolicyValueHelper.insert(both, BOTH.value);
        POA root = POAHelper.narrow(client.resolve_initial_references("RootPOA"));
        POA poa = root.create_POA("callbacks", root.the_POAManager(), new Policy[] {
            root.create_lifespan_policy(LifespanPolicyValue.TRANSIENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.SYSTEM_ID),
            client.create_policy(BIDIRECTIONAL_POLICY_TYPE.value, both)
        });
        poa.activate_object(listener);
        root.the_POAManager().activate();
        return client.object_to_string(poa.servant_to_reference(listener));
    }

    /** Each run makes so many calls, one after another. */
    private static final class Load implements Runnable {
        private final IntConsumer front;
        private final AtomicInteger done = new AtomicInteger();
        private final List<Integer> answered = new ArrayList<>();
        private final List<String> failed = new ArrayList<>();

        /** @param front makes the call of a number */
        Load(IntConsumer front) {
            this.front = front;
        }

        @Override
        public void run() {
            for (int i = 0; i < CALLS; i++) {
                int call = NUMBERS.incrementAndGet();
                try {
                    front.accept(call);
                    answered.add(call);
                } catch (SystemException unknown) {
                    failed.add(call + " " + unknown);
                }
                done.incrementAndGet();
            }
        }

        @Override
        public String toString() {
            return answered.size() + " answered, failed " + failed;
        }
    }
}
