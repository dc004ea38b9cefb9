package org.amo.benchmarks.figures;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** Figures as the JSON object that {@code amo bench --json} promises. */
final class FiguresJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private FiguresJson() {}

    static ObjectNode of(Figures figures, boolean quick, String commit) {
        ObjectNode object = NODES.objectNode();
        object.put("bench", figures.bench());
        object.set("machine", Machine.json());
        ObjectNode settings = tree(figures.settings());
        settings.put("quick", quick);
        settings.put("commit", commit);
        object.set("settings", settings);
        ArrayNode rows = object.putArray("rows");
        for (Figures.Row row : figures.rows()) {
            ObjectNode node = rows.addObject();
            node.put("name", row.name());
            node.set("settings", tree(row.settings()));
            node.set("metrics", tree(row.metrics()));
        }
        object.set("ratios", tree(figures.ratios()));
        ArrayNode bars = object.putArray("bars");
        for (Figures.Bar bar : figures.bars()) {
            ObjectNode node = bars.addObject();
            node.put("what", bar.what());
            put(node, "value", bar.value());
            node.put("sign", bar.sign());
            put(node, "bound", bar.bound());
            node.put("reached", bar.reached());
        }
        ArrayNode violations = object.putArray("violations");
        figures.violations().forEach(violations::add);
        figures.remarks().forEach(object.putArray("remarks")::add);
        return object;
    }

    private static ObjectNode tree(Map<String, Object> values) {
        ObjectNode node = NODES.objectNode();
        values.forEach((name, value) -> put(node, name, value));
        return node;
    }

    @SuppressWarnings("unchecked")
    private static void put(ObjectNode node, String name, Object value) {
        if (value instanceof Map<?, ?> map) {
            node.set(name, tree((Map<String, Object>) map));
        } else if (value instanceof Spread spread) {
            put(node, name, spread.median());
            put(node, name + "Least", spread.least());
            put(node, name + "Most", spread.most());
            node.put(name + "Rounds", spread.rounds());
        } else if (value instanceof Double number) {
            // A value that was not measured is null; JSON has no NaN.
            if (Double.isFinite(number)) {
                node.put(name, rounded(number));
            } else {
                node.putNull(name);
            }
        } else if (value instanceof Long number) {
            node.put(name, number);
        } else if (value instanceof Integer number) {
            node.put(name, number);
        } else if (value instanceof Boolean flag) {
            node.put(name, flag);
        } else {
            node.put(name, String.valueOf(value));
        }
    }

    /** Four significant digits are more than any measurement here has. */
    static double rounded(double value) {
        if (value == 0) {
            return 0;
        }
        double scale = Math.pow(10, 3 - Math.floor(Math.log10(Math.abs(value))));
        return Math.abs(value) >= 10_000 ? Math.rint(value) : Math.rint(value * scale) / scale;
    }
}
