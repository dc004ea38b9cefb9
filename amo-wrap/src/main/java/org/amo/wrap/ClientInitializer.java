package org.amo.wrap;

/** Makes the ORB of a wrapped program a client of a group. JacORB makes it by its name. */
public final class ClientInitializer extends IsolatedInitializer {
    private static final long serialVersionUID = 1L;

    public ClientInitializer() {
        super("org.amo.interceptors.client.AmoClientInitializer");
    }
}
