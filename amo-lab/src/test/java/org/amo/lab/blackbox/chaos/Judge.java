package org.amo.lab.blackbox.chaos;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The bank's own judge, a program in another language by other means. */
final class Judge {
    private static final Path PROGRAM = Path.of("..", "examples", "bank", "judge_history.py");
    private static final long LIMIT_SECONDS = 60;

    private Judge() {}

    /** Whether there is a python3 to run it. */
    static boolean isThere() throws InterruptedException {
        try {
            return run("--version") == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether it lets a history pass. */
    static boolean passes(Path history) throws IOException, InterruptedException {
        int exit = run("-B", PROGRAM.toString(), history.toString());
        assertTrue(exit == 0 || exit == 1, "the judge could not read " + history);
        return exit == 0;
    }

    private static int run(String... arguments) throws IOException, InterruptedException {
        String[] words = new String[arguments.length + 1];
        words[0] = "python3";
        System.arraycopy(arguments, 0, words, 1, arguments.length);
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the judge does not end");
        }
        return process.exitValue();
    }
}
