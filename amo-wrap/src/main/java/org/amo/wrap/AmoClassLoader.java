package org.amo.wrap;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds amo and its libraries apart from the program's. A class that is in amo's jars comes from there, although the program may
 * have another version of it. The JDK, the ORB and the program's own classes come from the program's loader.
 */
final class AmoClassLoader extends URLClassLoader {
    /** The loader's name, by which {@code NoGroupSerialization} recognizes amo's JGroups. */
    static final String NAME = "amo";

    /** Packages of the JDK and of the ORB. The program and amo must see the same classes. */
    private static final List<String> OF_THE_PROGRAM = List.of("java.", "javax.", "org.omg.", "org.jacorb.");

    /**
     * Classes of amo that the program may name: it implements the first, and its own copy of {@code AmoClient}, if it has one,
     * must see the mark of a running operation.
     */
    private static final Set<String> SHARED = Set.of(
            "org.amo.interceptors.state.StateCodec",
            "org.amo.base.RunningOperation",
            "org.amo.base.NestedCall",
            "org.amo.base.NestedCalls",
            "org.amo.base.NestedCallException",
            "org.amo.base.CallPath");

    /** The classes that the agent puts on the boot class path. */
    private static final String OF_THE_AGENT = "org.amo.determinism.runtime.";

    private static final String SERVICES = "META-INF/services/";

    static {
        registerAsParallelCapable();
    }

    AmoClassLoader(URL[] libraries, @Nullable ClassLoader program) {
        super(NAME, libraries, program);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (SHARED.contains(name)
                || name.startsWith(OF_THE_AGENT)
                || OF_THE_PROGRAM.stream().anyMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> type = findLoadedClass(name);
            if (type == null) {
                type = own(name);
            }
            return type == null ? super.loadClass(name, resolve) : type;
        }
    }

    private @Nullable Class<?> own(String name) {
        try {
            return findClass(name);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    @Override
    public @Nullable URL getResource(String name) {
        URL own = findResource(name);
        return own != null || name.startsWith(SERVICES) ? own : super.getResource(name);
    }

    /** A program's providers, of its own SLF4J for example, implement interfaces of the program's libraries. */
    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> all = new ArrayList<>(Collections.list(findResources(name)));
        ClassLoader program = getParent();
        if (program != null && !name.startsWith(SERVICES)) {
            all.addAll(Collections.list(program.getResources(name)));
        }
        return Collections.enumeration(all);
    }
}
