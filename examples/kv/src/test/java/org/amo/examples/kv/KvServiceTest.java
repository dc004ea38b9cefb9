package org.amo.examples.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.examples.kv.KvRequest.Kind;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.Authority;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.StoreOptions;
import org.amo.linearizable.rocksdb.StoreOutcome.Status;
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

    private final KvService service = new KvService();

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
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        service.submit(
                new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, body),
                FinishedNumbers.NONE,
                answer::complete);
        return KvReply.decode(answer.get(20, TimeUnit.SECONDS).reply()).status();
    }

    /** The port counts what a request takes until it is answered. */
    @Test
    void whatIsNoRequestIsAnsweredAsWell() throws Exception {
        assertEquals(Status.MISUSED, answer(new byte[] {99, 1, 2, 3}));
    }

    /** Such as copies of one machine: none takes the other's result for its own. */
    @Test
    void twoClientsWithOneLeaseAreToldApart(@TempDir Path folder) throws Exception {
        try (LinearizableStore store = LinearizableStore.open(
                folder.resolve("store"),
                List.of(new KeyRange(KvRequest.TABLE, 0, -1)),
                StoreOptions.builder().durability(Durability.FILE).build(),
                new LiveLeases())) {
            Awaitility.await().until(() -> store.status().join().ready());
            service.serve(store);
            byte[] one = request(Kind.WRITE, "one", 0);
            assertEquals(Status.DONE, answer(one));
            assertEquals(Status.MISUSED, answer(request(Kind.WRITE, "other", 0)));
            assertEquals(Status.MISUSED, answer(request(Kind.CONDITIONAL_WRITE, "one", 0)));
            assertEquals(Status.MISUSED, answer(request(Kind.WRITE, "one", 1)));
            assertEquals(Status.DONE, answer(one));
            byte[] value = store.read(KvRequest.of(Kind.READ, key()).object())
                    .join()
                    .orElseThrow()
                    .value();
            assertEquals("one", new String(value, UTF_8));
        }
    }

    private static byte[] key() {
        return "k".getBytes(UTF_8);
    }

    private static byte[] request(Kind kind, String value, long number) {
        return new KvRequest(kind, key(), value.getBytes(UTF_8), number).encode(Optional.of(HEADER));
    }
}
