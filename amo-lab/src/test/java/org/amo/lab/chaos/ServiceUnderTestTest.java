package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.amo.core.replica.ReplicaSettings.Style;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The options without which a run of the bank that draws would prove nothing. */
final class ServiceUnderTestTest {
    private static final String WITHOUT_AGENT = "-Damo.deterministic=none";

    @Test
    void inStylePassiveNoAgentMakesASecondExecutionDrawTheSame() {
        List<String> options = ServiceUnderTest.NONDETERMINISTIC.options(Style.PASSIVE);
        assertTrue(options.contains(WITHOUT_AGENT), options::toString);
        assertTrue(options.stream().noneMatch(option -> option.endsWith(".timers=true")), options::toString);
    }

    @ParameterizedTest
    @EnumSource(value = Style.class, mode = EnumSource.Mode.EXCLUDE, names = "PASSIVE")
    void whereAllMembersExecuteTheAgentOrdersTheTimers(Style style) {
        List<String> options = ServiceUnderTest.NONDETERMINISTIC.options(style);
        assertFalse(options.contains(WITHOUT_AGENT), options::toString);
        assertTrue(options.contains("-Damo.threads=ordered"), options::toString);
        assertTrue(options.stream().anyMatch(option -> option.endsWith(".timers=true")), options::toString);
    }

    @ParameterizedTest
    @EnumSource(Style.class)
    void otherServicesNeedNone(Style style) {
        assertEquals(List.of(), ServiceUnderTest.BANK.options(style));
        assertEquals(List.of(), ServiceUnderTest.COUNTER.options(style));
        assertEquals(List.of(), ServiceUnderTest.CHAIN.options(style));
    }
}
