package org.amo.examples.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the judge's own tests, where there is a python3. */
class JudgeTest {
    private static final long LIMIT_SECONDS = 60;

    @TempDir
    private Path folder;

    @BeforeEach
    void needsPython() throws InterruptedException {
        try {
            assumeTrue(run("--version") == 0, "python3 does not work here: the judge is not tested");
        } catch (IOException e) {
            assumeTrue(false, "python3 is not installed: the judge is not tested");
        }
    }

    @Test
    void theJudgeFindsWhatItsTestsPlant() throws IOException, InterruptedException {
        assertEquals(0, run("-m", "unittest", "test_judge_history"));
    }

    @Test
    void aFileThatIsNoHistoryIsExitCode2() throws IOException, InterruptedException {
        assertEquals(2, run("judge_history.py", "pom.xml"));
        assertEquals(2, run("judge_history.py", folder.resolve("none").toString()));
        assertEquals(2, run("judge_history.py"));
    }

    private int run(String... arguments) throws IOException, InterruptedException {
        String[] words = new String[arguments.length + 2];
        words[0] = "python3";
        words[1] = "-B";
        System.arraycopy(arguments, 0, words, 2, arguments.length);
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), "it did not end");
        String said = java.nio.file.Files.readString(output, StandardCharsets.UTF_8);
        assertTrue(!said.contains("FAILED") && !said.contains("Traceback"), said);
        return process.exitValue();
    }
}
