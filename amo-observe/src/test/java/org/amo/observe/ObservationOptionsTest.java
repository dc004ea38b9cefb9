package org.amo.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObservationOptionsTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path folder;

    @Test
    void aPortAloneIsOfThisMachineAlone() {
        assertEquals(new ObservationOptions("127.0.0.1", 9464, Optional.empty()), options("9464"));
        assertEquals("127.0.0.1", ObservationOptions.builder(0).build().host());
    }

    @Test
    void aHostStandsBeforeThePortAndAnIpv6AddressInBrackets() {
        assertEquals("0.0.0.0", options("0.0.0.0:9464").host());
        assertEquals("monitor.example", options("monitor.example:9464").host());
        assertEquals("::1", options("[::1]:9464").host());
    }

    @Test
    void anythingElseIsRefusedWithTheRightForm() {
        for (String wrong : List.of("", "x", "0", "65536", ":9464", "a:", "::1:9464", "a b:9464", "http://a:9464/")) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> options(wrong), wrong);
            assertEquals(1, e.getMessage().lines().count());
        }
        assertTrue(assertThrows(IllegalArgumentException.class, () -> options("x"))
                .getMessage()
                .contains("[HOST:]PORT"));
    }

    @Test
    void aTokenThatCanBeGuessedOrCannotBeSentIsRefused() {
        String letters = "0123456789abcde";
        for (String wrong : List.of("short", letters, letters + " x", letters + "x\n", "ä".repeat(20))) {
            ObservationOptions.Builder builder = ObservationOptions.builder(0).token(wrong);
            String message = assertThrows(IllegalArgumentException.class, builder::build, wrong)
                    .getMessage();
            assertFalse(message.contains(wrong), "it shows the token");
        }
    }

    @Test
    void aTokenComesFromAFileWithoutItsLastLineBreak() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        assertEquals(
                Optional.of(TOKEN),
                ObservationOptions.builder(0).tokenFile(file).build().token());
        Path none = folder.resolve("none");
        assertThrows(
                UncheckedIOException.class, () -> ObservationOptions.builder(0).tokenFile(none));
    }

    @Test
    void noTextShowsTheToken() {
        ObservationOptions options =
                ObservationOptions.builder(9464).token(TOKEN).build();
        assertFalse(options.toString().contains(TOKEN), options::toString);
        assertTrue(options.toString().contains("127.0.0.1:9464"), options::toString);
    }

    private static ObservationOptions options(String address) {
        return ObservationOptions.builder(address).build();
    }
}
