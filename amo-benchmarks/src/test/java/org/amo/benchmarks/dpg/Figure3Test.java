package org.amo.benchmarks.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The bar is over messages in agreed order. */
class Figure3Test {
    private static Figure3.Result result(double violationsPerMillion) {
        return new Figure3.Result(700, 10, 0, 0, 5, violationsPerMillion);
    }

    @Test
    void aMessageOutOfTheAgreedOrderDoesNotCount() {
        assertEquals(700, result(0).agreedPerSecond());
        assertEquals(693, result(10_000).agreedPerSecond(), 0.001);
    }

    @Test
    void withoutASiteToCompareWithNothingIsAgreed() {
        assertTrue(Double.isNaN(result(Double.NaN).agreedPerSecond()));
    }
}
