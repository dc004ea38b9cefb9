package org.amo.interceptors.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.amo.interceptors.jacorb.MemberAddress;

/** Brings the addresses that users write into the form that the ORB's references have. */
final class Addresses {
    private Addresses() {}

    static MemberAddress numeric(String host, int port) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        try {
            return new MemberAddress(InetAddress.getByName(bare).getHostAddress(), port);
        } catch (UnknownHostException unknown) {
            return new MemberAddress(bare, port);
        }
    }
}
