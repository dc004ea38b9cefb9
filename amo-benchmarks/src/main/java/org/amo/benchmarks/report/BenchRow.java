package org.amo.benchmarks.report;

import java.util.Map;

/**
 * One thing that was measured.
 *
 * @param name of the thing
 * @param settings that distinguish it from its neighbours
 * @param metrics by name, the unit in the name
 */
public record BenchRow(String name, Map<String, Object> settings, Map<String, Double> metrics) {}
