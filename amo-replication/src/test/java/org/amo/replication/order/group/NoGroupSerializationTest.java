package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jgroups.util.Util;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In a virtual machine of its own, since the factory is set once for all. */
@Timeout(60)
class NoGroupSerializationTest {
    private static final String FACTORY = "-Djdk.serialFilterFactory=" + NoGroupSerialization.class.getName();

    @Test
    void whatJgroupsWouldReadAsAJavaObjectIsRefusedAndTheApplicationsStreamsAreNot() throws Exception {
        assertEquals(List.of("jgroups InvalidClassException", "application [1]"), run(Main.class, FACTORY));
    }

    /** A wrapped program may have a JGroups of its own; amo's is in a class loader named amo. */
    @Test
    void inAWrappedProgramOnlyAmosJgroupsIsMeant() throws Exception {
        String wrapped = "-Damo.libraries=somewhere";
        assertEquals(List.of("jgroups [1]", "application [1]"), run(Main.class, FACTORY, wrapped));
        assertEquals(
                List.of("jgroups InvalidClassException", "application [1]"), run(Isolated.class, FACTORY, wrapped));
    }

    /** The control: without it JGroups reads any object. */
    @Test
    void withoutItJgroupsReadsAnyObject() throws Exception {
        assertEquals(List.of("jgroups [1]", "application [1]"), run(Main.class));
    }

    private static List<String> run(Class<?> main, String... options) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        words.addAll(List.of(options));
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList();
        assertEquals(true, process.waitFor(10, TimeUnit.SECONDS));
        return lines;
    }

    /** The same in a class loader of its own. */
    public static final class Isolated {
        private Isolated() {}

        public static void main(String[] arguments) throws Exception {
            List<URL> urls = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            try (URLClassLoader loader =
                    new URLClassLoader("amo", urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
                loader.loadClass(Main.class.getName())
                        .getMethod("main", String[].class)
                        .invoke(null, (Object) arguments);
            }
        }
    }

    /** What the other virtual machine does. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            List<Integer> value = new ArrayList<>(List.of(1));
            try {
                System.out.println("jgroups " + Util.objectFromByteBuffer(Util.objectToByteBuffer(value)));
            } catch (IOException e) {
                System.out.println("jgroups " + e.getClass().getSimpleName());
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(value);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                System.out.println("application " + in.readObject());
            }
        }
    }
}
