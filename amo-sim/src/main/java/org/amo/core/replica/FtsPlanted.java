package org.amo.core.replica;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.amo.sim.Plant;
import org.amo.sim.Planted;
import org.jspecify.annotations.Nullable;

/** Mutants of a part of the simulated service: the constants of an enum, each with its {@link Bug}. Those named NONE are sound. */
interface FtsPlanted extends Planted {
    /** The planted bug of a mutant. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @interface Bug {
        /** Its name, for {@code --plant}. */
        String plant();

        /** Its description. */
        String is();
    }

    /** As of {@link Enum#name}. */
    String name();

    /** As of {@link Enum#getDeclaringClass}. */
    Class<?> getDeclaringClass();

    @Override
    default Plant bug() {
        Bug bug = annotation();
        if ((bug == null) != name().startsWith("NONE")) {
            throw new IllegalStateException(
                    getDeclaringClass() + "." + name() + ": a mutant has a bug, a sound one none");
        }
        return bug == null ? new Plant("fts", NONE, "") : new Plant("fts", bug.plant(), bug.is());
    }

    private @Nullable Bug annotation() {
        try {
            return getDeclaringClass().getField(name()).getAnnotation(Bug.class);
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(name() + " is no constant", e);
        }
    }
}
