package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.base.observe.Reading;
import org.amo.core.replica.ObservedReplica;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The dashboard for Grafana and the alerts of the pages, against the metrics of members and clients. */
final class DashboardTest {
    private static final Path DASHBOARD = MainSources.HOME.resolve("docs/deploy/grafana-dashboard.json");
    private static final Path ALERTS = MainSources.HOME.resolve("docs/how-to/watch-a-group.md");
    private static final int COLUMNS = 24;

    /** A metric, its selector, and the range behind it. */
    private static final Pattern METRIC = Pattern.compile("\\b(amo_\\w+)(?:\\{([^}]*)})?(\\[\\w+])?");

    private static final Pattern MATCHED = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPED = Pattern.compile("\\b(?:by|on) \\(([^)]*)\\)");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");
    private static final Pattern YAML = Pattern.compile("(?s)```yaml\n(groups:.*?)```");

    /** Labels of each metric with the values that it has from the start on; a metric of a client has no values. */
    private final Map<String, Map<String, Set<String>>> labels = labels();

    @Test
    void eachExpressionOfTheDashboardReadsMetricsThatExist() throws IOException {
        List<String> expressions = new ArrayList<>();
        for (JsonNode panel : dashboard().get("panels")) {
            assertTrue(panel.get("targets").size() > 0, panel::toString);
            for (JsonNode target : panel.get("targets")) {
                String expression = target.get("expr").asText();
                assertEquals(List.of(), mistakes(expression), expression);
                expressions.add(expression);
                Set<String> known = known(expression);
                LEGEND.matcher(target.get("legendFormat").asText())
                        .results()
                        .forEach(label ->
                                assertTrue(known.contains(label.group(1)), expression + " has no " + label.group(1)));
            }
        }
        assertTrue(expressions.size() > 30, expressions::toString);
        for (JsonNode variable : dashboard().at("/templating/list")) {
            variable.path("query").findValuesAsText("query").forEach(query -> {
                assertEquals(List.of(), mistakes(query), query);
                assertTrue(query.matches("label_values\\(amo_\\w+, group\\)"), query);
            });
        }
    }

    /** Grafana moves panels that overlap, and takes one of two with the same id. */
    @Test
    void eachPanelHasAnIdATitleAndAPlaceOfItsOwn() throws IOException {
        Set<Integer> ids = new HashSet<>();
        Set<String> titlesAndKinds = new HashSet<>();
        Set<List<Integer>> taken = new HashSet<>();
        for (JsonNode panel : dashboard().get("panels")) {
            assertTrue(ids.add(panel.get("id").asInt()), panel::toString);
            String title = panel.get("title").asText();
            assertFalse(title.isBlank());
            assertTrue(titlesAndKinds.add(title + panel.get("type").asText()), title);
            assertEquals("${datasource}", panel.at("/datasource/uid").asText(), title);
            JsonNode place = panel.get("gridPos");
            int left = place.get("x").asInt();
            int top = place.get("y").asInt();
            assertTrue(left + place.get("w").asInt() <= COLUMNS, title);
            for (int x = left; x < left + place.get("w").asInt(); x++) {
                for (int y = top; y < top + place.get("h").asInt(); y++) {
                    assertTrue(taken.add(List.of(x, y)), title);
                }
            }
        }
    }

    @Test
    void eachAlertReadsMetricsThatExist() throws IOException {
        Matcher block = YAML.matcher(Files.readString(ALERTS));
        assertTrue(block.find());
        Object rules = new Yaml(new SafeConstructor(new LoaderOptions())).load(block.group(1));
        JsonNode alerts = new ObjectMapper().valueToTree(rules).at("/groups/0/rules");
        assertTrue(alerts.size() > 4, alerts::toString);
        for (JsonNode alert : alerts) {
            String expression = alert.get("expr").asText();
            assertTrue(METRIC.matcher(expression).find(), expression);
            assertEquals(List.of(), mistakes(expression), expression);
        }
    }

    @Test
    void aMistakeInAnExpressionIsFound() {
        for (String wrong : List.of(
                "amo_replica_leaders{group=\"a\"}",
                "amo_replica_leader{gruop=\"a\"}",
                "sum by (reason) (rate(amo_replica_overloads_total[5m]))",
                "rate(amo_replica_refusals_total{reason=\"STAIL\"}[5m])",
                "amo_replica_refusals_total",
                "rate(amo_replica_position[5m])",
                "amo_replica_commit_seconds_bucket",
                "amo_replica_position[5m]")) {
            assertFalse(mistakes(wrong).isEmpty(), wrong);
        }
    }

    private List<String> mistakes(String expression) {
        List<String> mistakes = new ArrayList<>();
        METRIC.matcher(expression).results().forEach(found -> mistakes.addAll(mistakes(expression, found)));
        Set<String> known = known(expression);
        GROUPED.matcher(expression)
                .results()
                .flatMap(grouped -> List.of(grouped.group(1).split(", *", -1)).stream())
                .filter(label -> !known.contains(label))
                .forEach(label -> mistakes.add("no metric has the label " + label));
        return mistakes;
    }

    private List<String> mistakes(String expression, MatchResult found) {
        String metric = found.group(1);
        Map<String, Set<String>> own = labels.get(metric);
        if (own == null) {
            return List.of(metric + " is no metric");
        }
        List<String> mistakes = new ArrayList<>();
        boolean counter = metric.matches(".*_(total|bucket|sum|count)");
        boolean ranged = found.group(3) != null;
        boolean derived = ranged && expression.substring(0, found.start()).matches("(?s).*\\b(rate|increase)\\(");
        if (counter != derived || ranged != derived) {
            mistakes.add(
                    metric + " is a " + (counter ? "counter" : "gauge") + ", and rate or increase is for counters");
        }
        MATCHED.matcher(Optional.ofNullable(found.group(2)).orElse(""))
                .results()
                .forEach(match -> {
                    Set<String> values = own.get(match.group(1));
                    if (values == null) {
                        mistakes.add(metric + " has no label " + match.group(1));
                    } else if (!values.isEmpty()) {
                        List.of(match.group(2).split("\\|", -1)).stream()
                                .filter(value -> !values.contains(value))
                                .forEach(value -> mistakes.add(metric + " has no " + match.group(1) + " " + value));
                    }
                });
        return mistakes;
    }

    /** The labels of all metrics of an expression. */
    private Set<String> known(String expression) {
        Set<String> known = new TreeSet<>();
        METRIC.matcher(expression)
                .results()
                .forEach(found -> known.addAll(
                        labels.getOrDefault(found.group(1), Map.of()).keySet()));
        return known;
    }

    private static Map<String, Map<String, Set<String>>> labels() {
        Map<String, Map<String, Set<String>>> labels = new TreeMap<>();
        ObservedReplica member = new ObservedReplica("bank", "a", List.of(), Optional::empty, peer -> "");
        for (Reading reading : member.readings()) {
            Map<String, Set<String>> own = ofAll(labels, reading.name());
            reading.labels().forEach((label, value) -> own.computeIfAbsent(label, name -> new TreeSet<>())
                    .add(value));
        }
        try {
            // Those of a client as the page has them.
            MetricsPageTest.listed("amo_client").keySet().forEach(name -> ofAll(labels, name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return labels;
    }

    private static Map<String, Set<String>> ofAll(Map<String, Map<String, Set<String>>> labels, String metric) {
        return labels.computeIfAbsent(
                metric, name -> new TreeMap<>(Map.of("group", new TreeSet<>(), "id", new TreeSet<>())));
    }

    private static JsonNode dashboard() throws IOException {
        return new ObjectMapper().readTree(DASHBOARD.toFile());
    }
}
