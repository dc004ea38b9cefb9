package org.amo.lab.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildTest {
    @TempDir
    private Path folder;

    @Test
    void theReasonOfAnEndIsToldThoughAnotherThreadPrintsBehindIt() {
        assertEquals(
                "amo: member a gives its state up",
                lastWords("echo starting; echo 'amo: member a gives its state up'; echo 'WARNING: a fault'"));
    }

    @Test
    void withoutAReasonTheLineWithTheExceptionIsTold() {
        assertEquals("java.io.IOException: no", lastWords("echo 'java.io.IOException: no'; echo '    at a.B.c'; echo"));
        assertEquals("it printed nothing", lastWords("true"));
    }

    @Test
    void whatAProgramSaidLongBeforeIsNotTheReasonOfItsEnd() {
        assertEquals("line 30", lastWords("echo 'amo: begins'; for i in $(seq 30); do echo line $i; done"));
    }

    /** A program without an end of its own. */
    public static final class Waiting {
        private Waiting() {}

        public static void main(String[] args) throws InterruptedException {
            Thread.currentThread().join();
        }
    }

    /** The end of the parent's process is the end of that stream, too. */
    @Test
    void aProgramEndsWithItsLeash() throws Exception {
        List<String> words = Programs.small(Waiting.class, List.of()).words();
        Child child = Child.quiet("waiting", words, folder.resolve("output"));
        try {
            child.dropLeash();
            assertTrue(child.awaitEnd(TimeUnit.SECONDS.toMillis(30)), child::lastWords);
            assertEquals(143, child.exitCode(), child::lastWords);
        } finally {
            child.kill();
        }
    }

    private String lastWords(String script) {
        Child child = Child.quiet("child", List.of("bash", "-c", script), folder.resolve("output"));
        assertTrue(child.awaitEnd(TimeUnit.SECONDS.toMillis(30)));
        return child.lastWords();
    }
}
