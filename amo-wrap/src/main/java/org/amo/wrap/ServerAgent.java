package org.amo.wrap;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * Makes the first virtual machine that loads {@code org.omg.CORBA.ORB} a member: it gets amo's properties and classes
 * before the class is there. Every other machine that a start script starts stays as it is. Runs inside the user's programs, so
 * it needs the JDK alone until there is an ORB.
 */
public final class ServerAgent implements ClassFileTransformer {
    /** File of the folder: what {@code amo wrap server} decided. */
    public static final String SETTINGS = "settings.properties";
    /** File of the folder: there is one if a machine has become the member. */
    public static final String TAKEN = "taken";

    /** In the settings: jars that the server gets if it lacks them, one a line. The other names are properties of the machine. */
    public static final String JARS = "";

    private static final String CLAIM = "claim";

    private static final String WATCHED = "org/omg/CORBA/ORB";
    private static final int USER = 2;

    /** Folders of the agents in this machine. Of the thread that starts it. */
    private static final Set<Path> STARTED = new HashSet<>();

    private final Instrumentation machine;
    private final Path folder;
    private final Properties settings;

    /** Held open: with it the lock would go. */
    @SuppressWarnings("UnusedVariable")
    private @Nullable FileChannel claim;

    private boolean decided;

    private ServerAgent(Instrumentation machine, Path folder, Properties settings) {
        this.machine = machine;
        this.folder = folder;
        this.settings = settings;
    }

    /** @param folder with the files that {@code amo wrap server} wrote */
    public static void premain(String folder, Instrumentation machine) throws IOException {
        Path path = Path.of(folder);
        if (!STARTED.add(path)) {
            // A script has handed the options of JAVA_TOOL_OPTIONS to java once more. A second channel to the claim
            // would take its lock along when it goes.
            return;
        }
        Properties settings = new Properties();
        try (InputStream in = Files.newInputStream(path.resolve(SETTINGS))) {
            settings.load(in);
        }
        machine.addTransformer(new ServerAgent(machine, path, settings));
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (WATCHED.equals(name)) {
            takePart();
        }
        return null;
    }

    private synchronized void takePart() {
        if (decided) {
            return;
        }
        decided = true;
        machine.removeTransformer(this);
        try {
            if (claimed()) {
                addJars();
                settings.stringPropertyNames().stream()
                        .filter(name -> !name.equals(JARS))
                        .forEach(this::set);
                OperationsAgent.install(machine, "");
            }
        } catch (IOException e) {
            end("amo: cannot claim the server's place in " + folder + " (" + e
                    + "); give --data a folder that the server" + " may write");
        }
    }

    /** Whether this process is the first. It stays so until it ends: then a script may start the server again. */
    private boolean claimed() throws IOException {
        FileChannel channel =
                FileChannel.open(folder.resolve(CLAIM), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (channel.tryLock() == null) {
            channel.close();
            return false;
        }
        claim = channel;
        Files.writeString(
                folder.resolve(TAKEN), Long.toString(ProcessHandle.current().pid()));
        return true;
    }

    /** Behind the server's own class path, where this agent's jar stands already. */
    private void addJars() throws IOException {
        List<String> jars = settings.getProperty(JARS, "").lines().toList();
        for (String jar : WrappedProgram.lacking(jars, ClassLoader.getSystemClassLoader())) {
            machine.appendToSystemClassLoaderSearch(new JarFile(jar));
        }
    }

    private void set(String name) {
        String value = settings.getProperty(name);
        String own = System.getProperty(name);
        if (own == null) {
            System.setProperty(name, value);
        } else if (!own.equals(value) && isFixed(name)) {
            end("amo: the program's -D" + name + "=" + own + " contradicts the options of amo wrap server, which need "
                    + value + "; remove it, or change the options");
        }
    }

    private static boolean isFixed(String name) {
        return name.startsWith("amo.") || name.equals("OAPort") || name.equals("OAIAddr");
    }

    private static void end(String why) {
        System.err.println(why);
        Runtime.getRuntime().halt(USER);
    }
}
