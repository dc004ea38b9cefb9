package org.amo.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.kv.KvRequest.Kind;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.Authority;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.ObjectKey;
import org.amo.linearizable.rocksdb.Operation.Change;
import org.amo.linearizable.rocksdb.StoreOptions;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rocksdb.StoreOutcome.Status;
import org.amo.linearizable.rocksdb.StoredObject;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvServiceTest {
    private static final ClusterTime NOW = new ClusterTime(1);
    private static final ClusterTime EXPIRES = new ClusterTime(1_000);
    private static final RpcHeader HEADER = new RpcHeader(new RpcId(new LeaseId(300), 1), 0, EXPIRES, NOW);

    private final AtomicInteger ran = new AtomicInteger();
    private final KvService service = new KvService(new NamedOperations(Map.of(
            "swap",
                    (argument, object) -> {
                        ran.incrementAndGet();
                        return Change.put(
                                argument, object.map(StoredObject::value).orElse(new byte[0]));
                    },
            "refuse",
                    (argument, object) -> {
                        throw new IllegalStateException("planted");
                    },
            "assert",
                    (argument, object) -> {
                        throw new AssertionError("planted");
                    },
            "remove", (argument, object) -> Change.delete(argument),
            "swell", (argument, object) -> Change.put(new byte[KvRequest.MAX_VALUE + 1], argument),
            "longest", (argument, object) -> Change.keep(new byte[NamedOperations.MAX_ANSWER]),
            "tooLong", (argument, object) -> Change.keep(new byte[NamedOperations.MAX_ANSWER + 1]))));

    private static final class LiveLeases implements Authority {
        @Override
        public CompletableFuture<LeaseAnswer> check(LeaseId client) {
            return CompletableFuture.completedFuture(new LeaseAnswer(LeaseAnswer.Status.LIVE, client, EXPIRES, NOW));
        }

        @Override
        public CompletableFuture<ClusterTime> time() {
            return CompletableFuture.completedFuture(NOW);
        }
    }

    private Status answer(byte[] body) throws Exception {
        return outcome(body).status();
    }

    private StoreOutcome outcome(byte[] body) throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        service.submit(
                new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, body),
                FinishedNumbers.NONE,
                answer::complete);
        return KvReply.decode(answer.get(20, TimeUnit.SECONDS).reply());
    }

    /** The port counts what a request takes until it is answered. */
    @Test
    void whatIsNoRequestIsAnsweredAsWell() throws Exception {
        assertEquals(Status.MISUSED, answer(new byte[] {99, 1, 2, 3}));
    }

    /** Such as copies of one machine: none takes the other's result for its own. */
    @Test
    void twoClientsWithOneLeaseAreToldApart(@TempDir Path folder) throws Exception {
        try (LinearizableStore store = open(folder)) {
            byte[] one = request(Kind.WRITE, "one", 0);
            assertEquals(Status.DONE, answer(one));
            assertEquals(Status.MISUSED, answer(request(Kind.WRITE, "other", 0)));
            assertEquals(Status.MISUSED, answer(request(Kind.CONDITIONAL_WRITE, "one", 0)));
            assertEquals(Status.MISUSED, answer(request(Kind.WRITE, "one", 1)));
            assertEquals(Status.DONE, answer(one));
            assertEquals("one", new String(value(store), UTF_8));
        }
    }

    @Test
    void aNamedOperationRunsOnceAndItsRetriesGetItsAnswer(@TempDir Path folder) throws Exception {
        try (LinearizableStore store = open(folder)) {
            KvResult first = call(1, "swap", "one");
            assertEquals(KvResult.Status.DONE, first.status());
            assertEquals("", text(first));
            KvResult second = call(2, "swap", "two");
            assertEquals("one", text(second));
            assertTrue(second.version() > first.version());
            KvResult again = call(2, "swap", "two");
            assertEquals("one", text(again));
            assertEquals(second.version(), again.version());
            assertEquals(2, ran.get());
            assertEquals("two", new String(value(store), UTF_8));
            assertTrue(call(3, "remove", "gone").version() > second.version());
            assertEquals(Optional.empty(), store.read(object()).join());
        }
    }

    /** A failure is a result, too: a client that went on to call would be told so again and again until its deadline. */
    @Test
    void aNamedOperationThatFailsWritesNothing(@TempDir Path folder) throws Exception {
        try (LinearizableStore store = open(folder)) {
            long version = call(1, "swap", "one").version();
            List<String> failing = List.of("refuse", "assert", "swell", "tooLong", "unheard of");
            for (int i = 0; i < failing.size(); i++) {
                KvResult result = call(2 + i, failing.get(i), "two");
                assertEquals(KvResult.Status.FAILED, result.status(), failing.get(i));
                assertEquals(version, result.version());
            }
            assertEquals(KvResult.Status.DONE, call(9, "longest", "").status());
            assertEquals("one", new String(value(store), UTF_8));
        }
    }

    private LinearizableStore open(Path folder) {
        LinearizableStore store = LinearizableStore.open(
                folder.resolve("store"),
                List.of(new KeyRange(KvRequest.TABLE, 0, -1)),
                StoreOptions.builder().durability(Durability.FILE).build(),
                new LiveLeases());
        Awaitility.await().until(() -> store.status().join().ready());
        service.serve(store);
        return store;
    }

    private KvResult call(long number, String name, String argument) throws Exception {
        RpcHeader header = new RpcHeader(new RpcId(new LeaseId(300), number), 0, EXPIRES, NOW);
        byte[] request = KvRequest.named(name, key(), argument.getBytes(UTF_8)).encode(Optional.of(header));
        StoreOutcome outcome = outcome(request);
        assertEquals(Status.DONE, outcome.status());
        return KvResult.decode(outcome.result());
    }

    private static String text(KvResult result) {
        return new String(result.value(), UTF_8);
    }

    private static byte[] value(LinearizableStore store) {
        return store.read(object()).join().orElseThrow().value();
    }

    private static ObjectKey object() {
        return KvRequest.of(Kind.READ, key()).object();
    }

    private static byte[] key() {
        return "k".getBytes(UTF_8);
    }

    private static byte[] request(Kind kind, String value, long number) {
        return new KvRequest(kind, key(), value.getBytes(UTF_8), number).encode(Optional.of(HEADER));
    }
}
