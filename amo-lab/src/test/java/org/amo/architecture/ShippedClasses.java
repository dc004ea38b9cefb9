package org.amo.architecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/** Leaves out tests, and the simulations with their planted bugs: they stand in amo-sim, in the packages of the cores that they run. */
public final class ShippedClasses implements ImportOption {
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
