package org.amo.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ScmpCommandTest {
    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void aServerIsInitializedOnceAndNotAgainAfterItsFileIsLost() throws Exception {
        Path file = folder.resolve("latest");
        assertEquals(ExitCodes.OK, Run.of("scmp", "init", file.toString()).exitCode());
        assertTrue(Files.exists(file));
        Files.delete(file);
        Run again = Run.of("scmp", "init", file.toString());
        assertEquals(ExitCodes.USER, again.exitCode());
        assertTrue(again.isOneLineOfError(), again.err());
        assertTrue(Files.notExists(file));
    }

    @Test
    void withoutItsPartTheCommandSaysWhich() {
        Run run = Run.of("scmp");
        assertEquals(ExitCodes.USER, run.exitCode());
        assertTrue(run.isOneLineOfError(), run.err());
    }
}
