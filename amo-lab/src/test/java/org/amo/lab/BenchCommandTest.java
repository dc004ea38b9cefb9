package org.amo.lab;

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
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.cli.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class BenchCommandTest {
    /** A measurement that is over at once. */
    private record Sample(double least) implements Bench {
        @Override
        public String name() {
            return "sample";
        }

        @Override
        public String description() {
            return "What it measures.";
        }

        @Override
        public Figures measure(Run run) {
            Figures figures = new Figures(name());
            figures.settings().put("calls", 3);
            figures.row("ours", Map.of("where", "here"), Map.of("microsPerCall", 12.5));
            figures.ratios().put("loopback", Map.of("oursOverTheirs", 1.04));
            figures.atLeast("ours / theirs", 1.04, least);
            figures.columns().add(new Figures.Columns("sample", "Sample", "microseconds", Map.of("ours", 12.5)));
            figures.remarks().add("one remark");
            return figures;
        }
    }

    @TempDir
    Path folder;

    @Test
    void figuresAreJsonWithTheFieldsOfEveryBenchAndFilesToLookAt() throws Exception {
        StringWriter out = new StringWriter();
        CommandLine command = FiguresCommand.of(new Sample(1)).setOut(new PrintWriter(out));
        assertEquals(ExitCodes.OK, command.execute("--quick", "--json", "-", "--out", folder.toString()));
        JsonNode object = new ObjectMapper().readTree(out.toString());
        assertEquals("sample", object.get("bench").asText());
        assertTrue(object.at("/machine/cores").asInt() > 0);
        assertEquals(3, object.at("/settings/calls").asInt());
        assertTrue(object.at("/settings/quick").asBoolean());
        assertEquals(12.5, object.at("/rows/0/metrics/microsPerCall").asDouble());
        assertEquals(1.04, object.at("/ratios/loopback/oursOverTheirs").asDouble());
        assertEquals("one remark", object.at("/remarks/0").asText());
        assertTrue(Files.readString(folder.resolve("sample.csv")).contains("12.5"));
        assertTrue(Files.readString(folder.resolve("sample.svg")).contains("<svg"));
        assertTrue(Files.readString(folder.resolve("sample.md")).contains("| loopback.oursOverTheirs | 1.04 |"));
    }

    @Test
    void aMissedBarIsACheckThatFailed() {
        StringWriter out = new StringWriter();
        CommandLine command = FiguresCommand.of(new Sample(2)).setOut(new PrintWriter(out));
        assertEquals(ExitCodes.CHECK_FAILED, command.execute("--quick"));
        assertTrue(out.toString().contains("NOT REACHED  ours / theirs: 1.04, bar at least 2"), out.toString());
    }

    @Test
    void aMissedBarOfJmhIsACheckThatFailed() throws Exception {
        assertEquals(ExitCodes.OK, reportClocks(40, "reached      currentTimeMillis"));
        assertEquals(ExitCodes.CHECK_FAILED, reportClocks(41, "NOT REACHED  currentTimeMillis"));
    }

    /** The exit code for a clock of 20 ns and one by the agent of so many. */
    private static int reportClocks(int byTheAgent, String said) throws Exception {
        StringWriter out = new StringWriter();
        JmhBenchCommand command = new JmhBenchCommand();
        new CommandLine(command).setOut(new PrintWriter(out));
        String clock = "{\"benchmark\":\"org.amo.benchmarks.jmh.ClockBenchmark.%s\",\"primaryMetric\":{\"score\":%d}}";
        String results = "[" + clock.formatted("plainMillis", 20) + ","
                + clock.formatted("replacedMillisInside", byTheAgent) + "]";
        int exitCode = command.report(new ObjectMapper().readTree(results));
        assertTrue(out.toString().contains(said), out.toString());
        return exitCode;
    }

    @Test
    void allHaveAnObjectEachInOneJson() throws Exception {
        StringWriter out = new StringWriter();
        CommandLine command = FiguresCommand.ofAll(List.of(new Sample(1))).setOut(new PrintWriter(out));
        assertEquals(ExitCodes.OK, command.execute("--json", "-", "--out", folder.toString()));
        String bars = Files.readString(folder.resolve("bars.md"));
        assertTrue(bars.contains("[sample](sample.md)"), bars);
        assertTrue(bars.contains("| ours / theirs | 1.04 | at least 1 | reached |"), bars);
        assertTrue(bars.contains("Apache Ratis 3."), "versions: " + bars);
        assertEquals(
                "sample",
                new ObjectMapper().readTree(out.toString()).at("/sample/bench").asText());
    }

    @Test
    void mistakesAreOneLineAndExitCode2() {
        for (String line : List.of("bench", "bench scnp", "bench scmp --fast")) {
            org.amo.cli.Run run = org.amo.cli.Run.of(line.split(" ", -1));
            assertEquals(ExitCodes.USER, run.exitCode(), line + run.err());
            assertTrue(run.isOneLineOfError(), line + run.err());
        }
    }
}
