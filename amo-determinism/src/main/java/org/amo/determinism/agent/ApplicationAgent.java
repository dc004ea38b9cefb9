package org.amo.determinism.agent;

import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.amo.determinism.runtime.InstrumentedClasses;
import org.amo.determinism.runtime.MemberOperations;
import org.amo.determinism.runtime.ThreadStarts;
import org.slf4j.LoggerFactory;

/** Installs the agent in a virtual machine. */
public final class ApplicationAgent {
    /** The property with packages to be left as they are, as prefixes with commas between. */
    public static final String EXCLUDE = "amo.deterministic.exclude";

    /** The property with the treatment of threads that an operation starts: warn, refuse or ordered. */
    public static final String THREADS = "amo.threads";

    private static final int MOST_NAMED = 20;

    /** Classes that stayed as they are before there was a log. Guarded by this, as are the two fields below. */
    private final List<String> waiting = new ArrayList<>();

    private final Set<String> named = new HashSet<>();
    private boolean logging;

    private ApplicationAgent() {}

    /**
     * Rewrites every class of the application that is loaded from now on. The classes of {@code org.amo.determinism.runtime}
     * must be the boot class loader's.
     *
     * @param kinds as {@link Kind#parse} reads them
     * @param libraries packages to be left as they are beside {@link #EXCLUDE}: no setting, so that a later version may have others
     */
    public static void install(Instrumentation machine, String kinds, String libraries) {
        Set<Kind> chosen = Kind.parse(kinds);
        if (chosen.isEmpty()) {
            return;
        }
        if (MemberOperations.class.getClassLoader() != null) {
            throw new IllegalStateException(
                    "the agent's replacements are not on the boot class path; start the program by amo wrap");
        }
        List<String> excluded = Arrays.stream((System.getProperty(EXCLUDE, "") + "," + libraries).split(",", -1))
                .filter(prefix -> !prefix.isBlank())
                .map(String::strip)
                .toList();
        ApplicationAgent agent = new ApplicationAgent();
        ApplicationClasses application = ApplicationClasses.without(excluded);
        InstrumentedClasses.onMember(agent::startLogging);
        String threads = System.getProperty(THREADS, "warn");
        if (threads.equals(ThreadStarts.ORDERED) && chosen.size() < Kind.values().length) {
            throw new IllegalStateException(THREADS + "=" + threads + " needs all kinds of determinism, not " + kinds);
        }
        ThreadStarts.configure(threads, (line, where) -> LoggerFactory.getLogger(ApplicationAgent.class)
                .warn("{}", line, where));
        machine.addTransformer(
                new ApplicationTransformer(application, chosen, ThreadStarts.areOrdered(), agent::left), true);
        for (Class<?> loaded : machine.getAllLoadedClasses()) {
            if (machine.isModifiableClass(loaded)
                    && application.contain(
                            loaded.getClassLoader(), loaded.getName().replace('.', '/'))) {
                agent.rewrite(machine, loaded);
            }
        }
    }

    /** With a start script, a few classes are loaded before the machine is known to be the server's. */
    private void rewrite(Instrumentation machine, Class<?> loaded) {
        try {
            machine.retransformClasses(loaded);
        } catch (UnmodifiableClassException | LinkageError e) {
            left(loaded.getName(), String.valueOf(e.getMessage()));
        }
    }

    private void left(String name, String why) {
        String line =
                "class " + name.replace('/', '.') + " is not deterministic: it cannot be instrumented (" + why + ")";
        synchronized (this) {
            // A class that the virtual machine refuses as well comes again each time the program asks for it.
            if (named.contains(line)) {
                return;
            }
            InstrumentedClasses.leave();
            if (named.size() == MOST_NAMED) {
                return;
            }
            named.add(line);
            if (!logging) {
                waiting.add(line);
                return;
            }
        }
        LoggerFactory.getLogger(ApplicationAgent.class).warn("{}", line);
    }

    /** A log made earlier could disturb the application's own set-up of the JDK's logging. */
    private void startLogging() {
        List<String> lines;
        synchronized (this) {
            logging = true;
            lines = List.copyOf(waiting);
            waiting.clear();
        }
        lines.forEach(line -> LoggerFactory.getLogger(ApplicationAgent.class).warn("{}", line));
    }
}
