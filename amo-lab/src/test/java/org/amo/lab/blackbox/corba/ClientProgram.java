package org.amo.lab.blackbox.corba;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.lab.blackbox.BankCluster;
import org.omg.CORBA.ORB;
import org.slf4j.Logger;

/** A client program of the tests, in a process of its own, on the ORB of somebody's choice. The test's thread owns it. */
final class ClientProgram implements AutoCloseable {
    private static final long MOST_SECONDS = 40;

    /** What the program runs on. */
    enum On {
        /** JacORB, and what {@code ./amo wrap client} adds. */
        AMO,
        /** JacORB alone. */
        JACORB,
        /** The ORB of GlassFish. There is no class of JacORB or of amo in the process. */
        GLASSFISH
    }

    private final Process process;
    private final Path out;

    private ClientProgram(Process process, Path out) {
        this.process = process;
        this.out = out;
    }

    static ClientProgram start(On on, Path folder, Class<?> main, List<String> options, List<String> arguments) {
        try {
            Path out = Files.createTempFile(folder, "client-" + on + "-", ".log");
            Process process = new ProcessBuilder(command(on, main, options, arguments))
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            return new ClientProgram(process, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> command(On on, Class<?> main, List<String> options, List<String> arguments) {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(options);
        words.addAll(on == On.GLASSFISH ? glassfishOptions() : List.of("-Djacorb.log.default.verbosity=0"));
        words.add("-cp");
        words.add(classPath(on, main));
        words.add(main.getName());
        words.addAll(arguments);
        if (on != On.AMO) {
            return words;
        }
        return new ClientWrap(List.of(), Optional.of(20_000L), true, Optional.empty(), Optional.empty())
                .apply(JavaCommandLine.parse(words, Optional.empty()))
                .words();
    }

    private static List<String> glassfishOptions() {
        return List.of(
                // Its management beans do not understand Java 17, and it reads no message above 256 kB unless told.
                "-Dorg.glassfish.gmbal.no.multipleUpperBoundsException=true",
                "-Dcom.sun.corba.ee.transport.ORBMaximumReadByteBufferSize=16000000",
                "-Dorg.omg.CORBA.ORBClass=com.sun.corba.ee.impl.orb.ORBImpl",
                "-Dorg.omg.CORBA.ORBSingletonClass=com.sun.corba.ee.impl.orb.ORBSingleton");
    }

    private static String classPath(On on, Class<?> main) {
        String program = BankCluster.location(main);
        if (on == On.GLASSFISH) {
            return program + File.pathSeparator + glassfishJars();
        }
        return String.join(
                File.pathSeparator,
                program,
                BankCluster.location(org.jacorb.orb.ORB.class),
                BankCluster.location(ORB.class),
                BankCluster.location(javax.rmi.CORBA.Util.class),
                BankCluster.location(Logger.class));
    }

    private static String glassfishJars() {
        Path folder = Path.of(BankCluster.location(ClientProgram.class)).resolveSibling("glassfish-orb");
        try (Stream<Path> jars = Files.list(folder)) {
            return String.join(
                    File.pathSeparator, jars.map(Path::toString).sorted().toList());
        } catch (IOException e) {
            throw new UncheckedIOException("the build puts the jars of GlassFish's ORB there", e);
        }
    }

    String said() {
        try {
            return Files.readString(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The number at the end of the last line that begins so; 0 if it has not said it yet. */
    long number(String beginning) {
        return said().lines()
                .filter(line -> line.startsWith(beginning))
                .reduce((first, second) -> second)
                .map(line -> Long.parseLong(
                        line.substring(beginning.length()).strip().split(" ", -1)[0]))
                .orElse(0L);
    }

    /** Fails when the program has ended: whoever waits for more would wait in vain. */
    void requireAlive() {
        if (!process.isAlive()) {
            throw new AssertionError("the client has ended with " + process.exitValue() + ": " + said());
        }
    }

    long pid() {
        return process.pid();
    }

    /** Writes a line to its standard input. */
    void say(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(said(), e);
        }
    }

    void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void requireSuccess() {
        try {
            if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the client does not end: " + said());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        assertEquals(0, process.exitValue(), said());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
