package org.amo.determinism.check;

import java.util.Optional;

/** The sources that the check knows, for the tests of the agent. */
public final class KnownSources {
    private KnownSources() {}

    /** Whether a method of exactly this type is deterministic under the agent; empty if it is no source. */
    public static Optional<Boolean> isDeterministic(String owner, String name, String descriptor) {
        return Catalogue.find(owner, name, descriptor).map(Catalogue.Source::deterministic);
    }
}
