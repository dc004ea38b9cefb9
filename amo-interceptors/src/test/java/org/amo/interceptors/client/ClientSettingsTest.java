package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.interceptors.jacorb.MemberAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientSettingsTest {
    @Test
    void everythingHasADefault() {
        ClientSettings settings = read(Map.of());
        assertEquals(60_000, settings.deadlineMillis());
        assertEquals(3_000, settings.attemptMillis());
        assertTrue(settings.sack());
        assertEquals(List.of(), settings.members());
        assertEquals(Optional.empty(), settings.history());
    }

    @Test
    void membersAreThoseOfTheCommandLine() {
        assertEquals(
                List.of(
                        new ClientSettings.NamedMember("a", new MemberAddress("127.0.0.1", 9801)),
                        new ClientSettings.NamedMember("b", new MemberAddress("127.0.0.2", 9802))),
                read(Map.of("amo.members", "a=127.0.0.1:7801/9801, b=127.0.0.2:9802"))
                        .members());
    }

    @ParameterizedTest
    @CsvSource({
        "amo.deadlineMillis, 0",
        "amo.deadlineMillis, soon",
        "amo.attemptMillis, -1",
        "amo.sack, maybe",
        "amo.firstCall, tcp",
        "amo.members, a",
        "amo.members, a=b",
        "amo.members, a=h:1/x",
        "amo.members, a=h:1/70000"
    })
    void whatCannotBeMeantIsNamed(String name, String value) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> read(Map.of(name, value)));
        assertTrue(refused.getMessage().contains(name) && refused.getMessage().contains("write"));
    }

    private static ClientSettings read(Map<String, String> properties) {
        return ClientSettings.read(name -> Optional.ofNullable(properties.get(name)));
    }
}
