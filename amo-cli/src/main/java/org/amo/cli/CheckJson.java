package org.amo.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.amo.determinism.check.Finding;
import org.amo.determinism.check.ScanResult;

/** The result of a scan as JSON. */
final class CheckJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private CheckJson() {}

    static ObjectNode of(ScanResult result) {
        ObjectNode object = NODES.objectNode();
        ArrayNode findings = object.putArray("findings");
        for (Finding finding : result.findings()) {
            ObjectNode each = findings.addObject();
            each.put("kind", finding.kind().word());
            each.put("class", finding.type());
            each.put("method", finding.method());
            each.put("line", finding.line());
            each.put("deterministic", finding.deterministic());
            each.put("advice", finding.advice());
            each.put("source", finding.source());
            each.set("path", words(finding.path()));
        }
        ObjectNode sources = object.putObject("sources");
        result.sources().forEach(sources::put);
        object.put("accepted", result.accepted());
        object.set("operations", words(result.operations()));
        object.set("limits", words(result.limits()));
        object.set("broken", words(result.broken()));
        object.put("classes", result.classes());
        object.put("methods", result.methods());
        return object;
    }

    private static ArrayNode words(List<String> words) {
        ArrayNode array = NODES.arrayNode();
        words.forEach(array::add);
        return array;
    }
}
