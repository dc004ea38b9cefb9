package org.amo.benchmarks.figures;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/** Versions of the measured libraries and of those below them, as their jars tell them. */
final class Versions {
    private static final Map<String, String> LIBRARIES = new LinkedHashMap<>();

    static {
        LIBRARIES.put("JacORB", "org.jacorb/jacorb");
        LIBRARIES.put("JGroups", "org.jgroups/jgroups");
        LIBRARIES.put("jgroups-raft", "org.jgroups/jgroups-raft");
        LIBRARIES.put("Apache Ratis", "org.apache.ratis/ratis-server");
        LIBRARIES.put("Chronicle Map", "net.openhft/chronicle-map");
        LIBRARIES.put("Netty", "io.netty/netty-transport");
    }

    private Versions() {}

    /** By name; without those that are not on the class path or do not tell. */
    static Map<String, String> onClassPath() {
        Map<String, String> versions = new LinkedHashMap<>();
        LIBRARIES.forEach((name, artifact) -> {
            String resource = "META-INF/maven/" + artifact + "/pom.properties";
            try (InputStream stream = Versions.class.getClassLoader().getResourceAsStream(resource)) {
                if (stream != null) {
                    Properties properties = new Properties();
                    properties.load(stream);
                    versions.put(name, properties.getProperty("version", "unknown"));
                }
            } catch (IOException e) {
                // A jar that cannot be read tells no version.
                versions.put(name, "unknown");
            }
        });
        return versions;
    }
}
