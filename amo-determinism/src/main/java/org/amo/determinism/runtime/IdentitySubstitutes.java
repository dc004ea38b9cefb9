package org.amo.determinism.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Identity hashes of objects whose classes the agent has given a field for it. An object gets its number when it is asked
 * for the first time: inside an operation from the request, elsewhere from a count of its class. Any thread.
 */
public final class IdentitySubstitutes {
    /** Held while a number is given, by the method that the agent adds. */
    public static final Object LOCK = new Object();

    private static final ClassValue<AtomicInteger> OUTSIDE = new ClassValue<>() {
        @Override
        protected AtomicInteger computeValue(Class<?> type) {
            return new AtomicInteger();
        }
    };

    private static final ClassValue<Boolean> NUMBERED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("hashCode").isSynthetic();
            } catch (NoSuchMethodException | LinkageError e) {
                return false;
            }
        }
    };

    private IdentitySubstitutes() {}

    /** The next number for an object that has none; 0, so that it stays without one, while the state is taken. */
    public static int next(Object object) {
        MemberOperations operation = MemberOperations.running();
        if (operation != null && !operation.isInitializing()) {
            return operation.isReading() ? 0 : operation.nextIdentity();
        }
        Class<?> type = object.getClass();
        return Mixing.identity(type.getName().hashCode(), OUTSIDE.get(type).incrementAndGet());
    }

    public static int systemIdentityHashCode(@Nullable Object object) {
        return object != null && NUMBERED.get(object.getClass()) ? object.hashCode() : System.identityHashCode(object);
    }
}
