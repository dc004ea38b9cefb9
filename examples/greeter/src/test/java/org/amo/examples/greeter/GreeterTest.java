package org.amo.examples.greeter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class GreeterTest {
    @TempDir
    private Path folder;

    /** The first call after a restart may be older than the server's memory; then it is refused and did not run. */
    @Test
    @Timeout(60)
    void noNumberIsGivenTwiceAcrossARestart() throws Exception {
        List<String> lines = Greeter.run(folder);
        assertEquals("hello, Ada, you are number 1", lines.get(0));
        assertEquals("hello, Grace, you are number 2", lines.get(1));
        String first = lines.get(3);
        boolean greeted = first.equals("hello, Barbara, you are number 3");
        assertTrue(greeted || first.contains("STALE"), first);
        assertEquals("hello, Liuba, you are number " + (greeted ? 4 : 3), lines.get(4));
    }
}
