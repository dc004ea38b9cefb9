package org.amo.interceptors.client;

import java.util.Map;
import java.util.TreeMap;
import org.amo.interceptors.jacorb.FreshBuffers;

/**
 * The JacORB properties that a replicated client runs with. {@code amo wrap client} passes them on the command line;
 * {@link AmoClientInitializer} sets those of {@link #forOrb} itself where the user did not.
 */
public final class JacorbClientDefaults {
    private JacorbClientDefaults() {}

    /** All of them, by name. */
    public static Map<String, String> properties() {
        Map<String, String> properties = new TreeMap<>(forOrb());
        properties.put("org.omg.PortableInterceptor.ORBInitializerClass." + AmoClientInitializer.class.getName(), "");
        // Otherwise, if its interceptor cannot start, a client would silently run without it, as a plain client.
        properties.put("jacorb.orb_initializer.fail_on_error", "on");
        // A call that is sent again must consist of the same bytes, the gaps in valuetypes included.
        properties.put(FreshBuffers.PROPERTY, FreshBuffers.class.getName());
        // The interceptor logs the events that matter; JacORB prints a line for every connection that breaks.
        properties.put("jacorb.log.default.verbosity", "1");
        return properties;
    }

    /**
     * Those that count when a connection is made. There is no pending_reply_timeout among them: it would also end
     * slow calls to servers that are not replicated. The interceptor bounds each attempt by itself.
     */
    static Map<String, String> forOrb() {
        return Map.of(
                // The default, 5 times half a second and one thread after the other, stalls a client for 20 s (measured
                // with 8 threads); another member answers in milliseconds.
                "jacorb.retries", "0",
                // A machine that is off sends no refusal.
                "jacorb.connection.client.connect_timeout", "3000");
    }
}
