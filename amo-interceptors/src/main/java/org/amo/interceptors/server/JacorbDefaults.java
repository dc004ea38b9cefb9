package org.amo.interceptors.server;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.amo.interceptors.jacorb.FreshBuffers;

/** The properties with which {@code amo wrap server} starts a JacORB server, unless its user has set them. */
public final class JacorbDefaults {
    private JacorbDefaults() {}

    /** For a server. Its own settings (group, members, port …) are not among them. */
    public static Map<String, String> server() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("org.omg.PortableInterceptor.ORBInitializerClass." + GoaInitializer.class.getName(), "");
        // Without it JacORB logs that the initializer failed and starts a server that is no member.
        properties.put("jacorb.orb_initializer.fail_on_error", "on");
        // JacORB makes and ends a thread for each burst above the minimum, which costs more than the calls; a thread
        // waits here while its request is ordered.
        properties.put("jacorb.poa.thread_pool_min", "64");
        properties.put("jacorb.poa.thread_pool_max", "64");
        // Else JacORB drops oneways, without a sign, when more than a hundred requests wait. So it stops reading.
        properties.put("jacorb.poa.queue_wait", "on");
        // JacORB's own buffers carry bytes of earlier messages into the gaps of replies that hold valuetypes.
        properties.put(FreshBuffers.PROPERTY, FreshBuffers.class.getName());
        properties.put("jacorb.retries", "0");
        properties.put("jacorb.log.default.verbosity", "1");
        return Collections.unmodifiableMap(properties);
    }
}
