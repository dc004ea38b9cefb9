package org.amo.determinism.check;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The outcome of one scan.
 *
 * @param operations the methods that the scan began with
 * @param findings uses of sources, by kind, class and line
 * @param accepted how many findings were accepted and are not listed
 * @param limits places where the scan saw less than the program can do, in words
 * @param broken class files and class path entries that could not be read, with the cause
 * @param classes how many classes of the application there are
 * @param methods how many methods the operations reach
 */
public record ScanResult(
        List<String> operations,
        List<Finding> findings,
        int accepted,
        List<String> limits,
        List<String> broken,
        int classes,
        int methods) {

    public ScanResult {
        operations = List.copyOf(operations);
        findings = List.copyOf(findings);
        limits = List.copyOf(limits);
        broken = List.copyOf(broken);
    }

    /** The number of findings by kind. */
    public Map<String, Integer> sources() {
        return findings.stream()
                .collect(Collectors.toMap(finding -> finding.kind().word(), finding -> 1, Integer::sum, TreeMap::new));
    }

    /** The findings that the determinism agent leaves as they are. */
    public List<Finding> leftByAgent() {
        return findings.stream().filter(finding -> !finding.deterministic()).toList();
    }
}
