package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CallLimitsTest {
    private static final OptionalLong ABSENT = OptionalLong.empty();
    private static final String PENDING_REPLY = "jacorb.connection.client.pending_reply_timeout";

    private static CallLimits limits(OptionalLong reply, OptionalLong request, Map<String, String> properties) {
        ClientSettings settings = ClientSettings.read(name -> Optional.ofNullable(properties.get(name)));
        return CallLimits.of(reply, request, settings);
    }

    @Test
    void anApplicationWithoutLimitsHasTheDeadlineAndTheGrace() {
        assertEquals(
                new CallLimits(60_000, 500, CallLimits.NONE, CallLimits.NONE), limits(ABSENT, ABSENT, Map.of()));
    }

    @Test
    void theApplicationsLimitEndsTheCallWithoutGrace() {
        assertEquals(
                new CallLimits(400, 0, 400, CallLimits.NONE), limits(OptionalLong.of(400), ABSENT, Map.of()));
        assertEquals(new CallLimits(1, 0, 1, CallLimits.NONE), limits(OptionalLong.of(-3), ABSENT, Map.of()));
    }

    @Test
    void theGraceEndsWithTheApplicationsLimit() {
        assertEquals(
                new CallLimits(60_000, 200, 60_200, CallLimits.NONE),
                limits(OptionalLong.of(60_200), ABSENT, Map.of()));
    }

    @Test
    void theTimeToSendIsNoTimeForTheReply() {
        assertEquals(
                new CallLimits(60_000, 500, CallLimits.NONE, 300), limits(ABSENT, OptionalLong.of(300), Map.of()));
    }

    @Test
    void theOrbsLimitForRepliesHoldsWhereNoPolicyDoes() {
        Map<String, String> orb = Map.of(PENDING_REPLY, "700");
        assertEquals(new CallLimits(700, 0, 700, CallLimits.NONE), limits(ABSENT, ABSENT, orb));
        assertEquals(new CallLimits(900, 0, 900, CallLimits.NONE), limits(OptionalLong.of(900), ABSENT, orb));
        for (String none : new String[] {"0", "-1", "soon"}) {
            assertEquals(
                    CallLimits.NONE,
                    limits(ABSENT, ABSENT, Map.of(PENDING_REPLY, none)).replyMillis());
        }
    }
}
