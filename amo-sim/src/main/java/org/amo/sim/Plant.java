package org.amo.sim;

/**
 * A rule that a simulation can take out, to show that its checks find the bug that the rule prevents.
 *
 * @param protocol of the rule
 * @param name for {@code --plant}
 * @param description the bug that appears without the rule
 */
public record Plant(String protocol, String name, String description) {}
