package org.amo.lab.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class RetryStormTest {
    @Test
    void aPlainRetryHasTwoEffectsAndOneWithAKeyHasOne() {
        RetryStormResult result = new RetryStorm(2, 7).run("none");
        assertEquals(20, result.calls());
        assertEquals(20, result.ok());
        assertEquals(40, result.lostAnswers());
        assertEquals(40, result.plain().effects());
        assertEquals(20, result.plain().executedTwice());
        assertEquals(20, result.amo().effects());
        assertEquals(0, result.executedTwice());
        assertEquals(0, result.lost());
        assertEquals(20, result.duplicatesSuppressed());
        assertTrue(result.passed());
        StringWriter text = new StringWriter();
        DemoPrinter.print(result, new PrintWriter(text, true));
        assertTrue(text.toString().contains("plain client  2 effects for each call"), text::toString);
        assertTrue(text.toString().contains("amo client    1 effects for each call"), text::toString);
    }

    @Test
    void aStormThatHarmsNoOneFails() {
        RetryStormResult.Side unharmed = new RetryStormResult.Side(1, 1, 1, 0, 0);
        RetryStormResult.Side harmed = new RetryStormResult.Side(1, 1, 2, 1, 0);
        assertTrue(result(harmed, 0, 1).passed());
        assertFalse(result(unharmed, 0, 1).passed());
        assertFalse(result(harmed, 1, 1).passed());
        assertFalse(result(harmed, 0, 0).passed());
    }

    private static RetryStormResult result(RetryStormResult.Side plain, long twice, long ok) {
        return new RetryStormResult(1, ok, 0, 0, 1, twice, 0, 1, plain, plain, 1, "none");
    }
}
