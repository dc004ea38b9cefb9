package org.amo.determinism.agent;

/**
 * A method of the JDK, and its replacement at call sites and in method references.
 *
 * @param owner of the method, as an internal name
 * @param name of the method, {@code <init>} for a constructor
 * @param descriptor of the method
 * @param form the way in which a call is replaced
 * @param replacement class with the replacement, as an internal name
 * @param replacementName of its static method, or for {@link Form#CLASS} of the class that is made instead
 */
record Substitution(
        Kind kind,
        String owner,
        String name,
        String descriptor,
        Form form,
        String replacement,
        String replacementName) {

    /** How a call is replaced. */
    enum Form {
        /** A static method by one with the same parameters. */
        STATIC,
        /** An instance method by a static one with the object as the first parameter. */
        INSTANCE,
        /** A constructor without parameters by the one with a number; the replacement of a reference makes the object. */
        NUMBER,
        /** A constructor by itself, with the new object then set to the present time. */
        CALENDAR,
        /** A constructor by that of a subclass. */
        CLASS
    }

    String key() {
        return key(owner, name, descriptor);
    }

    static String key(String owner, String name, String descriptor) {
        return owner + '.' + name + descriptor;
    }

    /** The descriptor of the static replacement. */
    String replacementDescriptor() {
        return switch (form) {
            case STATIC -> descriptor;
            case INSTANCE -> "(L" + owner + ";" + descriptor.substring(1);
            case NUMBER, CALENDAR, CLASS -> descriptor.substring(0, descriptor.length() - 1) + "L" + owner + ";";
        };
    }
}
