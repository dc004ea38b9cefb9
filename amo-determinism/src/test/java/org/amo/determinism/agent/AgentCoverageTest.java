package org.amo.determinism.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.determinism.check.KnownSources;
import org.junit.jupiter.api.Test;

class AgentCoverageTest {
    /** They are no sources: the agent only moves the operation's clock by the time that they wait. */
    private static final Set<String> WAITS = Set.of("sleep", "parkNanos", "parkUntil", "wait");

    /** The check finds the call of {@code ThreadLocalRandom.current()}, and not each number that is drawn. */
    private static final String DRAWS = "java/util/concurrent/ThreadLocalRandom";

    /** With a seed or a generator of the program's choice these are no sources; the agent keeps all generators of one class. */
    private static final Set<String> GIVEN =
            Set.of("java/util/Random.<init>(J)V", "java/util/Collections.shuffle(Ljava/util/List;Ljava/util/Random;)V");

    @Test
    void eachMethodThatTheAgentReplacesIsAKnownSourceThatIsDeterministicWithIt() {
        List<String> unknown = Substitutions.list().stream()
                .filter(each -> !WAITS.contains(each.name()) && !each.owner().equals(DRAWS))
                .filter(each -> !GIVEN.contains(each.owner() + '.' + each.name() + each.descriptor()))
                .filter(each -> !isDeterministic(each).orElse(false))
                .map(Substitution::toString)
                .toList();
        assertEquals(List.of(), unknown);
    }

    /** A static method may be called by the name of a subclass. */
    private static Optional<Boolean> isDeterministic(Substitution each) {
        try {
            for (Class<?> type = Class.forName(each.owner().replace('/', '.'));
                    type != null;
                    type = type.getSuperclass()) {
                Optional<Boolean> found =
                        KnownSources.isDeterministic(type.getName().replace('.', '/'), each.name(), each.descriptor());
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
