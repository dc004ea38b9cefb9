package org.amo.wrap;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The agent of deterministic execution for a Java service, which {@code amo agent} writes. The properties that choose what it
 * does are those of {@code amo wrap server}; without them it replaces all kinds.
 */
public final class ServiceAgent {
    /** Folder beside the agent's jar, for the jars that it loads apart from the program's. */
    public static final String LIBRARIES = "libraries";

    /** Libraries that run a member, in the class loader that has the service, too: they are no part of an operation. */
    private static final String OF_THE_MEMBER = "io.netty,org.jgroups,net.openhft";

    private ServiceAgent() {}

    /** @param folder with the files that {@code amo agent} wrote */
    public static void premain(String folder, Instrumentation machine) throws IOException {
        try (Stream<Path> jars = Files.list(Path.of(folder, LIBRARIES))) {
            System.setProperty(
                    WrappedProgram.LIBRARIES, jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        }
        System.setProperty(WrappedProgram.DETERMINISTIC, System.getProperty(WrappedProgram.DETERMINISTIC, "all"));
        OperationsAgent.install(machine, OF_THE_MEMBER);
    }
}
