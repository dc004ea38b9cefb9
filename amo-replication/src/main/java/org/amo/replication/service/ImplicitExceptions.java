package org.amo.replication.service;

import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Tells the messages that the virtual machine gives the exceptions that it throws by itself, such as that of a division by zero. Once it has
 * compiled the code it may throw objects that it made before, without a message ({@code OmitStackTraceInFastThrow}). Each member compiles
 * at a moment of its own, so these messages are in no reply. {@code Math.addExact} and its like count (Java 25), since the virtual machine
 * has them built in, and the index of a buffer, which compiled code of Java 17 adds.
 */
final class ImplicitExceptions {
    private static final Map<Class<?>, Pattern> MESSAGES = Map.of(
            ArithmeticException.class,
            Pattern.compile("/ by zero|(integer|long) overflow"),
            NullPointerException.class,
            Pattern.compile("Cannot (invoke|read|assign|load|store|throw|enter|exit) .*", Pattern.DOTALL),
            ArrayIndexOutOfBoundsException.class,
            Pattern.compile("Index -?\\d+ out of bounds for length \\d+"),
            IndexOutOfBoundsException.class,
            Pattern.compile("-?\\d+"),
            ClassCastException.class,
            Pattern.compile("class .* cannot be cast to class .*", Pattern.DOTALL),
            // The name of the element's class.
            ArrayStoreException.class,
            Pattern.compile("[^ ]+"));

    private ImplicitExceptions() {}

    /** The message of an exception; empty if it has none, or has that of the virtual machine. */
    static String message(Throwable thrown) {
        String message = Objects.requireNonNullElse(thrown.getMessage(), "");
        Pattern ofMachine = MESSAGES.get(thrown.getClass());
        return ofMachine != null && ofMachine.matcher(message).matches() ? "" : message;
    }
}
