package org.amo.interceptors.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.core.door.SharedRoom;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.DeafServer;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.NestedReply;
import org.amo.interceptors.jacorb.MemberAddress;
import org.jacorb.orb.Delegate;
import org.jacorb.orb.giop.RequestOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.NO_RESOURCES;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.portable.ObjectImpl;

/** Nested calls, and the acknowledgements of earlier ones, to servers that read nothing. */
@Timeout(90)
class DeafCalleesTest {
    private static final int LARGE = 8 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final FakeGroup group = new FakeGroup(1);
    private final org.omg.CORBA.ORB orb = group.client();
    private final DeafServer deaf = new DeafServer();

    DeafCalleesTest() throws Exception {}

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        deaf.close();
        group.close();
        threads.shutdownNow();
    }

    private NestedSender sender(long attemptMillis, SharedRoom room) {
        NestedSender sender = new NestedSender(orb, attemptMillis, room);
        open.add(sender::close);
        return sender;
    }

    private String atDeafServer() {
        return "corbaloc:iiop:1.2@127.0.0.1:" + deaf.port() + "/back";
    }

    private static Delegate delegate(org.omg.CORBA.Object object) {
        return (Delegate) ((ObjectImpl) object)._get_delegate();
    }

    /** A request as a stub writes it for that object. */
    private CapturedRequest captured(String reference, int bytes) {
        org.omg.CORBA.Object object = orb.string_to_object(reference);
        RequestOutputStream out = (RequestOutputStream) delegate(object).request(object, "add", true);
        int pad = out.size() & 7;
        int charCodeSet = out.getConnection().getTCS().getId();
        int wcharCodeSet = out.getConnection().getTCSW().getId();
        out.close();
        return new CapturedRequest(
                false,
                2,
                pad,
                charCodeSet,
                wcharCodeSet,
                "add",
                "back".getBytes(StandardCharsets.US_ASCII),
                new byte[bytes]);
    }

    private static SystemException exception(Optional<byte[]> result) {
        CapturedReply reply = NestedReply.decode(result.orElseThrow()).reply();
        return reply.toSystemException();
    }

    @Test
    void allThatWriteOverOneConnectionReturn() throws Exception {
        NestedSender sender = sender(1_000, new SharedRoom(10, Long.MAX_VALUE));
        CapturedRequest request = captured(atDeafServer(), LARGE);
        List<CompletableFuture<Optional<byte[]>>> results = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            results.add(CompletableFuture.supplyAsync(
                    () -> sender.once(atDeafServer(), request, true, CallPath.NONE, 500), threads));
        }
        List<Class<?>> ends = new ArrayList<>();
        for (CompletableFuture<Optional<byte[]>> each : results) {
            SystemException end = exception(each.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
            ends.add(end.getClass());
            boolean wrote = end instanceof COMM_FAILURE;
            assertEquals(wrote ? CompletionStatus.COMPLETED_MAYBE : CompletionStatus.COMPLETED_NO, end.completed);
        }
        ends.remove(COMM_FAILURE.class);
        assertEquals(List.of(TIMEOUT.class, TIMEOUT.class), ends, "one wrote, and the others waited for it");
        deaf.awaitEnds();
    }

    /** A group whose only member is at that port. */
    private ReplicatedGroup groupAt(int port) {
        ReplicatedGroup made = new ReplicatedGroup(new ClientId(1, port), ClientSettings.nested(10_000));
        made.learn(List.of(new MemberAddress("127.0.0.1", port)), 0);
        return made;
    }

    private static Object parsed(org.omg.CORBA.Object object) {
        return delegate(object).getParsedIOR();
    }

    /** A call to a group that has ended, so that its number is to be acknowledged. */
    private void finish(NestedFlusher flusher, ReplicatedGroup callee, String reference, byte[] objectKey) {
        CorbaNestedCall call = new CorbaNestedCall(
                sender(1_000, NestedSender.roomOfHeap()),
                flusher,
                Optional.of(callee),
                parsed(orb.string_to_object(reference)),
                reference,
                new CapturedRequest(false, 2, 0, 0, 0, "add", objectKey, new byte[0]),
                true,
                CallPath.NONE,
                10_000);
        assertTrue(call.identity().isPresent());
        call.finished();
    }

    @Test
    void aGroupThatDoesNotAnswerDelaysNoAcknowledgementToAnother() {
        NestedFlusher flusher = new NestedFlusher(sender(60_000, NestedSender.roomOfHeap()));
        open.add(flusher::close);
        byte[] key = "back".getBytes(StandardCharsets.US_ASCII);
        finish(flusher, groupAt(deaf.port()), atDeafServer(), key);
        deaf.awaitConnection();
        FakeMember member = group.member(0);
        String reference = group.reference(0, Optional.of(FakeGroup.groupTag(7)), false);
        finish(flusher, groupAt(member.proxy.port()), reference, member.objectKey);
        await().atMost(PATIENCE).until(() -> group.seen("_non_existent").stream()
                .anyMatch(seen -> seen.context().orElseThrow().finished().floor() == 1));
    }

    @Test
    void theWriteOfAcknowledgementsEnds() throws Exception {
        NestedSender sender = sender(500, NestedSender.roomOfHeap());
        // The key of the object is a part of the question, which does not fit into the socket's buffers.
        String reference = atDeafServer() + "x".repeat(LARGE);
        NestedFlusher.Callee callee =
                new NestedFlusher.Callee(parsed(orb.string_to_object(reference)), "reference", new byte[0]);
        CompletableFuture<Void> flushed =
                CompletableFuture.runAsync(() -> sender.flush(groupAt(deaf.port()), callee), threads);
        flushed.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        deaf.awaitEnds();
    }

    /** A call while earlier ones take the whole budget. */
    private NO_RESOURCES refused(Optional<byte[]> identity) {
        NestedSender sender = sender(1_000, new SharedRoom(1, 100));
        CapturedRequest request = captured(atDeafServer(), 10);
        CorbaNestedCall call = new CorbaNestedCall(
                sender,
                new NestedFlusher(sender),
                Optional.empty(),
                parsed(orb.string_to_object(atDeafServer())),
                atDeafServer(),
                request,
                true,
                CallPath.NONE,
                10_000);
        Optional<byte[]> result = sender.ifRoom(request, false, () -> call.send(identity, 1_000));
        return (NO_RESOURCES) exception(result);
    }

    @Test
    void aCallBeyondTheBudgetIsNotSentAndSaysSo() {
        NO_RESOURCES refused = refused(Optional.empty());
        assertEquals(MinorCodes.NESTED_ROOM, refused.minor);
        assertEquals(CompletionStatus.COMPLETED_NO, refused.completed);
    }

    @Test
    void aCallBeyondTheBudgetThatAnotherProcessMayHaveSentIsUncertain() {
        NO_RESOURCES refused = refused(Optional.of(NestedIdentity.QUESTION.encode()));
        assertEquals(MinorCodes.NESTED_ROOM, refused.minor);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, refused.completed);
    }

    @Test
    void anEndedCallGivesItsRoomBack() {
        NestedSender sender = sender(1_000, new SharedRoom(1, 100));
        CapturedRequest request = captured(atDeafServer(), 10);
        byte[] done = {1};
        assertThrows(
                CompletionException.class,
                () -> sender.ifRoom(request, false, () -> {
                    throw new CompletionException(new COMM_FAILURE());
                }));
        for (int i = 0; i < 2; i++) {
            assertEquals(Optional.of(done), sender.ifRoom(request, false, () -> Optional.of(done)));
        }
    }
}
