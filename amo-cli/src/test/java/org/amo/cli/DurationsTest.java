package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({"20s,20000", "500ms,500", "2m,120000", "1.5s,1500", "1h,3600000", "0.25m,15000"})
    void aNumberAndAUnitAreADuration(String text, long millis) {
        assertEquals(millis, Durations.parseMillis(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"20", "s", "-1s", "20 s", "1d", "", "never", "0s", "0.1ms", "1e3s"})
    void anythingElseIsRefused(String text) {
        assertThrows(TypeConversionException.class, () -> Durations.parseMillis(text));
    }

    @ParameterizedTest
    @CsvSource({"20000,20s", "500,500ms", "120000,2m", "1500,1500ms"})
    void theShortestFormIsWritten(long millis, String text) {
        assertEquals(text, Durations.format(millis));
    }

    @Test
    void sizesCountInPowersOf1024() {
        Sizes sizes = new Sizes();
        assertEquals(256L << 20, sizes.convert("256MB"));
        assertEquals(64L << 10, sizes.convert("64kB"));
        assertEquals(1L << 30, sizes.convert("1gb"));
        assertEquals(512L, sizes.convert("512B"));
        assertThrows(TypeConversionException.class, () -> sizes.convert("256"));
        assertThrows(TypeConversionException.class, () -> sizes.convert("0MB"));
    }
}
