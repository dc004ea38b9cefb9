package org.amo.wrap;

/** Makes the ORB of a wrapped program a member of a group. JacORB makes it by its name. */
public final class ServerInitializer extends IsolatedInitializer {
    private static final long serialVersionUID = 1L;

    public ServerInitializer() {
        super("org.amo.interceptors.server.GoaInitializer");
    }
}
