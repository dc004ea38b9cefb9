package org.amo.exon.udp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Requests and replies as messages: a kind and a number before the body (docs/wire/exon.md). Any thread may use it. */
final class Requests implements Deliveries.Application {
    static final int HEAD = 9;

    private static final Logger LOG = LoggerFactory.getLogger(Requests.class);
    private static final byte PLAIN = 0;
    private static final byte REQUEST = 1;
    private static final byte REPLY = 2;
    private static final byte FAILED = 3;
    private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(60);

    private final ExonEndpoint endpoint;
    private final ExonReceiver receiver;
    /**
     * Begins at a random number. A reply to a former process of this node goes to this one if it had not left, and is told by
     * its number alone; the machine's clock could give the same number again after a restart of the machine. Numbers are only
     * compared, and the wire has 64 bits for them: each value will do, and the one behind the largest is the smallest.
     */
    private final AtomicLong last = new AtomicLong(new SecureRandom().nextLong());

    private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
    private final StrangeMessages strange = new StrangeMessages(LOG::warn, System::nanoTime);

    private record Waiting(NodeId from, CompletableFuture<byte[]> reply) {}

    Requests(ExonEndpoint endpoint, ExonReceiver receiver) {
        this.endpoint = endpoint;
        this.receiver = receiver;
    }

    /** A message that is no request. */
    byte[] plain(byte[] message) {
        byte[] body = new byte[1 + message.length];
        body[0] = PLAIN;
        System.arraycopy(message, 0, body, 1, message.length);
        return body;
    }

    private static byte[] numbered(byte kind, long number, byte[] message) {
        return ByteBuffer.allocate(HEAD + message.length)
                .put(kind)
                .putLong(number)
                .put(message)
                .array();
    }

    CompletableFuture<byte[]> request(NodeId to, byte[] request, Duration timeout) {
        long number = last.incrementAndGet();
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        waiting.put(number, new Waiting(to, reply));
        try {
            endpoint.post(to, numbered(REQUEST, number, request), timeout, true, outcome -> {
                if (outcome != Outcome.DELIVERED) {
                    reply.completeExceptionally(new ExonException(outcome, "the request to " + to + " is " + outcome));
                }
            });
        } catch (IllegalArgumentException e) {
            waiting.remove(number);
            throw e;
        }
        return reply.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionallyCompose(cause -> CompletableFuture.failedFuture(
                        cause instanceof TimeoutException
                                ? new ExonException(Outcome.UNKNOWN, "no reply from " + to + " within " + timeout)
                                : cause))
                .whenComplete((done, cause) -> waiting.remove(number));
    }

    /** Whether a message means something to a later process of this node, too: replies are for the one that asked. */
    @Override
    public boolean outlivesTheProcess(byte[] body) {
        return body.length == 0 || (body[0] != REPLY && body[0] != FAILED);
    }

    /** In the delivery thread. */
    @Override
    public void onMessage(long position, NodeId from, byte[] body) {
        if (body.length == 0) {
            strange.dropped(
                    "a message of " + from + " without a kind was dropped; it does not come from an ExonEndpoint");
            return;
        }
        ByteBuffer buffer = ByteBuffer.wrap(body);
        byte kind = buffer.get();
        long number = kind == PLAIN || buffer.remaining() < Long.BYTES ? 0 : buffer.getLong();
        byte[] message = new byte[buffer.remaining()];
        buffer.get(message);
        switch (kind) {
            case PLAIN -> accept(position, from, message);
            case REQUEST -> answer(from, number, message);
            case REPLY, FAILED -> onReply(from, number, message, kind == FAILED);
            default -> strange.dropped("a message of " + from + " of unknown kind " + kind + " was dropped");
        }
    }

    private void accept(long position, NodeId from, byte[] message) {
        if (position == 0) {
            receiver.onMessage(from, message);
        } else {
            receiver.onKept(position, from, message);
        }
    }

    @SuppressWarnings("IllegalCatch")
    private void answer(NodeId from, long number, byte[] request) {
        byte[] reply;
        try {
            reply = numbered(REPLY, number, receiver.onRequest(from, request));
            endpoint.checkLength(reply);
        } catch (RuntimeException | StackOverflowError | AssertionError e) {
            String text = e.toString();
            byte[] bytes = text.substring(0, Math.min(1_000, text.length())).getBytes(StandardCharsets.UTF_8);
            reply = numbered(FAILED, number, bytes);
        }
        endpoint.post(from, reply, REPLY_TIMEOUT, false, outcome -> {
            if (outcome != Outcome.DELIVERED) {
                LOG.debug("a reply to {} is {}", from, outcome);
            }
        });
    }

    private void onReply(NodeId from, long number, byte[] message, boolean failed) {
        Waiting request = waiting.get(number);
        if (request == null || !request.from.equals(from)) {
            return; // too late, or of a former life of this node
        }
        if (failed) {
            String text = new String(message, StandardCharsets.UTF_8);
            request.reply.completeExceptionally(new ExonException(Outcome.DELIVERED, from + " answered: " + text));
        } else {
            request.reply.complete(message);
        }
    }

    /** The endpoint is closed. */
    void abort() {
        waiting.values()
                .forEach(request -> request.reply.completeExceptionally(
                        new ExonException(Outcome.UNKNOWN, "the endpoint was closed")));
    }
}
