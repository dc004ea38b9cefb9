package org.amo.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A page's picture of a group, computed from the statuses of its members. */
class GroupPictureTest {
    private static final long SECOND = 1_000_000_000L;

    private final Map<String, Optional<String>> statuses = new LinkedHashMap<>();
    private Optional<GroupPicture> before = Optional.empty();
    private long now = Long.MAX_VALUE - 1;

    GroupPictureTest() {
        member("a", "a", 5_000, 5_000, 100, "d1");
        member("b", "a", 5_000, 5_000, 90, "d1");
        member("c", "a", 4_990, 4_990, 80, "d0");
    }

    private void member(String id, String leader, long position, long executedPosition, long executed, String digest) {
        statuses.put(
                id,
                Optional.of("{\"id\":\"" + id + "\",\"leader\":\"" + leader + "\",\"position\":" + position
                        + ",\"executedPosition\":" + executedPosition + ",\"executed\":" + executed + ",\"digest\":\""
                        + digest + "\",\"replyMicrosP99\":" + executed + "}"));
    }

    private void field(String id, String field, String value) {
        String status = statuses.get(id).orElseThrow();
        statuses.put(
                id, Optional.of(status.substring(0, status.length() - 1) + ",\"" + field + "\":\"" + value + "\"}"));
    }

    private GroupPicture picture() {
        GroupPicture picture = GroupPicture.of(statuses, before, now);
        before = Optional.of(picture);
        return picture;
    }

    private static MemberRow row(GroupPicture picture, String id) {
        return picture.rows().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aSoundGroupHasALeaderAndFollowersWithAShortLag() {
        GroupPicture picture = picture();
        assertEquals("a leads. 3 of 3 members answer. None lags.", picture.summary());
        assertEquals(MemberRow.Kind.LEADER, row(picture, "a").kind());
        assertEquals(MemberRow.Kind.FOLLOWER, row(picture, "c").kind());
        assertEquals(10, row(picture, "c").lag());
        assertEquals(100, picture.replyMicrosP99(), "of the slowest member");
    }

    @Test
    void aMemberThatDoesNotAnswerIsNamed() {
        statuses.put("b", Optional.empty());
        statuses.put("c", Optional.of("no JSON"));
        GroupPicture picture = picture();
        assertEquals("a leads. 1 of 3 members answer. b does not answer. c does not answer.", picture.summary());
        assertEquals(MemberRow.Kind.ABSENT, row(picture, "b").kind());
        assertEquals("no answer", row(picture, "b").cells().get(7));
    }

    @Test
    void aMemberFarBehindCatchesUp() {
        member("c", "a", 3_999, 3_999, 80, "d0");
        assertEquals("a leads. 3 of 3 members answer. c catches up.", picture().summary());
        member("c", "a", 4_000, 4_000, 80, "d0");
        assertEquals("a leads. 3 of 3 members answer. None lags.", picture().summary());
        member("c", "a", 5_000, 3_999, 80, "d0");
        assertEquals(MemberRow.Kind.BEHIND, row(picture(), "c").kind(), "delivered, and not executed");
    }

    @Test
    void troubleComesFirst() {
        field("b", "trouble", "its disk is full");
        field("c", "divergence", "at 7, operation add");
        GroupPicture picture = picture();
        assertEquals("Trouble at b. Trouble at c. a leads. 3 of 3 members answer.", picture.summary());
        assertEquals("its disk is full", row(picture, "b").cells().get(7));
        assertEquals("at 7, operation add", row(picture, "c").cells().get(7));
    }

    @Test
    void aMemberThatJoinsHasNoLeaderYet() {
        statuses.put("c", Optional.of("{\"id\":\"c\"}"));
        assertEquals("a leads. 3 of 3 members answer. c joins.", picture().summary());
        member("a", "", 5_000, 5_000, 100, "d1");
        assertEquals(
                "No leader is known. 3 of 3 members answer. c joins.", picture().summary());
        assertEquals("knows no leader", row(picture(), "a").cells().get(7));
    }

    @Test
    void theMoreAdvancedOfTwoLeadersLeads() {
        member("b", "b", 6_000, 6_000, 100, "d1");
        assertEquals("b", picture().leader().orElseThrow().id());
    }

    @Test
    void callsASecondAreThoseOfTheLeaderBetweenTwoPictures() {
        assertEquals(OptionalDouble.empty(), picture().callsPerSecond());
        now += 2 * SECOND;
        member("a", "a", 5_100, 5_100, 300, "d1");
        member("b", "a", 9_000, 9_000, 90_000, "d1");
        GroupPicture picture = picture();
        assertEquals(OptionalDouble.of(100), row(picture, "a").callsPerSecond());
        assertEquals(MemberRow.Kind.BEHIND, row(picture, "a").kind());
        assertEquals(OptionalDouble.of(44_955), picture.callsPerSecond());
        member("b", "a", 5_100, 5_100, 90_010, "d1");
        now += SECOND;
        member("a", "a", 5_200, 5_200, 350, "d1");
        assertEquals(OptionalDouble.of(50), picture().callsPerSecond());
    }

    @Test
    void aMemberThatStartedAgainHasNoRateUntilItWasAskedTwice() {
        picture();
        now += SECOND;
        member("a", "a", 5_100, 5_100, 7, "d1");
        assertEquals(OptionalDouble.empty(), row(picture(), "a").callsPerSecond());
        now += SECOND;
        statuses.put("a", Optional.empty());
        picture();
        now += SECOND;
        member("a", "a", 5_100, 5_100, 9, "d1");
        assertEquals(OptionalDouble.empty(), row(picture(), "a").callsPerSecond());
    }

    @Test
    void equalDigestsAtOnePositionAreKept() {
        assertEquals(OptionalLong.of(5_000), picture().agreed());
        member("a", "a", 5_010, 5_010, 100, "d2");
        assertEquals(OptionalLong.of(5_000), picture().agreed(), "no two members are at one position now");
        member("b", "a", 5_010, 5_010, 100, "d3");
        assertEquals(OptionalLong.of(5_000), picture().agreed(), "two are, with other digests");
        member("c", "a", 5_010, 5_010, 100, "d2");
        assertEquals(OptionalLong.of(5_010), picture().agreed());
    }
}
