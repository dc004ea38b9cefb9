package org.amo.lab;

import org.amo.core.replica.ReplicaSettings.Style;
import picocli.CommandLine.Option;

/** {@code --style} of commands that start replicas. */
public final class StyleOption {
    @Option(
            names = "--style",
            paramLabel = "active|leader|passive",
            defaultValue = "active",
            description = "The style of replication, as of amo wrap server. Default: ${DEFAULT-VALUE}.")
    private Style style = Style.ACTIVE;

    public Style style() {
        return style;
    }
}
