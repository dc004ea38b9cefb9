package org.amo.cli.wrap;

import java.util.LinkedHashMap;
import java.util.Map;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.interceptors.server.JacorbDefaults;

/** JacORB's properties that amo needs; a user's own value on the command line wins. */
final class JacorbProperties {
    private static final String INITIALIZER = "org.omg.PortableInterceptor.ORBInitializerClass.";

    private JacorbProperties() {}

    /** For a replica. */
    static Map<String, String> server(String group) {
        Map<String, String> properties = withoutInitializer(JacorbDefaults.server());
        // Equal at all members, or object keys differ and no member can serve another's references.
        properties.put("jacorb.implname", group);
        return properties;
    }

    /** For a client. */
    static Map<String, String> client() {
        return withoutInitializer(JacorbClientDefaults.properties());
    }

    /** The initializers are no defaults: wrap itself sets them, regardless of the user's options. */
    private static Map<String, String> withoutInitializer(Map<String, String> all) {
        Map<String, String> properties = new LinkedHashMap<>(all);
        properties.keySet().removeIf(name -> name.startsWith(INITIALIZER));
        // A virtual machine's, not an ORB's: JacORB's own verbosity does nothing under SLF4J 2.
        properties.put("java.util.logging.config.class", "org.amo.interceptors.logging.QuietLogging");
        return properties;
    }
}
