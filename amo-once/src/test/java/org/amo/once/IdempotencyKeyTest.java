package org.amo.once;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class IdempotencyKeyTest {
    @Test
    void aKeyHas255BytesAtMost() {
        assertEquals(255, IdempotencyKey.of("t", "ä".repeat(127) + "a").textBytes().length);
        told("has 256 bytes, and at most 255", () -> IdempotencyKey.of("t", "ä".repeat(128)));
        told("the tenant has 256 bytes", () -> IdempotencyKey.of("t".repeat(256), "k"));
        told("the key is empty", () -> IdempotencyKey.of("t", ""));
    }

    @Test
    void whatCouldNotBeToldApartIsRefused() {
        told("no valid Unicode", () -> IdempotencyKey.of("t", "k\ud800"));
        told("control characters", () -> IdempotencyKey.of("t", "k\nINFO all is well"));
    }

    /** RFC 9562, appendix A.6. */
    @Test
    void aUuidOfVersion7CarriesItsTime() {
        UUID example = UUID.fromString("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
        assertEquals(
                Optional.of(Instant.parse("2022-02-22T19:22:22Z")),
                IdempotencyKey.timed("t", example).created());
        assertEquals(
                Optional.empty(), IdempotencyKey.of("t", example.toString()).created());
        told("version 7", () -> IdempotencyKey.timed("t", UUID.fromString("919108f7-52d1-4320-9bac-f847db4148a8")));
        told("version 7", () -> new IdempotencyKey("t", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", true));
        told("no UUID", () -> new IdempotencyKey("t", "order-17", true));
    }

    @Test
    void aNewKeyIsOneOfItsOwnWithTheCallersTime() {
        Instant now = Instant.parse("2026-01-01T00:00:00.123Z");
        IdempotencyKey key = IdempotencyKey.create("t", now);
        assertEquals(Optional.of(now), key.created());
        assertNotEquals(key, IdempotencyKey.create("t", now));
        assertEquals(key, IdempotencyKey.timed("t", UUID.fromString(key.text())));
    }

    @Test
    void optionsThatCannotWorkAreNamed() {
        told(
                "at least four deadlines",
                () -> OnceOptions.builder().retention(Duration.ofSeconds(119)).build());
        told(
                "at most PT8784H",
                () -> OnceOptions.builder().retention(Duration.ofDays(367)).build());
        told(
                "lockTimeout at most as long",
                () -> OnceOptions.builder().lockTimeout(Duration.ofSeconds(31)).build());
        told(
                "attempts must be positive",
                () -> OnceOptions.builder().attempts(0).build());
        assertEquals(Duration.ofHours(24), OnceOptions.builder().build().retention());
    }

    /** Under another key, a repetition of one of these could have the effect twice. */
    @Test
    void exceptionsTellWhetherTheCallMayHaveRun() {
        Set<OnceException.Reason> mayHaveRun = EnumSet.noneOf(OnceException.Reason.class);
        for (OnceException.Reason reason : OnceException.Reason.values()) {
            if (new OnceException(reason, "test").mayHaveRun()) {
                mayHaveRun.add(reason);
            }
        }
        assertEquals(
                EnumSet.of(
                        OnceException.Reason.IN_PROGRESS,
                        OnceException.Reason.KEY_TOO_OLD,
                        OnceException.Reason.UNKNOWN),
                mayHaveRun);
    }

    private static void told(String part, Runnable mistake) {
        String message =
                assertThrows(IllegalArgumentException.class, mistake::run).getMessage();
        assertTrue(message.contains(part), message);
        assertEquals(1, message.lines().count(), message);
    }
}
