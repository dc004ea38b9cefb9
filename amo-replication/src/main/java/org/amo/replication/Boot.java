package org.amo.replication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/** Identifies the current boot of the machine. Unforced writes of an earlier boot may be lost. */
final class Boot {
    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");

    private Boot() {}

    /** The same in all processes until the next boot. A random number for each process if the system names no boot. */
    static long id() {
        try {
            return mix(UUID.fromString(
                    Files.readString(LINUX, StandardCharsets.US_ASCII).strip()));
        } catch (IOException | IllegalArgumentException e) {
            return ProcessHandle.of(1)
                    .flatMap(first -> first.info().startInstant())
                    .map(Instant::toEpochMilli)
                    .orElseGet(() -> mix(UUID.randomUUID()));
        }
    }

    private static long mix(UUID id) {
        return id.getMostSignificantBits() ^ id.getLeastSignificantBits();
    }
}
