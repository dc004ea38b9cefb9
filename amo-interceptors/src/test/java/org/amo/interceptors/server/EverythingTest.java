package org.amo.interceptors.server;

import java.util.Map;

/** {@link EveryType} by a client that knows nothing of amo: JacORB's threads wait for the group. */
class EverythingTest extends EveryType {
    EverythingTest() {
        super("everything", Map.of());
    }
}
