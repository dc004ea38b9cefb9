package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

final class ProcessDefaultsTest {
    private static Map<String, String> compared(String kinds) {
        return ProcessDefaults.compared(name -> Optional.of(kinds).filter(value -> !value.isEmpty()));
    }

    @Test
    void theyAreComparedWithTheAgentUnlessTheListOfKindsLeavesThemOut() {
        assertEquals(3, compared("all").size());
        assertEquals(3, compared("time, defaults").size());
        assertEquals(Map.of(), compared("time,random,identity"));
        assertEquals(Map.of(), compared("none"));
        assertEquals(Map.of(), compared(""));
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
