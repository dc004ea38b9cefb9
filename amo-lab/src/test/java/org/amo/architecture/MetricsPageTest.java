package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.base.observe.Reading;
import org.amo.core.replica.ObservedReplica;
import org.junit.jupiter.api.Test;

/** The page of the metrics, against the metrics of a member. */
final class MetricsPageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`amo_re[^|]+) \\| (gauge|counter) \\| ([^|]*)\\|");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    @Test
    void thePageHasEachMetricOfAMemberWithItsTypeAndItsLabel() throws IOException {
        Map<String, String> listed = new TreeMap<>();
        Matcher rows = ROW.matcher(Files.readString(MainSources.HOME.resolve("docs/reference/metrics.md")));
        while (rows.find()) {
            String kind = rows.group(2) + names(rows.group(3));
            names(rows.group(1)).forEach(name -> listed.put(name, kind));
        }
        ObservedReplica member = new ObservedReplica("bank", "a", List.of(), Optional::empty, peer -> "");
        Map<String, String> told = new TreeMap<>();
        for (Reading reading : member.readings()) {
            boolean counter = reading.type() == Reading.Type.COUNTER;
            told.put(
                    reading.name(),
                    (counter ? "counter" : "gauge") + reading.labels().keySet());
        }
        assertTrue(told.size() > 30, told::toString);
        assertEquals(told, listed);
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell).results().map(found -> found.group(1)).toList();
    }
}
