package org.amo.lab.blackbox;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;

/**
 * A client of a group made of bytes: what it sends, to which member and how often is the test's choice. It repeats
 * nothing and forwards nothing. One thread owns it.
 */
final class RawClient {
    static final long LIFE_MILLIS = 10_000;

    private static final int CONNECT_MILLIS = 2_000;
    private static final int READ_MILLIS = 20_000;

    private final byte[] objectKey;
    private final ClientId id;
    private long number;
    private long heardOrderedTime;
    private long heardUpper = Answer.NO_BOUND;
    private long heardNanos;

    RawClient(String reference) {
        this(
                reference,
                new ClientId(
                        ThreadLocalRandom.current().nextLong(),
                        ThreadLocalRandom.current().nextLong()));
    }

    RawClient(String reference, ClientId id) {
        this.objectKey = objectKey(reference);
        this.id = id;
    }

    /**
     * An operation with its arguments.
     *
     * @param response false for a oneway
     */
    record Op(String name, boolean response, Consumer<CdrWriter> arguments) {
        static Op deposit(String account, long amount) {
            return new Op("deposit", true, out -> out.string(account).longLong(amount));
        }

        static Op note(String account) {
            return new Op("note", false, out -> out.string(account));
        }

        /** Of the probe: adds and returns the sum. */
        static Op add(long value) {
            return new Op("add", true, out -> out.longLong(value));
        }

        /** Of the probe: adds one after a while and returns the sum. */
        static Op slow(long millis) {
            return new Op("slow", true, out -> out.longLong(millis));
        }

        static Op get() {
            return new Op("get", true, out -> {});
        }
    }

    /** A request on its way; its connection is its own. */
    final class Sent implements AutoCloseable {
        private final Socket socket;

        private Sent(Socket socket) {
            this.socket = socket;
        }

        Giop.Reply reply() {
            try {
                Giop.Message message = Giop.read(socket.getInputStream()).orElseThrow(EOFException::new);
                Giop.Reply reply = Giop.reply(message);
                reply.answer().ifPresent(RawClient.this::heard);
                return reply;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                close();
            }
        }

        boolean hasReply() {
            try {
                return socket.getInputStream().available() > 0;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    ClientId id() {
        return id;
    }

    byte[] objectKey() {
        return objectKey;
    }

    /** As the history file writes the id of one of its calls. */
    String requestId(RequestContext.Call call) {
        return RequestId.own(id, call.number()).toString();
    }

    /** Asks for the group's time with a request that can only be refused, and that leaves no trace. */
    RawClient learn(MemberProcess member) {
        send(member, new RequestContext.Call(1, 0, 0), Op.deposit("nobody", 1)).amo();
        return this;
    }

    /**
     * The same of a group that may have stood idle, whose members then tell the time of its last entry: a request from the
     * future has to be ordered before it can be refused, and leaves no trace either.
     */
    RawClient learnNow(MemberProcess member) {
        learn(member);
        long future = heardOrderedTime + 3_600_000;
        send(member, new RequestContext.Call(1, future, future + LIFE_MILLIS), Op.deposit("nobody", 1))
                .amo();
        return this;
    }

    /** A new call with the next number. */
    RequestContext.Call call() {
        return call(++number);
    }

    /** A new call with a number of the test's choice. */
    RequestContext.Call call(long chosen) {
        long timestamp = timestamp();
        return new RequestContext.Call(chosen, timestamp, timestamp + LIFE_MILLIS);
    }

    /** What an amo client would stamp now. */
    long timestamp() {
        long elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - heardNanos);
        return Math.max(heardUpper + 1, heardOrderedTime + elapsed);
    }

    long orderedTime() {
        return heardOrderedTime;
    }

    long upper() {
        return heardUpper;
    }

    /** Sends one copy and waits for its answer. */
    Giop.Reply send(MemberProcess member, RequestContext.Call call, Op operation) {
        return send(member, call, operation, FinishedNumbers.NONE);
    }

    Giop.Reply send(MemberProcess member, RequestContext.Call call, Op operation, FinishedNumbers finished) {
        return post(member, call, operation, finished).reply();
    }

    /** Sends one copy and leaves its answer in the connection. */
    Sent post(MemberProcess member, RequestContext.Call call, Op operation) {
        return post(member, call, operation, FinishedNumbers.NONE);
    }

    Sent post(MemberProcess member, RequestContext.Call call, Op operation, FinishedNumbers finished) {
        byte[] context = new RequestContext(id, Optional.of(call), finished).encode();
        return post(member, Giop.V12, operation, Map.of(RequestContext.CONTEXT_ID, context));
    }

    /** Sends any contexts in any dialect. */
    Sent post(MemberProcess member, Giop dialect, Op operation, Map<Integer, byte[]> contexts) {
        byte[] request = dialect.request(
                1, operation.response, objectKey, operation.name, new LinkedHashMap<>(contexts), operation.arguments);
        return raw(member, request);
    }

    /** Sends bytes. */
    Sent raw(MemberProcess member, byte[] bytes) {
        Member address = member.member();
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address.host(), address.clientPort()), CONNECT_MILLIS);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(READ_MILLIS);
            socket.getOutputStream().write(bytes);
            return new Sent(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Acknowledges without a call, on a question that JacORB answers by itself. */
    void acknowledge(MemberProcess member, FinishedNumbers finished) {
        byte[] context = new RequestContext(id, Optional.empty(), finished).encode();
        Giop.Reply reply = post(
                        member,
                        Giop.V12,
                        new Op("_non_existent", true, out -> {}),
                        Map.of(RequestContext.CONTEXT_ID, context))
                .reply();
        if (reply.status() != Giop.NO_EXCEPTION) {
            throw new AssertionError(reply);
        }
    }

    private void heard(Answer answer) {
        if (answer.orderedTimeMillis() >= heardOrderedTime) {
            heardOrderedTime = answer.orderedTimeMillis();
            heardNanos = System.nanoTime();
        }
        heardUpper = Math.max(heardUpper, answer.upperMillis());
    }

    /** The object key of a stringified reference's first profile. */
    static byte[] objectKey(String reference) {
        CdrReader ior = encapsulation(HexFormat.of().parseHex(reference.substring("IOR:".length())));
        ior.string();
        ior.uLong();
        ior.uLong();
        CdrReader profile = encapsulation(ior.octets());
        profile.octet();
        profile.octet();
        profile.string();
        profile.uShort();
        return profile.octets();
    }

    private static CdrReader encapsulation(byte[] bytes) {
        return new CdrReader(bytes, 1, bytes[0] == 1);
    }
}
