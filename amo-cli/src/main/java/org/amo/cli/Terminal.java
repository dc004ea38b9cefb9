package org.amo.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.util.function.Consumer;

/** Whether somebody is watching. */
public final class Terminal {
    private Terminal() {}

    /** Takes lines of progress: to the writer when a person sees them, to nowhere when output is piped. */
    public static Consumer<String> progress(PrintWriter writer) {
        return isInteractive()
                ? line -> {
                    writer.println(line);
                    writer.flush();
                }
                : line -> {};
    }

    /**
     * Takes the states of one line, which each replace the one before, and "" in the end: to the writer when a person sees them, to
     * nowhere when output is piped.
     */
    public static Consumer<String> rewrittenLine(PrintWriter writer) {
        return isInteractive()
                ? line -> {
                    writer.print("\r\033[K" + line);
                    writer.flush();
                }
                : line -> {};
    }

    /** Whether standard output is a terminal. */
    // null where there is no terminal up to JDK 21; since 22 the console says it itself, which is asked too.
    @SuppressWarnings("SystemConsoleNull")
    static boolean isInteractive() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }
}
