package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.amo.core.order.Member;
import org.amo.examples.bank.BankServer;
import org.amo.examples.counter.CountersInMemory;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.Test;

/** {@code amo check} finds nothing in the programs that the demo and the chaos run replicate. */
final class CheckTest {
    @Test
    void theDemoBankHasNoSourceOfNondeterminism() throws URISyntaxException {
        Run run = check(BankServer.class.getName(), BankServer.class);
        assertEquals(ExitCodes.OK, run.exitCode(), run.out() + run.err());
        assertTrue(run.out().startsWith("findings 0 "), run.out());
    }

    @Test
    void neitherHasTheCounter() throws URISyntaxException {
        Run run =
                check("org.amo.examples.counter.CounterServer", CountersInMemory.class, AmoReplica.class, Member.class);
        assertEquals(ExitCodes.OK, run.exitCode(), run.out() + run.err());
        assertTrue(run.out().contains("operations 3,"), run.out());
    }

    /** Checks a program with the jars or folders of these classes as its class path. */
    private static Run check(String program, Class<?>... classPath) throws URISyntaxException {
        List<String> path = new ArrayList<>();
        for (Class<?> each : classPath) {
            path.add(location(each));
        }
        return Run.of("check", "--", "java", "-cp", String.join(File.pathSeparator, path), program);
    }

    private static String location(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }
}
