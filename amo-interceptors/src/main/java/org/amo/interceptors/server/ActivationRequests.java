package org.amo.interceptors.server;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.TRANSIENT;

/**
 * Orders requests by which every member brings about adapters and objects that the application makes on demand. JacORB asks for them
 * where a request arrives, so at one member, and outside of the order. Any thread may call it.
 */
final class ActivationRequests {
    /** The operation of such a request (docs/wire/corba-body.md). No operation of IDL begins with an underscore. */
    private static final String OPERATION = "_amo_activate";

    private final Map<PoaObjectKey, CompletableFuture<CapturedReply>> awaited = new ConcurrentHashMap<>();

    static boolean isOne(CapturedRequest request) {
        return request.operation().equals(OPERATION);
    }

    /**
     * Has every member bring an object about. Returns once this member has run it: the leader may answer earlier.
     *
     * @param objectKey without an id if it stands for an adapter alone
     * @return the outcome, or TRANSIENT if there is none in time
     */
    CapturedReply order(ReplicatedService group, byte[] objectKey, Duration patience) {
        CapturedRequest request = new CapturedRequest(false, 2, 0, 0, 0, OPERATION, objectKey, new byte[0]);
        PoaObjectKey key = new PoaObjectKey(objectKey);
        CompletableFuture<CapturedReply> outcome = awaited.computeIfAbsent(key, absent -> new CompletableFuture<>());
        try {
            group.submitPlain(
                    request.encode(),
                    request.fingerprint(),
                    false,
                    Principal.UNKNOWN,
                    answer -> onAnswer(answer, outcome));
            return outcome.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return unavailable();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unavailable();
        } finally {
            awaited.remove(key, outcome);
        }
    }

    private static void onAnswer(Answer answer, CompletableFuture<CapturedReply> outcome) {
        if (answer.kind() != Answer.Kind.REPLY) {
            outcome.complete(unavailable());
            return;
        }
        CapturedReply reply = CapturedReply.decode(answer.reply());
        if (reply.kind() != CapturedReply.Kind.NORMAL) {
            outcome.complete(reply);
        }
    }

    /** The request that JacORB has in its hands was not ordered. */
    private static CapturedReply unavailable() {
        return CapturedReply.systemException(new TRANSIENT(0, CompletionStatus.COMPLETED_NO));
    }

    /** This member has run a request for this object. */
    void ran(byte[] objectKey, CapturedReply reply) {
        Optional.ofNullable(awaited.remove(new PoaObjectKey(objectKey))).ifPresent(outcome -> outcome.complete(reply));
    }
}
