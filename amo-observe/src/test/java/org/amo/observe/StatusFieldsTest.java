package org.amo.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StatusFieldsTest {

    @Test
    void aStatusHasNumbersTextsAndObjects() {
        StatusFields status = StatusFields.read(
                        "{\"id\":\"a\", \"position\":7,\"upper\":-9223372036854775808,\n"
                                + "\"entries\":{\"total\":20,\"ticks\":1},\"none\":{},\"trouble\":\"a \\\"b\\\" \\\\ \\u000a\\u00e9\"}")
                .orElseThrow();
        assertEquals("a", status.text("id"));
        assertEquals(7, status.number("position"));
        assertEquals(Long.MIN_VALUE, status.number("upper"));
        assertEquals(20, status.object("entries").number("total"));
        assertEquals("a \"b\" \\ \né", status.text("trouble"));
        assertTrue(status.has("none"));
        assertFalse(status.has("other"));
    }

    @Test
    void anAbsentFieldOrOneOfAnotherKindIsZeroOrEmpty() {
        StatusFields status = StatusFields.read("{\"id\":\"a\",\"position\":7}").orElseThrow();
        assertEquals(0, status.number("id"));
        assertEquals("", status.text("position"));
        assertEquals(0, status.object("id").number("x"));
        assertEquals(0, status.number("other"));
    }

    @Test
    void anotherTextIsNoStatus() {
        for (String text : List.of(
                "",
                "{",
                "{}x",
                "[]",
                "7",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{\"a\":1.5}",
                "{\"a\":--}",
                "{\"a\":true}",
                "{\"a\":99999999999999999999}",
                "{\"a\":\"",
                "{\"a\":\"\\",
                "{\"a\":\"\\u00",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u00g0\"}",
                "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":1}}}}}",
                "{\"a\":\"" + "x".repeat(StatusFields.MOST_LETTERS) + "\"}",
                "{\"a\":".repeat(10_000))) {
            assertEquals(
                    Optional.empty(),
                    StatusFields.read(text).map(StatusFields::toString),
                    text.substring(0, Math.min(40, text.length())));
        }
    }
}
