package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The search for planted bugs itself. */
class SeedsTest {
    private static final String PLANT = "a-plant";

    /** Seed 3 violates another rule than the planted one, seed 5 the planted one. */
    private static final class TwoViolations implements Simulation {
        @Override
        public String protocol() {
            return "two";
        }

        @Override
        public List<Plant> plants() {
            return List.of(new Plant("two", PLANT, "breaks the rule"));
        }

        @Override
        public SimResult run(SimOptions options, long seed) {
            String rule = seed == 3 ? "another rule" : "the rule";
            boolean violates = seed == 3 || seed == 5;
            return new SimResult(
                    seed,
                    1,
                    Map.of(),
                    violates ? Optional.of(new Violation(rule, "broken", List.of("a", "b"))) : Optional.empty(),
                    List.of());
        }
    }

    @Test
    void aViolationOfAnotherRuleIsNotThePlantedOne() {
        Simulation simulation = new TwoViolations();
        assertEquals(
                5, Seeds.found(simulation, PLANT, 1, Optional.of("the rule")).seed());
        assertEquals(3, Seeds.found(simulation, PLANT, 1, Optional.empty()).seed());
        assertThrows(
                AssertionError.class, () -> Seeds.found(simulation, PLANT, 1, Optional.of("a rule that stays whole")));
    }

    @Test
    void aTableNamesTheRuleInItsOwnColumn() {
        assertEquals(
                Map.of("first-plant", "executed twice", "second-plant", "wrong reply"),
                FoundAs.parse(List.of(
                        "| mutant | seed | found as |",
                        "|---|---|---|",
                        "| `first-plant` | 1 | executed twice |",
                        "",
                        "| mutant | broken rule | seed | found as |",
                        "|---|---|---|---|",
                        "| `second-plant` (power) | a rule | 2 | wrong reply |",
                        "",
                        "| mutant | broken rule | seed |",
                        "|---|---|---|",
                        "| `third-plant` | a rule | 2 |")));
    }

    @Test
    void thePageNamesTheRulesOfPlantsThatThereAre() {
        Set<String> plants =
                Simulations.of("fts").plants().stream().map(Plant::name).collect(Collectors.toSet());
        assertTrue(plants.containsAll(FoundAs.all().keySet()), FoundAs.all()::toString);
        assertTrue(FoundAs.all().size() > 50, FoundAs.all()::toString);
    }
}
