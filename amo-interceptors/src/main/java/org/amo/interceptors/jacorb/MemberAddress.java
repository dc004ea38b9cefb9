package org.amo.interceptors.jacorb;

/**
 * Where one member of a group listens for IIOP.
 *
 * @param host a numeric address where the name could be resolved, so that equal addresses are equal values
 * @param port 1 to 65535
 */
public record MemberAddress(String host, int port) {
    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
