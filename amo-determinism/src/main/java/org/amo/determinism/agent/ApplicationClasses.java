package org.amo.determinism.agent;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells the application's classes from those of the JDK, of amo, of the ORB and of logging libraries. A log is not part of the
 * state, and members may log at different levels, so its clock is the system's.
 */
final class ApplicationClasses {
    private static final List<String> EXCLUDED = List.of(
            "java/",
            "javax/",
            "jdk/",
            "sun/",
            "com/sun/",
            "org/omg/",
            "org/jacorb/",
            "org/amo/base/",
            "org/amo/core/",
            "org/amo/determinism/",
            "org/amo/dpg/",
            "org/amo/exon/",
            "org/amo/grpc/",
            "org/amo/interceptors/",
            "org/amo/jdbc/",
            "org/amo/kv/",
            "org/amo/linearizable/",
            "org/amo/net/",
            "org/amo/observe/",
            "org/amo/once/",
            "org/amo/redis/",
            "org/amo/replication/",
            "org/amo/scmp/",
            "org/amo/spring/",
            "org/amo/wrap/",
            "org/slf4j/",
            "org/apache/log4j/",
            "org/apache/logging/",
            "org/apache/commons/logging/",
            "org/jboss/logging/",
            "org/jboss/logmanager/",
            "ch/qos/logback/");

    private static final String AMO_LOADER = "org.amo.wrap.AmoClassLoader";

    private final List<String> excluded;

    /** @param excluded packages to be left as they are, as prefixes of internal names */
    ApplicationClasses(List<String> excluded) {
        this.excluded = List.copyOf(excluded);
    }

    /** @param more packages to be left as they are, as prefixes of class names */
    static ApplicationClasses without(List<String> more) {
        List<String> all = new ArrayList<>(EXCLUDED);
        more.stream().map(prefix -> prefix.replace('.', '/')).forEach(all::add);
        return new ApplicationClasses(all);
    }

    boolean contain(@Nullable ClassLoader loader, String name) {
        return loader != null
                && loader != ClassLoader.getPlatformClassLoader()
                && !loader.getClass().getName().equals(AMO_LOADER)
                && !isExcluded(name);
    }

    /** Whether classes of that internal name are left as they are, whichever loader has them. */
    boolean isExcluded(String name) {
        return excluded.stream().anyMatch(name::startsWith);
    }
}
