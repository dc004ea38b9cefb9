package org.amo.benchmarks.figures;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The measurements of one program. One thread fills it.
 *
 * <p>Settings, metrics and ratios are trees of strings, numbers, booleans and maps of those; a {@link Spread} among the
 * metrics stands for its median, smallest and largest value.
 */
public final class Figures {
    private final String bench;
    private final Map<String, Object> settings = new LinkedHashMap<>();
    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Object> ratios = new LinkedHashMap<>();
    private final List<Bar> bars = new ArrayList<>();
    private final List<Plot> plots = new ArrayList<>();
    private final List<Columns> columns = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    public Figures(String bench) {
        this.bench = bench;
    }

    /** One line of the table. */
    public record Row(String name, Map<String, Object> settings, Map<String, Object> metrics) {}

    /**
     * The bound that a figure ought to reach; {@code what} names the figure in words.
     *
     * @param value measured
     * @param sign "at least" or "at most"
     * @param bound the bar
     * @param reached whether the value keeps to it; one that is not finite never does: a base of nothing is no base
     */
    public record Bar(String what, double value, String sign, double bound, boolean reached) {}

    /**
     * A plot: one line a series over the same kind of x.
     *
     * @param name of its file, without suffix
     */
    public record Plot(String name, String title, String x, String y, Map<String, Series> series) {}

    /**
     * A plot of one column a thing.
     *
     * @param name of its file, without suffix
     */
    public record Columns(String name, String title, String y, Map<String, Double> heights) {}

    /** Points of one line. */
    public record Series(List<Double> x, List<Double> y) {}

    public String bench() {
        return bench;
    }

    public Map<String, Object> settings() {
        return settings;
    }

    public List<Row> rows() {
        return rows;
    }

    public Map<String, Object> ratios() {
        return ratios;
    }

    public List<Bar> bars() {
        return bars;
    }

    public List<Plot> plots() {
        return plots;
    }

    public List<Columns> columns() {
        return columns;
    }

    /** Remarks that a reader must know, such as omissions and their reasons. */
    public List<String> remarks() {
        return remarks;
    }

    /** Whether all bars were reached and nothing happened that may not. */
    public boolean good() {
        return violations.isEmpty() && bars.stream().allMatch(Bar::reached);
    }

    /** Events that must not happen at all and did: a failed call, a second execution. */
    public List<String> violations() {
        return violations;
    }

    public void row(String name, Map<String, Object> rowSettings, Map<String, Object> metrics) {
        rows.add(new Row(name, rowSettings, metrics));
    }

    /** A ratio with several parts, such as one for the leader and one for a follower; the others stay. */
    @SuppressWarnings("unchecked")
    public void ratio(String name, String part, double value) {
        ((Map<String, Object>) ratios.computeIfAbsent(name, each -> new LinkedHashMap<String, Object>()))
                .put(part, value);
    }

    public void atLeast(String what, double value, double bound) {
        bars.add(new Bar(what, value, "at least", bound, Double.isFinite(value) && value >= bound));
    }

    public void atMost(String what, double value, double bound) {
        bars.add(new Bar(what, value, "at most", bound, Double.isFinite(value) && value <= bound));
    }

    /**
     * As the JSON object that {@code amo bench --json} promises.
     *
     * @param commit of the code that was measured
     */
    public ObjectNode json(boolean quick, String commit) {
        return FiguresJson.of(this, quick, commit);
    }
}
