package org.amo.benchmarks.figures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JSON that is promised, and the report made of the same figures. */
final class FiguresTest {
    private static Figures figures() {
        Figures figures = new Figures("order");
        figures.settings().put("bytes", 280);
        figures.row(
                "raft memory",
                Map.of("outstanding", 64),
                Map.of("requestsPerSecond", Spread.of(List.of(10_000.0, 30_000.0, 20_000.0))));
        figures.ratios().put("amoOverRatis", Map.of("w64", 3.14159, "w256", Double.NaN));
        figures.atLeast("amo / Ratis", 2.5, 3);
        figures.atMost("bytes", 47, 48);
        figures.atLeast("never measured", Double.NaN, 0);
        figures.plots()
                .add(new Figures.Plot(
                        "order-plot",
                        "Title",
                        "x",
                        "y",
                        Map.of("one", new Figures.Series(List.of(1.0), List.of(2.0)))));
        return figures;
    }

    @Test
    void aSpreadIsTheMedianWithItsEnds() {
        assertEquals(new Spread(2.5, 1, 4, 4), Spread.of(List.of(4.0, 1.0, 2.0, 3.0)));
        assertEquals(new Spread(3, 1, 9, 3), Spread.of(List.of(9.0, 1.0, 3.0)));
        assertTrue(Double.isNaN(Spread.of(List.of()).median()));
    }

    @Test
    void aRoundWithoutAValueIsNeitherTheLargestNorLeftOut() {
        assertTrue(Double.isNaN(Spread.of(List.of(1.0, Double.NaN, 2.0)).median()));
        Spread ratio = Spread.ratio(List.of(10.0, 0.0, 10.0), List.of(5.0, 0.0, 5.0), Double::doubleValue);
        assertTrue(Double.isNaN(ratio.median()), "neither side made a call");
        assertEquals(3, ratio.rounds());
    }

    @Test
    void aBaseThatStoodStillOnceIsAnOutlierAndOneThatMostlyDidIsNone() {
        List<Double> ours = List.of(10.0, 10.0, 10.0);
        assertEquals(
                2,
                Spread.ratio(ours, List.of(5.0, 0.0, 5.0), Double::doubleValue).median());
        Figures figures = new Figures("order");
        figures.atLeast(
                "amo / peer",
                Spread.ratio(ours, List.of(0.0, 0.0, 5.0), Double::doubleValue).median(),
                3);
        assertFalse(figures.good());
    }

    @Test
    void aBarOverNothingIsNotReached() {
        Figures figures = new Figures("order");
        figures.atLeast("amo / a peer that did nothing", Double.POSITIVE_INFINITY, 3);
        figures.atMost("amo / a peer that did nothing", Double.NEGATIVE_INFINITY, 3);
        assertTrue(figures.bars().stream().noneMatch(Figures.Bar::reached));
        assertFalse(figures.good());
    }

    @Test
    void theJsonHasTheFieldsOfTheContract() {
        JsonNode json = FiguresJson.of(figures(), true, "abc");
        assertEquals("order", json.path("bench").asText());
        for (String field : List.of("cores", "kernel", "jdk")) {
            assertTrue(json.path("machine").hasNonNull(field), field);
        }
        assertTrue(json.path("settings").path("quick").asBoolean());
        assertEquals(280, json.path("settings").path("bytes").asInt());
        JsonNode row = json.path("rows").get(0);
        assertEquals("raft memory", row.path("name").asText());
        assertEquals(64, row.path("settings").path("outstanding").asInt());
        assertEquals(20_000, row.path("metrics").path("requestsPerSecond").asDouble());
        assertEquals(10_000, row.path("metrics").path("requestsPerSecondLeast").asDouble());
        assertEquals(30_000, row.path("metrics").path("requestsPerSecondMost").asDouble());
        assertEquals(3, row.path("metrics").path("requestsPerSecondRounds").asInt());
        assertEquals(3.142, json.path("ratios").path("amoOverRatis").path("w64").asDouble());
        assertTrue(json.path("ratios").path("amoOverRatis").path("w256").isNull(), "JSON has no NaN");
    }

    @Test
    void aBarIsReachedOrNotAndWhatWasNotMeasuredIsNot() {
        List<Boolean> reached =
                figures().bars().stream().map(Figures.Bar::reached).toList();
        assertEquals(List.of(false, true, false), reached);
    }

    @Test
    void thePageOfJmhHasItsBarsAboveItsBenchmarks(@TempDir Path folder) throws IOException {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        ComparisonReport.writeJmh(folder, nodes.arrayNode(), figures(), nodes.objectNode(), "abc");
        String page = Files.readString(folder.resolve("jmh.md"));
        int bar = page.indexOf("| amo / Ratis | 2.5 | at least 3 | **not reached** |");
        assertTrue(bar > 0 && bar < page.indexOf("| benchmark | ns |"), page);
    }

    @Test
    void theReportSetsBarsRatiosRowsAndPlots(@TempDir Path folder) throws IOException {
        ComparisonReport.write(folder, figures(), true, "abc");
        String page = Files.readString(folder.resolve("order.md"));
        assertTrue(page.contains("| amo / Ratis | 2.5 | at least 3 | **not reached** |"), page);
        assertTrue(page.contains("| bytes | 47 | at most 48 | reached |"), page);
        assertTrue(page.contains("amoOverRatis.w64"), page);
        assertTrue(page.contains("20,000 [10,000 .. 30,000]"), page);
        assertTrue(page.contains("./amo bench order --quick"), page);
        String csv = Files.readString(folder.resolve("order.csv"));
        assertEquals(
                List.of(
                        "name,outstanding,requestsPerSecond,requestsPerSecondLeast,requestsPerSecondMost",
                        "raft memory,64,20000.0,10000.0,30000.0"),
                csv.lines().toList());
        String svg = Files.readString(folder.resolve("order-plot.svg"));
        assertTrue(svg.contains("<svg") && svg.contains("</svg>"), "a plot");
        assertFalse(Files.exists(folder.resolve("order-plot.svg.svg")));
        assertFalse(Pattern.compile("\\.\\d\\d").matcher(svg).find(), "a tenth of a pixel is enough");
    }
}
