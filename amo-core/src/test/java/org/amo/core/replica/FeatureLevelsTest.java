package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The feature levels that a build speaks, and the bound of an operator. */
final class FeatureLevelsTest {
    private static final FeatureLevels TWO_TO_THREE = new FeatureLevels(2, 3);

    @Test
    void aBuildSpeaksTheLevelsOfItsRange() {
        assertFalse(TWO_TO_THREE.speaks(1));
        assertTrue(TWO_TO_THREE.speaks(2));
        assertTrue(TWO_TO_THREE.speaks(3));
        assertFalse(TWO_TO_THREE.speaks(4));
        assertTrue(FeatureLevels.OF_BUILD.speaks(FeatureLevels.FIRST));
    }

    @Test
    void aBoundHoldsTheGroupAndChangesNothingThatTheBuildSpeaks() {
        assertEquals(3, TWO_TO_THREE.upTo(OptionalInt.empty()).most());
        assertEquals(2, TWO_TO_THREE.upTo(OptionalInt.of(2)).most());
        assertEquals(3, TWO_TO_THREE.upTo(OptionalInt.of(7)).most());
        assertTrue(TWO_TO_THREE.upTo(OptionalInt.of(2)).speaks(3));
    }

    @Test
    void aBoundBelowTheLowestLevelIsRefused() {
        assertEquals(
                "this version of amo speaks feature levels 2 to 3, and --feature-level (amo.featureLevel) is 1; write auto, or"
                        + " a number from 2 on",
                assertThrows(IllegalArgumentException.class, () -> TWO_TO_THREE.upTo(OptionalInt.of(1)))
                        .getMessage());
    }

    @Test
    void levelsBeginWithOneAndRise() {
        assertThrows(IllegalArgumentException.class, () -> new FeatureLevels(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new FeatureLevels(3, 2));
        assertThrows(IllegalArgumentException.class, () -> new FeatureLevels(1, 2, 3));
    }

    @Test
    void theObstacleNamesTheVersionToTake() {
        assertEquals(Optional.empty(), TWO_TO_THREE.obstacle(3));
        assertEquals(
                "runs a version of amo for feature levels 2 to 3, and its group is at level 4; start it with the version that"
                        + " the other members run (docs/how-to/upgrade.md)",
                TWO_TO_THREE.obstacle(4).orElseThrow());
        assertEquals(
                "runs a version of amo for feature levels 2, and its group is at level 1; start it with a version for level 1,"
                        + " and upgrade without leaving a version out (docs/how-to/upgrade.md)",
                new FeatureLevels(2, 2).obstacle(1).orElseThrow());
    }
}
