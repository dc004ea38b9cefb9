package org.amo.determinism.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.amo.determinism.agent.Substitution;
import org.amo.determinism.agent.Substitutions;
import org.junit.jupiter.api.Test;

class AgentCoverageTest {
    /** They are no sources: the agent only moves the operation's clock by the time that they wait. */
    private static final Set<String> WAITS = Set.of("sleep", "parkNanos", "parkUntil", "wait");

    @Test
    void eachMethodThatTheAgentReplacesIsAKnownSourceThatIsDeterministicWithIt() {
        List<String> unknown = Substitutions.list().stream()
                .filter(each -> !WAITS.contains(each.name()))
                .filter(each -> Catalogue.find(each.owner(), each.name(), each.descriptor())
                        .filter(Catalogue.Source::deterministic)
                        .isEmpty())
                .map(Substitution::toString)
                .toList();
        assertEquals(List.of(), unknown);
    }
}
