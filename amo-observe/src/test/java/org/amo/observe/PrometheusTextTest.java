package org.amo.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Reading;
import org.amo.base.observe.TimeHistogram;
import org.amo.observe.PrometheusText.Format;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {
    private final FakeMember a = new FakeMember("bank", "a");
    private final FakeMember b = new FakeMember("bank", "b");

    @Test
    void theFormatOfPrometheusHasOneHeadForEachFamily() {
        assertEquals(
                """
                # HELP amo_replica_position Position of the last delivered entry
                # TYPE amo_replica_position gauge
                amo_replica_position{group="bank",id="a"} 7
                amo_replica_position{group="bank",id="b"} 7
                # HELP amo_replica_refusals_total Refusals
                # TYPE amo_replica_refusals_total counter
                amo_replica_refusals_total{group="bank",id="a",reason="STALE"} 2
                amo_replica_refusals_total{group="bank",id="b",reason="STALE"} 2
                """,
                PrometheusText.write(List.of(a, b), Format.TEXT));
    }

    @Test
    void openMetricsNamesTheFamilyOfACounterWithoutTotalAndHasAnEnd() {
        assertEquals(
                """
                # HELP amo_replica_position Position of the last delivered entry
                # TYPE amo_replica_position gauge
                amo_replica_position{group="bank",id="a"} 7
                # HELP amo_replica_refusals Refusals
                # TYPE amo_replica_refusals counter
                amo_replica_refusals_total{group="bank",id="a",reason="STALE"} 2
                # EOF
                """,
                PrometheusText.write(List.of(a), Format.OPEN_METRICS));
    }

    @Test
    void labelsAndHelpAreEscaped() {
        a.readings = List.of(Reading.gauge("amo_x", 1, "a \\ and \"b\"\nnext").with("cause", "c:\\d \"e\"\nf"));
        assertEquals(
                """
                # HELP amo_x a \\\\ and "b"\\nnext
                # TYPE amo_x gauge
                amo_x{group="bank",id="a",cause="c:\\\\d \\"e\\"\\nf"} 1
                """,
                PrometheusText.write(List.of(a), Format.TEXT));
        assertEquals(
                """
                # HELP amo_x a \\\\ and \\"b\\"\\nnext
                # TYPE amo_x gauge
                amo_x{group="bank",id="a",cause="c:\\\\d \\"e\\"\\nf"} 1
                # EOF
                """,
                PrometheusText.write(List.of(a), Format.OPEN_METRICS));
    }

    @Test
    void anEmptyLabelIsLeftOut() {
        Observed client = new FakeMember("", "c");
        assertEquals(
                "amo_replica_position{id=\"c\"} 7",
                PrometheusText.write(List.of(client), Format.TEXT)
                        .lines()
                        .skip(2)
                        .findFirst()
                        .orElseThrow());
    }

    @Test
    void aHistogramHasOneHeadAndItsParts() {
        TimeHistogram times = new TimeHistogram();
        times.add(200_000);
        a.readings = times.readings("amo_x_seconds", "X");
        for (Format format : Format.values()) {
            List<String> lines =
                    PrometheusText.write(List.of(a), format).lines().toList();
            assertEquals(
                    List.of(
                            "# HELP amo_x_seconds X",
                            "# TYPE amo_x_seconds histogram",
                            "amo_x_seconds_bucket{group=\"bank\",id=\"a\",le=\"0.0001\"} 0",
                            "amo_x_seconds_bucket{group=\"bank\",id=\"a\",le=\"0.00025\"} 1"),
                    lines.subList(0, 4));
            assertEquals(
                    List.of(
                            "amo_x_seconds_bucket{group=\"bank\",id=\"a\",le=\"+Inf\"} 1",
                            "amo_x_seconds_sum{group=\"bank\",id=\"a\"} 2.0E-4",
                            "amo_x_seconds_count{group=\"bank\",id=\"a\"} 1"),
                    lines.subList(18, 21));
        }
    }

    /** A reader takes nothing of a text that has a series twice. */
    @Test
    void ofTwoComponentsWithOneNameTheFirstIsTold() {
        FakeMember twin = new FakeMember("bank", "a");
        twin.readings = List.of(Reading.gauge("amo_replica_position", 8, "Position"));
        assertEquals(
                PrometheusText.write(List.of(a), Format.TEXT), PrometheusText.write(List.of(a, twin), Format.TEXT));
    }

    @Test
    void numbersAreThoseThatPrometheusReads() {
        assertEquals("1.5", value(1.5));
        assertEquals("1.764230080123E9", value(1_764_230_080.123));
        assertEquals("NaN", value(Double.NaN));
        assertEquals("+Inf", value(Double.POSITIVE_INFINITY));
        assertEquals("-Inf", value(Double.NEGATIVE_INFINITY));
        a.readings = List.of(Reading.gauge("amo_x", Long.MAX_VALUE, "X"));
        assertEquals("9223372036854775807", last());
    }

    private String value(double value) {
        a.readings = List.of(Reading.gauge("amo_x", value, "X"));
        return last();
    }

    private String last() {
        String text = PrometheusText.write(List.of(a), Format.TEXT).strip();
        return text.substring(text.lastIndexOf(' ') + 1);
    }

    @Test
    void openMetricsIsGivenToReadersThatNameIt() {
        for (String accept : List.of("", "*/*", "text/plain;version=0.0.4", "application/openmetrics-text;q=0")) {
            assertEquals(Format.TEXT, PrometheusText.accepted(accept), accept);
        }
        for (String accept : List.of(
                "application/openmetrics-text",
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.3",
                "text/plain;q=0.1, Application/OpenMetrics-Text; version=0.0.1; q=0.9")) {
            assertEquals(Format.OPEN_METRICS, PrometheusText.accepted(accept), accept);
        }
    }
}
