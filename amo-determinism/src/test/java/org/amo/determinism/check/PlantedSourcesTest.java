package org.amo.determinism.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every source that an operation of the planted program reaches is found where it is, and no other. */
final class PlantedSourcesTest {
    @TempDir
    private static Path folder;

    private static ScanResult result;

    @BeforeAll
    static void scan() throws IOException {
        result = DeterminismCheck.ofClassPath(List.of(PlantedProgram.compile("planted", folder)))
                .run();
    }

    @Test
    void eachSourceIsFoundInItsLineAndNoneElsewhere() throws IOException {
        Set<String> marks = PlantedProgram.marks("planted");
        assertTrue(marks.size() > 70, marks::toString);
        assertEquals(
                String.join("\n", marks),
                result.findings().stream()
                        .map(PlantedProgram::mark)
                        .collect(Collectors.toCollection(TreeSet::new))
                        .stream()
                        .collect(Collectors.joining("\n")));
    }

    @Test
    void thePathLeadsFromTheOperationToTheUse() {
        assertEquals(
                List.of("TillServant.ways > PlainLedger.note > BaseLedger.note > System.currentTimeMillis"),
                result.findings().stream()
                        .filter(finding -> finding.type().equals("planted.BaseLedger"))
                        .map(finding -> String.join(" > ", finding.path()))
                        .toList());
    }
}
