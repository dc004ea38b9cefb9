package org.amo.wrap;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.INITIALIZE;
import org.omg.PortableInterceptor.ORBInitializer;

/** Amo in this process, loaded once. Any thread. */
final class IsolatedAmo {
    private static final ClassLoader LOADER = new AmoClassLoader(libraries(), IsolatedAmo.class.getClassLoader());

    private IsolatedAmo() {}

    /** @throws INITIALIZE if amo's jars have no such class */
    static ORBInitializer initializer(String className) {
        try {
            return Class.forName(className, true, LOADER)
                    .asSubclass(ORBInitializer.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            INITIALIZE failure = new INITIALIZE("amo cannot be loaded (" + e + ") from " + WrappedProgram.LIBRARIES
                    + "=" + System.getProperty(WrappedProgram.LIBRARIES) + "; start the program by amo wrap");
            failure.initCause(e);
            throw failure;
        }
    }

    /** A class of amo's jars. */
    static Class<?> type(String className) throws ClassNotFoundException {
        return Class.forName(className, true, LOADER);
    }

    private static URL[] libraries() {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty(WrappedProgram.LIBRARIES, "").split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                try {
                    urls.add(Path.of(entry).toUri().toURL());
                } catch (MalformedURLException e) {
                    throw new IllegalArgumentException(WrappedProgram.LIBRARIES + " names " + entry + ", no file", e);
                }
            }
        }
        return urls.toArray(URL[]::new);
    }
}
