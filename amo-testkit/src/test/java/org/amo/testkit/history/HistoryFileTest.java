package org.amo.testkit.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

class HistoryFileTest implements HostileBytes {
    private static byte[] line(String line) {
        return line.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "line of a history",
                IllegalArgumentException.class,
                bytes -> HistoryFile.parse(List.of(new String(bytes, StandardCharsets.UTF_8))),
                line("{\"type\":\"invoke\",\"client\":\"c\",\"id\":\"c-7\",\"op\":\"add\",\"arg\":[1,null],\"t\":1}"),
                line("{\"type\":\"ok\",\"client\":\"c1\",\"id\":\"c1-7\",\"value\":42,\"t\":2}"),
                line("{\"type\":\"exec\",\"replica\":\"a\",\"id\":\"c1-7\",\"pos\":12,\"value\":42}"),
                line("{\"type\":\"state\",\"replica\":\"b\",\"final\":{\"x\":1}}")));
    }

    @Test
    void everyKindOfEventIsRead() {
        History history = HistoryFile.parse(List.of(
                "{\"type\":\"invoke\",\"client\":\"c1\",\"id\":\"c1-7\",\"op\":\"add\",\"key\":\"k\",\"arg\":[1],\"t\":1}",
                "{\"type\":\"ok\",\"client\":\"c1\",\"id\":\"c1-7\",\"value\":42,\"t\":2}",
                "{\"type\":\"invoke\",\"client\":\"c1\",\"id\":\"c1-8\",\"op\":\"add\",\"t\":3}",
                "{\"type\":\"fail\",\"client\":\"c1\",\"id\":\"c1-8\",\"reason\":\"EXPIRED\",\"t\":4}",
                "{\"type\":\"invoke\",\"client\":\"c1\",\"id\":\"c1-9\",\"op\":\"add\",\"t\":5}",
                "{\"type\":\"info\",\"client\":\"c1\",\"id\":\"c1-9\",\"reason\":\"?\",\"t\":6}",
                "{\"type\":\"join\",\"replica\":\"a\",\"pos\":3}",
                "{\"type\":\"exec\",\"replica\":\"a\",\"id\":\"c1-7\",\"pos\":12,\"value\":42}",
                "{\"type\":\"crash\",\"replica\":\"a\"}",
                "",
                "{\"type\":\"state\",\"replica\":\"b\",\"final\":{\"x\":1}}"));
        assertEquals(
                new HistoryCall(
                        "c1",
                        "c1-7",
                        "add",
                        Optional.of(List.of(1L)),
                        OptionalLong.of(1),
                        HistoryCall.Outcome.OK,
                        Optional.of(42L),
                        OptionalLong.of(2)),
                history.calls().get("c1-7"));
        assertEquals(
                List.of(HistoryCall.Outcome.OK, HistoryCall.Outcome.FAIL, HistoryCall.Outcome.INFO),
                history.calls().values().stream().map(HistoryCall::outcome).toList());
        assertEquals(
                List.of(new ServiceLife(
                        "a", 1, 3, true, List.of(new ServiceLife.Execution("c1-7", 12, Optional.of(42L))))),
                history.lives());
        assertEquals(Map.of("b", Map.of("x", 1L)), history.states());
        assertTrue(history.flaws().isEmpty());
    }

    @Test
    void aLifeBeginsAfterACrash() {
        History history = HistoryFile.parse(List.of(
                "{\"type\":\"exec\",\"replica\":\"a\",\"id\":\"i\",\"pos\":1}",
                "{\"type\":\"crash\",\"replica\":\"a\"}",
                "{\"type\":\"join\",\"replica\":\"a\",\"pos\":1}"));
        assertEquals(
                List.of("a", "a (life 2)"),
                history.lives().stream().map(ServiceLife::toString).toList());
        assertEquals(
                List.of(0L, 1L),
                history.lives().stream().map(ServiceLife::joinedAt).toList());
    }

    @Test
    void whatIsNoEventIsNamedByItsLine() {
        assertMessage("line 2", "{\"type\":\"crash\",\"replica\":\"a\"}", "{");
        assertMessage("line 1", "{\"type\":\"sneeze\"}");
        assertMessage("'pos'", "{\"type\":\"exec\",\"replica\":\"a\",\"id\":\"i\"}");
    }

    private static void assertMessage(String part, String... lines) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> HistoryFile.parse(List.of(lines)));
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }
}
