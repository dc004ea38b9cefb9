package org.amo.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.util.function.Consumer;

/** Whether somebody is watching. */
public final class Terminal {
    private static final Progress NOWHERE = new Progress() {
        @Override
        public void accept(String event) {}

        @Override
        public void state(String line) {}
    };

    private Terminal() {}

    /** Takes the progress of a run: what happens, a line each, and below these lines its state, in one line that is rewritten. */
    public interface Progress extends Consumer<String> {
        /** A line that stays. */
        @Override
        void accept(String event);

        /** In the place of the state before. */
        void state(String line);

        /** Takes the state away: the result follows. */
        default void end() {
            state("");
        }
    }

    /** To the writer when a person sees it, to nowhere when output is piped. Any thread. */
    public static Progress progress(PrintWriter writer) {
        return isInteractive() ? new RewrittenLine(writer) : NOWHERE;
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
