package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CallLimitsTest {
    private static final OptionalLong ABSENT = OptionalLong.empty();

    private static CallLimits limits(OptionalLong reply, OptionalLong request) {
        return CallLimits.of(reply, request, ClientSettings.read(name -> Optional.empty()));
    }

    @Test
    void anApplicationWithoutLimitsHasTheDeadlineAndTheGrace() {
        assertEquals(new CallLimits(60_000, 500, CallLimits.NONE, CallLimits.NONE), limits(ABSENT, ABSENT));
    }

    @Test
    void theApplicationsLimitEndsTheCallWithoutGrace() {
        assertEquals(new CallLimits(400, 0, 400, CallLimits.NONE), limits(OptionalLong.of(400), ABSENT));
        assertEquals(new CallLimits(1, 0, 1, CallLimits.NONE), limits(OptionalLong.of(-3), ABSENT));
    }

    @Test
    void theGraceEndsWithTheApplicationsLimit() {
        assertEquals(new CallLimits(60_000, 200, 60_200, CallLimits.NONE), limits(OptionalLong.of(60_200), ABSENT));
    }

    @Test
    void theTimeToSendIsNoTimeForTheReply() {
        assertEquals(new CallLimits(60_000, 500, CallLimits.NONE, 300), limits(ABSENT, OptionalLong.of(300)));
    }
}
