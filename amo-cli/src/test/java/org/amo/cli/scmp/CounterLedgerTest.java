package org.amo.cli.scmp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.amo.cli.wrap.AmoClassPath;
import org.amo.scmp.ConnectionId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CounterLedgerTest {
    private static final ConnectionId CALLER = new ConnectionId(1, 2, 3);

    @TempDir
    private Path folder = Path.of("unset");

    private static String call(CounterLedger ledger, String words) throws IOException {
        return new String(ledger.call(CALLER, words.getBytes(UTF_8)), UTF_8);
    }

    @Test
    void countersComeBackFromTheLinesAndALineWithoutItsEndDoesNotCount() throws IOException {
        Path file = folder.resolve("ledger");
        try (CounterLedger ledger = CounterLedger.open(file)) {
            assertEquals("3", call(ledger, "add apples 3"));
            assertEquals("1", call(ledger, "add apples -2"));
            assertEquals("5", call(ledger, "add pears 5"));
        }
        assertEquals(
                "apples 3 3 00000000000000010000000000000002/3",
                Files.readAllLines(file).get(0));
        Files.writeString(file, "apples 9 10 0000", StandardOpenOption.APPEND);
        try (CounterLedger ledger = CounterLedger.open(file)) {
            assertEquals("apples 1\npears 5", call(ledger, "all"));
            assertEquals("2", call(ledger, "add apples 1"));
        }
        assertEquals(4, Files.readAllLines(file).size());
    }

    @Test
    void aCallThatIsNoneLeavesNoLine() throws IOException {
        Path file = folder.resolve("ledger");
        try (CounterLedger ledger = CounterLedger.open(file)) {
            for (String words : new String[] {"", "add", "add apples", "add a b 1", "add apples 1\n", "get", "All"}) {
                assertThrows(IllegalArgumentException.class, () -> call(ledger, words), words);
            }
            call(ledger, "add apples " + "9".repeat(18));
            for (int i = 0; i < 8; i++) {
                call(ledger, "add apples " + "9".repeat(18));
            }
            assertThrows(ArithmeticException.class, () -> call(ledger, "add apples " + "9".repeat(18)));
        }
        assertEquals(9, Files.readAllLines(file).size());
    }

    @Test
    void anotherFileIsLeftAsItIs() throws IOException {
        Path file = Files.writeString(folder.resolve("notes"), "apples are fruit\n");
        String why =
                assertThrows(IOException.class, () -> CounterLedger.open(file)).getMessage();
        assertTrue(why.contains("line 1") && why.contains("--ledger"), why);
        assertEquals("apples are fruit\n", Files.readString(file));
    }

    @Test
    void aLedgerHasOneProcess() throws Exception {
        Path file = folder.resolve("ledger");
        try (CounterLedger ledger = CounterLedger.open(file)) {
            String why = assertThrows(IOException.class, () -> CounterLedger.open(file))
                    .getMessage();
            assertTrue(why.contains("another process"), why);
            assertEquals(Opener.REFUSED, Opener.run(file));
            assertEquals("1", call(ledger, "add apples 1"));
        }
        assertEquals(0, Opener.run(file));
    }

    /** Another process that wants the ledger. */
    static final class Opener {
        static final int REFUSED = 3;

        private Opener() {}

        public static void main(String[] args) {
            try {
                CounterLedger.open(Path.of(args[0])).close();
            } catch (IOException e) {
                System.exit(REFUSED);
            }
        }

        /** Returns its exit code. */
        static int run(Path file) throws IOException, InterruptedException {
            List<String> words = AmoClassPath.java("-XX:TieredStopAtLevel=1");
            words.addAll(List.of("-cp", System.getProperty("java.class.path"), Opener.class.getName()));
            words.add(file.toString());
            return new ProcessBuilder(words).inheritIO().start().waitFor();
        }
    }
}
