package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Broken;
import everything.Calls;
import everything.CallsHelper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.MembersContext;
import org.amo.core.wire.PathContext;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.MinorCodes;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.omg.CORBA.BAD_CONTEXT;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.INTERNAL;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;
import org.omg.IOP.ServiceContext;

/** Which id a request gets from its contexts, and what its sender is told. */
class IdentityTest {
    private static final String GROUP = "identity";
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final CallsServant SERVANT = new CallsServant();

    private static Server server;
    private static ORB client;
    private static Calls calls;

    @BeforeAll
    static void start() throws Exception {
        server = Server.start(GROUP, "a", Server.members(1));
        String reference = server.activate(server.poa(server.root(), "calls"), "one", SERVANT);
        client = Server.client(
                Map.of("org.omg.PortableInterceptor.ORBInitializerClass." + ContextClient.class.getName(), ""));
        calls = CallsHelper.narrow(client.string_to_object(reference));
    }

    @AfterAll
    static void stop() {
        client.shutdown(true);
        server.close();
    }

    @AfterEach
    void noContexts() {
        ContextClient.send();
        group().answerInstead(Optional.empty());
        group().skip(false);
        group().members(Optional.empty());
    }

    /** A client that says which list it knows is told of a newer one, with a reply and with a refusal. */
    @Test
    void aClientIsToldOfMembersThatItDoesNotKnow() {
        List<Member> members = Member.parseList("b=10.0.0.2:7801/9801,c=h3:7801/9802");
        group().members(Optional.of(new GroupMembers(2, members)));
        MembersContext present = MembersContext.of(new GroupMembers(2, members)).orElseThrow();
        assertEquals(Optional.of(present), toldWith(groupVersion(2)));
        assertEquals(Optional.of(present), toldWith(groupVersion(1)));
        assertEquals(Optional.empty(), toldWith(groupVersion(3)));
        assertEquals(Optional.empty(), toldWith(context(12, new byte[] {0, 0, 0})), "nothing that can be read");
        assertEquals(Optional.empty(), toldWith());

        group().answerInstead(Optional.of(Answer.overloaded(Budget.PRINCIPAL_CLIENTS, 77, 66)));
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE), groupVersion(1));
        assertThrows(TRANSIENT.class, () -> calls.count(1));
        assertEquals(Optional.of(present), ContextClient.members());

        group().answerInstead(Optional.empty());
        group().members(Optional.empty());
        assertEquals(Optional.empty(), toldWith(groupVersion(1)), "members never change");
    }

    private static Optional<MembersContext> toldWith(ServiceContext... version) {
        List<ServiceContext> contexts = new ArrayList<>(List.of(version));
        contexts.add(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        ContextClient.send(contexts.toArray(ServiceContext[]::new));
        calls.count(1);
        return ContextClient.members();
    }

    private static ServiceContext groupVersion(int version) {
        return context(12, new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) version});
    }

    @Test
    void aNumberedRequestKeepsItsIdTimesAndAcknowledgements() {
        long number = NUMBERS.incrementAndGet();
        ContextClient.send(own(number, FinishedNumbers.of(3, 5, 6)));
        calls.count(1);
        Request request = last();
        assertEquals(RequestId.own(CLIENT, number), request.id());
        assertEquals(5_000, request.timestampMillis());
        assertEquals(65_000, request.deadlineMillis());
        assertTrue(group().finished().get(group().finished().size() - 1).contains(6));
        Answer answer = ContextClient.answer().orElseThrow();
        assertEquals(Answer.Kind.REPLY, answer.kind());
        assertEquals(500, answer.upperMillis());
        assertTrue(answer.orderedTimeMillis() > 0);
    }

    @Test
    void everyRequestCarriesItsSendersAddressAsPrincipal() {
        int before = group().senders().size();
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        calls.count(1);
        ContextClient.send();
        calls.count(1);
        Principal here = Principal.address(new byte[] {127, 0, 0, 1});
        assertEquals(
                List.of(here, here),
                group().senders().subList(before, group().senders().size()));
    }

    /** The budget is in the minor code, since a plain client gets no text. */
    @Test
    void anOverloadedClientIsToldWhichBudgetIsUsedUp() {
        group().answerInstead(Optional.of(Answer.overloaded(Budget.PRINCIPAL_CLIENTS, 77, 66)));
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        TRANSIENT told = assertThrows(TRANSIENT.class, () -> calls.count(1));
        assertTrue(MinorCodes.isOverloaded(told.minor));
        assertEquals(Optional.of(Budget.PRINCIPAL_CLIENTS), MinorCodes.budget(told.minor));
    }

    /** Clients with a number and plain ones; each attempt of a skipped request gets the same reply. */
    @Test
    void theClientOfASkippedRequestIsToldThatItDidNotRun() {
        int before = SERVANT.callCount();
        group().skip(true);
        for (int attempt = 0; attempt < 2; attempt++) {
            assertSkipped();
        }
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        assertSkipped();
        group().skip(false);
        // The number is used up.
        assertSkipped();
        assertEquals(before, SERVANT.callCount());
    }

    private static void assertSkipped() {
        INTERNAL told = assertThrows(INTERNAL.class, () -> calls.count(1));
        assertEquals(MinorCodes.SKIPPED, told.minor);
        assertEquals(CompletionStatus.COMPLETED_NO, told.completed);
    }

    @Test
    void aSkippedOnewayHasNoReply() {
        int before = group().log().size();
        group().skip(true);
        calls.note("skipped");
        Awaitility.await().until(() -> group().log().size() > before);
        ToyGroup.Entry skipped = group().log().get(before);
        assertTrue(skipped.request().oneway());
        assertArrayEquals(new byte[0], skipped.replies().get("a"));
    }

    @Test
    void aCopyIsAnsweredWithTheReplyOfTheFirst() {
        long number = NUMBERS.incrementAndGet();
        ContextClient.send(own(number, FinishedNumbers.NONE));
        int first = calls.count(10);
        assertEquals(first, calls.count(10));
        assertEquals(first, calls.count(10));
        ContextClient.send();
        assertEquals(first + 1, calls.count(1));
    }

    @Test
    void copiesOfOneCallHaveOneFingerprintAndOtherArgumentsAnother() {
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        calls.count(10);
        long first = last().fingerprint();
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        calls.count(10);
        assertEquals(first, last().fingerprint());
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        calls.count(11);
        assertTrue(first != last().fingerprint());
    }

    @Test
    void exceptionsCarryTheAnswerContextToo() {
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        assertThrows(Broken.class, () -> calls.fail(1, "as told"));
        assertEquals(Answer.Kind.REPLY, ContextClient.answer().orElseThrow().kind());
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        assertThrows(BAD_CONTEXT.class, () -> calls.failBySystemException(1));
        assertEquals(Answer.Kind.REPLY, ContextClient.answer().orElseThrow().kind());
    }

    @ParameterizedTest
    @CsvSource({
        "ID_REUSED, BAD_PARAM, 1095565313, COMPLETED_NO",
        "STALE, TIMEOUT, 1095565314, COMPLETED_MAYBE",
        "EXPIRED, TIMEOUT, 1095565315, COMPLETED_NO",
        "TOO_EARLY, TRANSIENT, 1095565316, COMPLETED_NO",
        "OVERLOADED, TRANSIENT, 1095565317, COMPLETED_NO"
    })
    void eachRefusalHasItsException(Refusal refusal, String type, int minor, String completed) {
        group().answerInstead(Optional.of(Answer.refused(refusal, 77, 66)));
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        SystemException thrown = assertThrows(SystemException.class, () -> calls.count(1));
        assertEquals(type, thrown.getClass().getSimpleName());
        assertEquals(minor, thrown.minor);
        assertEquals(completed(completed), thrown.completed);
        Answer answer = ContextClient.answer().orElseThrow();
        assertEquals(Optional.of(refusal), answer.refusal());
        assertEquals(77, answer.orderedTimeMillis());
        assertEquals(66, answer.upperMillis());
        ContextClient.send(ftRequest("foreign", 1, 60_000));
        SystemException foreign = assertThrows(SystemException.class, () -> calls.count(1));
        assertEquals(minor, foreign.minor);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, foreign.completed);
    }

    @Test
    void unknownIsATimeoutThatMayHaveRun() {
        group().answerInstead(Optional.of(Answer.unknown(77, 66)));
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        TIMEOUT thrown = assertThrows(TIMEOUT.class, () -> calls.count(1));
        assertEquals(MinorCodes.UNKNOWN, thrown.minor);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, thrown.completed);
        assertEquals(Answer.Kind.UNKNOWN, ContextClient.answer().orElseThrow().kind());
    }

    @Test
    void aForeignRequestIsKnownByItsClientAndRetentionId() {
        ContextClient.send(ftRequest("some client", -1, 400_000));
        int first = calls.count(1);
        assertEquals(first, calls.count(1));
        Request request = last();
        assertEquals(RequestId.Space.FOREIGN, request.id().space());
        assertEquals(0xFFFF_FFFFL, request.id().number());
        assertEquals(400_000, request.deadlineMillis());
        assertEquals(100_000, request.timestampMillis());
        assertTrue(ContextClient.answer().isEmpty());
        ContextClient.send(ftRequest("other client", -1, 400_000));
        assertEquals(first + 1, calls.count(1));
        assertTrue(!request.id().equals(last().id()));
    }

    @Test
    void aRequestWithoutContextsIsPlain() {
        long before = group().plainCalls();
        calls.count(1);
        assertEquals(before + 1, group().plainCalls());
        assertTrue(ContextClient.answer().isEmpty());
    }

    @Test
    void acknowledgementsWithoutARequestAreTakenFromAPseudoOperation() {
        int before = group().log().size();
        ContextClient.send(context(
                RequestContext.CONTEXT_ID,
                new RequestContext(CLIENT, Optional.empty(), FinishedNumbers.of(4_711)).encode()));
        assertTrue(!calls._non_existent());
        assertEquals(
                4_711, group().finished().get(group().finished().size() - 1).floor());
        assertEquals(before, group().log().size());
    }

    @Test
    void aRequestKeepsThePathThatItCameBy() {
        ContextClient.send(path("bank", "audit"), own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        calls.count(1);
        assertEquals(List.of("bank", "audit"), last().path().groups());
        ContextClient.send(own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
        calls.count(1);
        assertEquals(CallPath.NONE, last().path());
    }

    /** Also one without a number, as a plain reference that its server forwards here brings it. */
    @Test
    void aRequestForWhichAnOperationOfThisGroupWaitsIsRefusedBeforeItIsOrdered() {
        int before = group().log().size();
        for (int i = 0; i < 2; i++) {
            ServiceContext path = path("front", GROUP, "audit");
            if (i == 0) {
                ContextClient.send(path);
            } else {
                ContextClient.send(path, own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE));
            }
            BAD_INV_ORDER refused = assertThrows(BAD_INV_ORDER.class, () -> calls.count(1));
            assertEquals(MinorCodes.CALL_CYCLE, refused.minor);
            assertEquals(CompletionStatus.COMPLETED_NO, refused.completed);
        }
        assertEquals(before, group().log().size());
        ContextClient.send(path("front", "audit"));
        calls.count(1);
        assertEquals(before + 1, group().log().size());
    }

    private static ServiceContext path(String... groups) {
        return context(PathContext.CONTEXT_ID, PathContext.encode(new CallPath(List.of(groups))));
    }

    @Test
    void aContextThatCannotBeReadRefusesItsRequestOnly() {
        int before = SERVANT.journal().size();
        byte[] good = own(NUMBERS.incrementAndGet(), FinishedNumbers.NONE).context_data;
        byte[] cut = java.util.Arrays.copyOf(good, good.length - 1);
        byte[] otherKind = good.clone();
        otherKind[0] = 9;
        refused(context(RequestContext.CONTEXT_ID, cut));
        refused(context(RequestContext.CONTEXT_ID, otherKind));
        refused(context(RequestContext.CONTEXT_ID, new byte[0]));
        refused(context(AnswerContext.CONTEXT_ID, good));
        refused(context(0x414D_4F07, good));
        refused(context(PathContext.CONTEXT_ID, new byte[] {1, 1, 0}));
        refused(context(CallIdentity.FT_REQUEST, new byte[] {0, 0, 0, 0, 127}));
        assertEquals(before, SERVANT.journal().size());
        ContextClient.send();
        calls.count(1);
        assertEquals(before + 1, SERVANT.journal().size());
    }

    private static void refused(ServiceContext context) {
        ContextClient.send(context);
        MARSHAL thrown = assertThrows(MARSHAL.class, () -> calls.count(1));
        assertEquals(CompletionStatus.COMPLETED_NO, thrown.completed);
    }

    private static ToyGroup group() {
        return ToyGroup.named(GROUP);
    }

    private static Request last() {
        return group().log().get(group().log().size() - 1).request();
    }

    private static CompletionStatus completed(String name) {
        return name.equals("COMPLETED_NO") ? CompletionStatus.COMPLETED_NO : CompletionStatus.COMPLETED_MAYBE;
    }

    private static ServiceContext own(long number, FinishedNumbers finished) {
        RequestContext.Call call = new RequestContext.Call(number, 5_000, 65_000);
        return context(RequestContext.CONTEXT_ID, new RequestContext(CLIENT, Optional.of(call), finished).encode());
    }

    static ServiceContext own(long number, long timestampMillis, long deadlineMillis) {
        RequestContext.Call call = new RequestContext.Call(number, timestampMillis, deadlineMillis);
        return context(
                RequestContext.CONTEXT_ID,
                new RequestContext(CLIENT, Optional.of(call), FinishedNumbers.NONE).encode());
    }

    private static ServiceContext ftRequest(String clientId, int retentionId, long expirationMillis) {
        return context(CallIdentity.FT_REQUEST, FtRequestTest.encode(clientId, retentionId, expirationMillis, false));
    }

    private static ServiceContext context(int id, byte[] data) {
        return new ServiceContext(id, data);
    }
}
