package org.amo.lab.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoResultTest {

    @Test
    void theJsonHasExactlyTheFieldsOfTheContract() {
        JsonNode json = new ObjectMapper().valueToTree(result(0, 0, 0, 0, true));
        assertEquals(
                List.of(
                        "calls",
                        "ok",
                        "failed",
                        "unknown",
                        "duplicatesSuppressed",
                        "executedTwice",
                        "lost",
                        "statesEqual",
                        "failoverMillisMax",
                        "throughputPerSecond",
                        "latencyMicros",
                        "cache",
                        "sack",
                        "replicas",
                        "seed",
                        "commit"),
                names(json));
        assertEquals(List.of("p50", "p99", "max"), names(json.path("latencyMicros")));
        assertEquals(
                List.of("entriesPeak", "entriesEnd", "bytesPeak", "timeoutOnlyEntriesComputed"),
                names(json.path("cache")));
        assertEquals(
                List.of("orderedEntries", "bytes", "shareOfEntriesPercent", "shareOfBytesPercent"),
                names(json.path("sack")));
        assertEquals(
                List.of("id", "killed", "restarted", "executed", "position", "digest"),
                names(json.path("replicas").get(0)));
    }

    @Test
    void itPassesOnlyIfEverythingHolds() {
        assertTrue(result(0, 0, 0, 0, true).passed());
        assertFalse(result(1, 0, 0, 0, true).passed());
        assertFalse(result(0, 1, 0, 0, true).passed());
        assertFalse(result(0, 0, 1, 0, true).passed());
        assertFalse(result(0, 0, 0, 1, true).passed());
        assertFalse(result(0, 0, 0, 0, false).passed());
        assertFalse(result(0, 0, 0, 0, 0, true).passed());
    }

    private static DemoResult result(long twice, long lost, long failed, long unknown, boolean equal) {
        return result(9, twice, lost, failed, unknown, equal);
    }

    private static DemoResult result(long ok, long twice, long lost, long failed, long unknown, boolean equal) {
        return new DemoResult(
                10,
                ok,
                failed,
                unknown,
                1,
                twice,
                lost,
                equal,
                1.5,
                2.5,
                new DemoResult.Latency(1, 2, 3),
                new DemoResult.Cache(1, 2, 3, 4),
                new DemoResult.Sack(1, 2, 3.5, 4.5),
                List.of(new DemoResult.ReplicaResult("a", true, true, 9, 8, "d")),
                7,
                "c",
                List.of("a remark"));
    }

    private static List<String> names(JsonNode json) {
        List<String> names = new ArrayList<>();
        json.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
