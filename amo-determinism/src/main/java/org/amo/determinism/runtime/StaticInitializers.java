package org.amo.determinism.runtime;

/**
 * Told of the static initializers of the application's classes, which may run inside an operation. A member that began from a
 * snapshot runs them in a later operation than the others, so they must leave no trace in it. Any thread.
 */
public final class StaticInitializers {
    private StaticInitializers() {}

    /** @param type name of the class that is initialized in the calling thread */
    public static void begin(String type) {
        MemberOperations operation = MemberOperations.running();
        if (operation != null) {
            operation.beginInitializer(type);
        }
    }

    /** The latest initializer that has begun in the calling thread has ended. */
    public static void end() {
        MemberOperations operation = MemberOperations.running();
        if (operation != null) {
            operation.endInitializer();
        }
    }
}
