package org.amo.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The lines of {@code --version}. */
final class AmoVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        // Classes in a build folder have no manifest.
        String version = Optional.ofNullable(AmoVersion.class.getPackage().getImplementationVersion())
                .orElse("unknown");
        return new String[] {
            "amo " + version,
            "commit " + Commit.hash(),
            "Java " + System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + "), "
                    + System.getProperty("java.home")
        };
    }
}
