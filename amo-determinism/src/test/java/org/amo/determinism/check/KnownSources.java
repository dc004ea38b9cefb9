package org.amo.determinism.check;

/** The sources that the check knows, for the tests of the agent. */
public final class KnownSources {
    private KnownSources() {}

    /** Whether the check finds calls of this method, and counts them as deterministic under the agent. */
    public static boolean areDeterministic(String owner, String name, String descriptor) {
        return Catalogue.find(owner, name, descriptor)
                .filter(Catalogue.Source::deterministic)
                .isPresent();
    }
}
