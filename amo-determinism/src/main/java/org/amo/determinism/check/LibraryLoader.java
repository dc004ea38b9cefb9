package org.amo.determinism.check;

import java.net.URL;
import org.jspecify.annotations.Nullable;

/** Finds class files of the JDK that runs the scan, and of the CORBA interfaces that the scan's own class path has. */
final class LibraryLoader extends ClassLoader {
    LibraryLoader() {
        super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected @Nullable URL findResource(String name) {
        return name.startsWith("org/omg/")
                ? LibraryLoader.class.getClassLoader().getResource(name)
                : null;
    }
}
