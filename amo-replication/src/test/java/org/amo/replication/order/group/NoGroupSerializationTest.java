package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
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

    @Test
    void whatJgroupsWouldReadAsAJavaObjectIsRefusedAndTheApplicationsStreamsAreNot() throws Exception {
        assertEquals(
                List.of("jgroups InvalidClassException", "application [1]"),
                run("-Djdk.serialFilterFactory=" + NoGroupSerialization.class.getName()));
    }

    /** The control: without it JGroups reads any object. */
    @Test
    void withoutItJgroupsReadsAnyObject() throws Exception {
        assertEquals(List.of("jgroups [1]", "application [1]"), run("-Dnothing=true"));
    }

    private static List<String> run(String option) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        option,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList();
        assertEquals(true, process.waitFor(10, TimeUnit.SECONDS));
        return lines;
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
