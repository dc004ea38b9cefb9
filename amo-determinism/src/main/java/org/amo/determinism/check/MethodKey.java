package org.amo.determinism.check;

import org.objectweb.asm.Type;

/**
 * A method of a class file.
 *
 * @param owner internal name of the class
 * @param descriptor types of its parameters and of its result
 */
record MethodKey(String owner, String name, String descriptor) {
    static final String CONSTRUCTOR = "<init>";
    static final String INITIALIZER = "<clinit>";

    static MethodKey initializer(String owner) {
        return new MethodKey(owner, INITIALIZER, "()V");
    }

    /** Name and descriptor, the key among the methods of a class. */
    String signature() {
        return name + descriptor;
    }

    /** The method of the source: javac makes a method of each lambda. */
    String sourceName() {
        if (!name.startsWith("lambda$")) {
            return name;
        }
        int end = name.lastIndexOf('$');
        String around = end <= "lambda$".length() ? name : name.substring("lambda$".length(), end);
        return switch (around) {
            case "new" -> CONSTRUCTOR;
            case "static" -> INITIALIZER;
            default -> around;
        };
    }

    /** Class and method in words. */
    String words() {
        return words(owner, sourceName());
    }

    static String words(String owner, String name) {
        String simple = simpleName(owner);
        return switch (name) {
            case CONSTRUCTOR -> "new " + simple;
            case INITIALIZER -> "static initializer of " + simple;
            default -> simple + "." + name;
        };
    }

    /** A class without its package. */
    static String simpleName(String internalName) {
        String type = Type.getObjectType(internalName).getClassName();
        return type.substring(type.lastIndexOf('.') + 1);
    }
}
