package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.Administration.Changed;
import org.amo.core.replica.Administration.Known;
import org.amo.core.replica.Administration.Outcome;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a member answers an operator, and what the operator's tool reads. */
@Timeout(60)
class AdministrationTest implements HostileBytes {
    private static final GroupMembers MEMBERS =
            new GroupMembers(Long.MAX_VALUE, Member.parseList("a=127.0.0.1:7801/9801,b=[::1]:7802/9802"));
    private static final String CHANGE = MemberChange.of(
                    "bank", MemberChange.Kind.ADD, MEMBERS.members().get(1), 7, Optional.empty())
            .format();

    private Optional<GroupMembers> members = Optional.of(MEMBERS);
    private CompletionStage<GroupMembers> changing = CompletableFuture.completedFuture(MEMBERS);

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "members in an operator's answer",
                IllegalArgumentException.class,
                bytes -> Administration.readMembers(new String(bytes, StandardCharsets.US_ASCII)),
                "7 a a=127.0.0.1:7801/9801,b=127.0.0.1:7802/9802".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void theMembersAreReadAsTheMemberKnowsThem() throws Exception {
        assertEquals(
                Optional.of(new Known(MEMBERS, "b")),
                Administration.readMembers(answer(Administration.MEMBERS, "").orElseThrow()));
        members = Optional.empty();
        assertEquals(
                Optional.empty(),
                Administration.readMembers(answer(Administration.MEMBERS, "").orElseThrow()));
        for (String other : List.of("x a a=h:1/2", "1 a a=h:1", "1 a", " ")) {
            assertThrows(IllegalArgumentException.class, () -> Administration.readMembers(other), other);
        }
    }

    @Test
    void theStatusIsJsonAndAnUnknownQuestionHasNoAnswer() throws Exception {
        String status = answer(Administration.STATUS, "").orElseThrow();
        assertTrue(status.startsWith("{\"id\":\"a\",\"leader\":\"b\""), status);
        assertEquals(Optional.empty(), answer("shutdown", ""));
    }

    @Test
    void aChangeTellsTheMembersAfterItOrTheReason() throws Exception {
        assertEquals(new Changed(Outcome.DONE, Member.format(MEMBERS.members())), change(CHANGE));
        changing = failed(OrderedLogException.Fault.USER, "'b' is a member already");
        assertEquals(new Changed(Outcome.REFUSED, "'b' is a member already"), change(CHANGE));
        changing = failed(OrderedLogException.Fault.ENVIRONMENT, "this member does not lead");
        assertEquals(new Changed(Outcome.FAILED, "this member does not lead"), change(CHANGE));
        assertEquals(Outcome.REFUSED, change("add everything").outcome());
        changing = failed(OrderedLogException.Fault.ENVIRONMENT, "late").thenApply(after -> after);
        assertEquals(new Changed(Outcome.FAILED, "late"), change(CHANGE), "the cause of a dependent stage");
        assertEquals(
                new Changed(Outcome.REFUSED, "no secret"),
                Administration.readChange(Administration.refused("no secret")));
    }

    private static CompletableFuture<GroupMembers> failed(OrderedLogException.Fault fault, String why) {
        return CompletableFuture.failedFuture(new OrderedLogException(fault, why));
    }

    private Changed change(String line) throws Exception {
        return Administration.readChange(answer(Administration.CHANGE, line).orElseThrow());
    }

    private Optional<String> answer(String question, String argument) throws Exception {
        CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
        Administration.answer(new Stub(), question, argument, answer::complete);
        return answer.get(30, TimeUnit.SECONDS);
    }

    private final class Stub extends MemberWithoutClients {
        @Override
        public ReplicaStatus status() {
            return statusWith(Map.of("leader", "b"));
        }

        @Override
        public Optional<GroupMembers> members() {
            return members;
        }

        @Override
        public CompletionStage<GroupMembers> changeMembers(MemberChange change) {
            assertEquals(CHANGE, change.format());
            return changing;
        }
    }
}
