package org.amo.wrap;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;

/** The agreement between {@code amo wrap} and the program that it starts. */
public final class WrappedProgram {
    /** The system property with amo's jars and their libraries, as a class path. The program's own loader knows none of them. */
    public static final String LIBRARIES = "amo.libraries";

    /** The system property with the kinds of nondeterminism that the agent removes: all, none, or a list. */
    public static final String DETERMINISTIC = "amo.deterministic";

    private static final String PROVIDER = "META-INF/services/org.slf4j.spi.SLF4JServiceProvider";
    private static final String ORB = "org/omg/CORBA/ORB.class";
    private static final String JACORB = "org/jacorb/orb/ORB.class";
    private static final String SLF4J = "org/slf4j/LoggerFactory.class";

    /** An entry of a jar, by which it is recognized, and the resources by which a program has as much already. */
    private static final Map<String, List<String>> LENT = Map.of(
            ORB, List.of(ORB),
            JACORB, List.of(JACORB),
            SLF4J, List.of(SLF4J),
            PROVIDER, List.of(PROVIDER, "org/slf4j/impl/StaticLoggerBinder.class"));

    private WrappedProgram() {}

    /**
     * Those of the jars that the program lacks. JacORB and its SLF4J are part of the program: it keeps its own if it brings them.
     * Jars with neither are lacking in any case.
     *
     * @param program finds the program's own resources
     */
    public static List<String> lacking(List<String> jars, ClassLoader program) throws IOException {
        List<String> lacking = new ArrayList<>();
        for (String jar : jars) {
            if (!superfluous(jar, program)) {
                lacking.add(jar);
            }
        }
        return lacking;
    }

    private static boolean superfluous(String path, ClassLoader program) throws IOException {
        try (JarFile jar = new JarFile(path)) {
            return LENT.entrySet().stream()
                    .filter(each -> jar.getEntry(each.getKey()) != null)
                    .flatMap(each -> each.getValue().stream())
                    .anyMatch(resource -> program.getResource(resource) != null);
        }
    }
}
