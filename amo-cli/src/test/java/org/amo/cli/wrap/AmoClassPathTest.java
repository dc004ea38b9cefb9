package org.amo.cli.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.amo.core.replica.Replica;
import org.amo.interceptors.MinorCodes;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.Test;

/** What a wrapped program gets. */
class AmoClassPathTest {
    private static final long MOST_BYTES = 12_000_000;

    @Test
    void aWrappedProgramGetsAReplicaForCorbaAndLittleElse() throws Exception {
        List<String> entries = AmoClassPath.entries();
        for (Class<?> needed : List.of(Replica.class, AmoReplica.class, MinorCodes.class)) {
            String location = Path.of(needed.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
            assertTrue(entries.contains(location), needed + " is in none of " + entries);
        }
        for (String other :
                List.of("rocksdb", "aeron", "quic", "jackson", "picocli", "amo-sim", "amo-cli", "chronicle")) {
            assertEquals(
                    List.of(),
                    entries.stream()
                            .filter(entry -> entry.contains("/" + other))
                            .toList(),
                    other);
        }
        // In a build of all phases each entry is a jar; classes in folders are not packed, so they do not count.
        long bytes = entries.stream()
                .map(File::new)
                .filter(File::isFile)
                .mapToLong(File::length)
                .sum();
        assertTrue(bytes < MOST_BYTES, bytes + " bytes of jars: " + entries);
    }
}
