package org.amo.cli;

import picocli.CommandLine.Option;

/** {@code --help}, the same in every command. */
public final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean wanted;
}
