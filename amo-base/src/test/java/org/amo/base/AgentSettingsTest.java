package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

final class AgentSettingsTest {
    private static final int OF_THE_AGENT = 3;
    private static final int DEFAULTS = 3;

    private static Map<String, String> compared(String kinds) {
        return compared(Map.of("amo.deterministic", kinds), true);
    }

    private static Map<String, String> compared(Map<String, String> properties, boolean hasAgent) {
        return AgentSettings.compared(name -> Optional.ofNullable(properties.get(name)), hasAgent);
    }

    @Test
    void thoseOfTheAgentAreComparedWhereItIsNamed() {
        assertEquals(Map.of(), compared(Map.of("amo.threads", "refuse"), true));
        Map<String, String> all =
                compared(Map.of("amo.deterministic", "time, random", "amo.deterministic.exclude", "org.b,org.a"), true);
        assertEquals("random,time", all.get("--deterministic (amo.deterministic)"));
        assertEquals("warn", all.get("--threads (amo.threads)"));
        assertEquals("org.a,org.b", all.get("amo.deterministic.exclude"));
    }

    @Test
    void defaultsAreComparedUnlessTheListOfKindsLeavesThemOut() {
        assertEquals(OF_THE_AGENT + DEFAULTS, compared("all").size());
        assertEquals(OF_THE_AGENT + DEFAULTS, compared("time, defaults").size());
        assertEquals(OF_THE_AGENT, compared("time,random,identity").size());
        assertEquals(OF_THE_AGENT, compared("none").size());
    }

    /** Its operations would differ from those of members that have the agent. */
    @Test
    void aProcessWithoutTheAgentIsRefusedWhereTheSettingAsksForIt() {
        String line = assertThrows(
                        IllegalArgumentException.class, () -> compared(Map.of("amo.deterministic", "all"), false))
                .getMessage();
        assertTrue(line.contains("needs the agent"), line);
        assertTrue(line.contains("./amo agent"), line);
        assertEquals(
                "none",
                compared(Map.of("amo.deterministic", "none"), false).get("--deterministic (amo.deterministic)"));
    }

    @Test
    void eachDefaultIsSeen() {
        Map<String, String> before = compared("all");
        TimeZone zone = TimeZone.getDefault();
        Locale locale = Locale.getDefault(Locale.Category.FORMAT);
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
            Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("is-IS"));
            Map<String, String> after = compared("all");
            assertEquals("Asia/Tokyo", after.get("the default time zone (-Duser.timezone)"));
            String name = "the default locale (-Duser.language, -Duser.country)";
            assertNotEquals(before.get(name), after.get(name));
        } finally {
            TimeZone.setDefault(zone);
            Locale.setDefault(Locale.Category.FORMAT, locale);
        }
    }
}
