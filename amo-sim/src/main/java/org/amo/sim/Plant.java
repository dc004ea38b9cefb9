package org.amo.sim;

/**
 * A rule that a simulation can take out, to show that its checks find what the rule prevents.
 *
 * @param protocol whose rule
 * @param name for {@code --plant}
 * @param description what is wrong without the rule
 */
public record Plant(String protocol, String name, String description) {}
