package org.amo.examples.kv;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rocksdb.StoredObject;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.replication.rpc.PlainService;
import org.amo.replication.rpc.RpcQuestions;

/**
 * Hands the calls of amo's connections to the store. Nothing is replicated here and the connection's own ids mean
 * nothing: the header of a call identifies its retries. Any thread may use it.
 */
final class KvService extends PlainService implements RpcQuestions {
    private static final StoreOutcome LATER =
            new StoreOutcome(StoreOutcome.Status.RETRY_LATER, new byte[0], ClusterTime.ZERO);
    private static final StoreOutcome ELSEWHERE =
            new StoreOutcome(StoreOutcome.Status.ELSEWHERE, new byte[0], ClusterTime.ZERO);
    private static final StoreOutcome MISUSED =
            new StoreOutcome(StoreOutcome.Status.MISUSED, new byte[0], ClusterTime.ZERO);

    private final AtomicLong copies = new AtomicLong();
    private volatile Optional<LinearizableStore> store = Optional.empty();

    /** From now on; until then clients are told to come again. */
    void serve(LinearizableStore opened) {
        store = Optional.of(opened);
    }

    /** Attempts that came. */
    long copies() {
        return copies.get();
    }

    @Override
    public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
        copies.incrementAndGet();
        KvRequest.Arrived arrived;
        try {
            arrived = KvRequest.decode(request.body());
        } catch (MalformedFrameException e) {
            answer(listener, MISUSED);
            return;
        }
        CompletableFuture<StoreOutcome> unused = store.map(here -> outcome(here, arrived))
                .orElseGet(() -> CompletableFuture.completedFuture(LATER))
                // A store that is full, not ready or at its end: the client comes again, here or elsewhere.
                .exceptionally(failed -> LATER)
                .whenComplete((outcome, never) -> answer(listener, outcome));
    }

    @Override
    public void onStart(ScheduledExecutorService owner) {
        // The store's thread answers.
    }

    @Override
    public void onQuestion(byte[] question, Consumer<Optional<byte[]>> answer) {
        Optional<LinearizableStore> here = store.filter(each -> KvRecords.isQuestion(question));
        if (here.isEmpty()) {
            answer.accept(Optional.empty());
            return;
        }
        CompletableFuture<Void> unused = here.get()
                .status()
                .thenApply(status -> Optional.of(new KvRecords(1, status.records(), status.garbage()).encode()))
                .exceptionally(failed -> Optional.empty())
                .thenAccept(answer);
    }

    private static void answer(AnswerListener listener, StoreOutcome outcome) {
        listener.onAnswer(Answer.reply(KvReply.encode(outcome), 0, Answer.NO_BOUND));
    }

    private static CompletableFuture<StoreOutcome> outcome(LinearizableStore here, KvRequest.Arrived arrived) {
        KvRequest request = arrived.request();
        Optional<RpcHeader> header = arrived.header();
        return header.isPresent()
                ? here.call(header.get(), request.object(), request.hash(), request.operation())
                : here.read(request.object()).thenApply(KvService::result).exceptionally(failed -> ELSEWHERE);
    }

    private static StoreOutcome result(Optional<StoredObject> object) {
        KvResult result = object.map(each -> new KvResult(KvResult.Status.DONE, each.version(), each.value()))
                .orElseGet(() -> KvResult.of(KvResult.Status.ABSENT, 0));
        return new StoreOutcome(StoreOutcome.Status.DONE, result.encode(), ClusterTime.ZERO);
    }
}
