package org.amo.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/** Leaves out tests, and the simulations with their planted bugs: they stand in amo-sim, in the packages of the cores that they run. */
public final class ShippedClasses implements ImportOption {
    /** Such a class is met all the same where a class of the simulator uses it. */
    static final DescribedPredicate<JavaClass> PLANTED_BUG =
            DescribedPredicate.describe("a planted bug", type -> type.getSource()
                    .filter(source -> isPlantedBug(source.getUri().toString()))
                    .isPresent());

    private final ImportOption noTests = new DoNotIncludeTests();

    @Override
    public boolean includes(Location location) {
        return noTests.includes(location)
                && !location.contains("-tests.jar")
                && !isPlantedBug(location.asURI().toString());
    }

    private static boolean isPlantedBug(String uri) {
        return uri.contains("/amo-sim/") && !uri.contains("/org/amo/sim/");
    }
}
