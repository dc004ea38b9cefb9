package org.amo.wrap;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Amo in this process, loaded once; also where there is no ORB. Any thread. */
final class IsolatedAmo {
    private static final ClassLoader LOADER = new AmoClassLoader(libraries(), IsolatedAmo.class.getClassLoader());

    private IsolatedAmo() {}

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
