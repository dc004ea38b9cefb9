package org.amo.cli;

import java.util.LinkedHashMap;
import java.util.Map;

/** JacORB's properties that amo needs; a user's own value on the command line wins. */
public final class JacorbProperties {
    private JacorbProperties() {}

    /** For a replica. */
    public static Map<String, String> server(String group) {
        Map<String, String> properties = common();
        // Equal at all members, or object keys differ and no member can serve another's references.
        properties.put("jacorb.implname", group);
        properties.put("jacorb.poa.thread_pool_min", "64");
        properties.put("jacorb.poa.thread_pool_max", "64");
        return properties;
    }

    /** For a client. */
    public static Map<String, String> client() {
        Map<String, String> properties = common();
        // One attempt; our interceptor then asks the next member under the same id.
        properties.put("jacorb.connection.client.pending_reply_timeout", "3000");
        properties.put("jacorb.connection.client.connect_timeout", "1000");
        return properties;
    }

    private static Map<String, String> common() {
        Map<String, String> properties = new LinkedHashMap<>();
        // JacORB's own retries are 5 x 500 ms, one after the other for each connection.
        properties.put("jacorb.retries", "0");
        // An interceptor that cannot start must stop the ORB from starting.
        properties.put("jacorb.orb_initializer.fail_on_error", "on");
        properties.put("jacorb.log.default.verbosity", "1");
        properties.put("java.util.logging.config.class", "org.amo.interceptors.logging.QuietLogging");
        return properties;
    }
}
