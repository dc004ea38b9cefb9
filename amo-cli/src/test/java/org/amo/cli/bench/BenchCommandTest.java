package org.amo.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.amo.benchmarks.report.BenchReport;
import org.amo.benchmarks.report.BenchRow;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class BenchCommandTest {
    private static final BenchReport REPORT = new BenchReport(
            "sample",
            Map.of("calls", 3),
            List.of(new BenchRow("ours", Map.of("where", "here"), Map.of("microsPerCall", 12.5))),
            Map.of("loopback", Map.of("oursOverTheirs", 1.04), "bytes", 52.0),
            List.of("one remark"));

    @TempDir
    Path folder;

    @Test
    void aReportIsJsonWithTheFieldsOfEveryBenchAndFilesToLookAt() throws Exception {
        StringWriter out = new StringWriter();
        BenchOutput output = new BenchOutput();
        new CommandLine(CommandLine.Model.CommandSpec.create()
                        .addMixin("out", CommandLine.Model.CommandSpec.forAnnotatedObject(output)))
                .parseArgs("--quick", "--json", "-", "--out", folder.toString());
        int exitCode = output.run((quick, progress) -> REPORT, new PrintWriter(out), new PrintWriter(out));
        assertEquals(ExitCodes.OK, exitCode);
        JsonNode object = new ObjectMapper().readTree(out.toString());
        assertEquals("sample", object.get("bench").asText());
        assertTrue(object.at("/machine/cores").asInt() > 0);
        assertEquals(3, object.at("/settings/calls").asInt());
        assertEquals(12.5, object.at("/rows/0/metrics/microsPerCall").asDouble());
        assertEquals(1.04, object.at("/ratios/loopback/oursOverTheirs").asDouble());
        assertEquals(52, object.at("/ratios/bytes").asDouble());
        assertTrue(Files.readString(folder.resolve("sample.csv")).contains("microsPerCall,12.500"));
        assertTrue(Files.readString(folder.resolve("sample.svg")).contains("<rect"));
        assertTrue(Files.readString(folder.resolve("sample.md")).contains("| loopback.oursOverTheirs | 1.040 |"));
    }

    @Test
    void mistakesAreOneLineAndExitCode2() {
        for (String line : List.of("bench", "bench scnp", "bench scmp --fast")) {
            Run run = Run.of(line.split(" ", -1));
            assertEquals(ExitCodes.USER, run.exitCode(), line + run.err());
            assertTrue(run.isOneLineOfError(), line + run.err());
        }
    }
}
