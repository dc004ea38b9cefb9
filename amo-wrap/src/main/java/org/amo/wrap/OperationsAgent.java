package org.amo.wrap;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;

/** Leads to the agent of deterministic execution, which is in amo's own class loader. */
public final class OperationsAgent {
    private static final String AGENT = "org.amo.determinism.agent.ApplicationAgent";
    private static final int USER = 2;

    private OperationsAgent() {}

    /** Before the main class is loaded. */
    public static void premain(String arguments, Instrumentation machine) {
        install(machine, "");
    }

    /**
     * Rewrites the application's classes from now on, unless the options of amo wrap say none.
     *
     * @param libraries packages of amo's own libraries in the application's class loader, with commas between
     */
    static void install(Instrumentation machine, String libraries) {
        String kinds = System.getProperty(WrappedProgram.DETERMINISTIC, "none");
        if (kinds.equals("none")) {
            return;
        }
        try {
            IsolatedAmo.type(AGENT)
                    .getMethod("install", Instrumentation.class, String.class, String.class)
                    .invoke(null, machine, kinds, libraries);
        } catch (InvocationTargetException e) {
            end(String.valueOf(e.getTargetException()));
        } catch (ReflectiveOperationException | LinkageError e) {
            end(e.toString());
        }
    }

    /** A member whose operations differ from those of the others is worse than none. */
    private static void end(String why) {
        System.err.println("amo: cannot make operations deterministic (" + why
                + "); correct it, or start every member with --deterministic none");
        Runtime.getRuntime().halt(USER);
    }
}
