package org.amo.replication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/** Since when this machine has had power without a break: what a process stored before, the system may not have written. */
final class Boot {
    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");

    private Boot() {}

    /** The same in all processes until the machine starts again; another one in each process where the system does not say. */
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
