package org.amo.examples.grid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three processes and a kill -9 of the one that has the sequencer: the tutorial about ordered multicast. */
@Timeout(120)
class GridProcessTest {
    private static final Pattern WORKS = Pattern.compile("site \\d: [1-9]\\d* operations, .*");

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    private BufferedReader start(int site, int firstPort) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GridProcess.class.getName(),
                        Integer.toString(site),
                        Integer.toString(firstPort))
                .redirectErrorStream(true)
                .start();
        processes.add(process);
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Reads until a second in which the site did something, after so many lines. */
    private static void awaitWork(BufferedReader site, int linesBefore) throws IOException {
        for (int i = 0; i < linesBefore; i++) {
            site.readLine();
        }
        String line = site.readLine();
        while (line != null && !WORKS.matcher(line).matches()) {
            line = site.readLine();
        }
        if (line == null) {
            throw new AssertionError("the site has ended");
        }
    }

    @Test
    void theOthersWorkOnWithoutASiteAndItsSequencer() throws Exception {
        int firstPort = FreePorts.find(1).get(0);
        BufferedReader first = start(1, firstPort);
        BufferedReader second = start(2, firstPort);
        BufferedReader third = start(3, firstPort);
        awaitWork(first, 0);
        awaitWork(second, 0);
        awaitWork(third, 0);
        processes.get(0).destroyForcibly().waitFor();
        awaitWork(second, 2);
        awaitWork(third, 2);
        awaitWork(start(1, firstPort), 0);
    }

    @Test
    void aMistakeIsToldInOneLine() throws Exception {
        assertEquals(
                "say which site this is: GridProcess 1|2|3 [FIRST_PORT]",
                start(0, 1).readLine());
        assertEquals(2, processes.get(0).waitFor());
    }
}
