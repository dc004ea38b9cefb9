package org.amo.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.NestedCalls;
import org.amo.base.RunningOperation;
import org.amo.interceptors.state.StateCodec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.ORB;

/** A program and amo with resources and classes of the same names. */
final class AmoClassLoaderTest {
    @TempDir
    private Path folder;

    private URLClassLoader program;
    private AmoClassLoader amo;

    @BeforeEach
    void open() throws Exception {
        program = new URLClassLoader(urls("program"), AmoClassLoaderTest.class.getClassLoader());
        amo = new AmoClassLoader(urls("amo"), program);
    }

    @AfterEach
    void close() throws Exception {
        amo.close();
        program.close();
    }

    private URL[] urls(String name) throws IOException {
        return new URL[] {Files.createDirectories(folder.resolve(name)).toUri().toURL()};
    }

    private void put(String where, String resource) throws IOException {
        Path file = folder.resolve(where).resolve(resource);
        Files.createDirectories(file.getParent());
        Files.writeString(file, where);
    }

    /** As if amo's jars had the class, as the program has. */
    private void copy(Class<?> type) throws IOException {
        String name = type.getName().replace('.', '/') + ".class";
        Path file = folder.resolve("amo").resolve(name);
        Files.createDirectories(file.getParent());
        try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
            Files.copy(in, file);
        }
    }

    @Test
    void aClassOfAmosJarsIsAmosOwn() throws Exception {
        copy(ClientId.class);
        Class<?> loaded = amo.loadClass(ClientId.class.getName());
        assertNotSame(ClientId.class, loaded);
        assertSame(amo, loaded.getClassLoader());
        assertSame(loaded, amo.loadClass(ClientId.class.getName()));
    }

    @Test
    void theOrbAndTheClassesThatTheProgramNamesAreTheProgramsOwn() throws Exception {
        for (Class<?> type :
                List.of(ORB.class, StateCodec.class, RunningOperation.class, NestedCalls.class, CallPath.class)) {
            copy(type);
            assertSame(type, amo.loadClass(type.getName()));
        }
    }

    @Test
    void aClassThatOnlyTheProgramHasIsFound() throws Exception {
        assertSame(AmoClassLoaderTest.class, amo.loadClass(AmoClassLoaderTest.class.getName()));
        assertThrows(ClassNotFoundException.class, () -> amo.loadClass("org.amo.Nothing"));
    }

    @Test
    void aResourceOfAmosJarsComesFirst() throws Exception {
        put("program", "both.txt");
        put("program", "one.txt");
        put("amo", "both.txt");
        assertEquals("amo", Files.readString(Path.of(amo.getResource("both.txt").toURI())));
        assertEquals(
                "program", Files.readString(Path.of(amo.getResource("one.txt").toURI())));
        assertEquals(2, Collections.list(amo.getResources("both.txt")).size());
    }

    /** The program's provider of SLF4J 2 is none of the SLF4J that amo brings. */
    @Test
    void providersOfTheProgramAreNotAmos() throws Exception {
        String service = "META-INF/services/org.slf4j.spi.SLF4JServiceProvider";
        put("program", service);
        assertNull(amo.getResource(service));
        assertEquals(List.of(), Collections.list(amo.getResources(service)));
        put("amo", service);
        assertEquals(1, Collections.list(amo.getResources(service)).size());
    }
}
