package org.amo.interceptors.status.jacorb;

import java.util.Optional;
import org.jacorb.orb.giop.ClientConnection;
import org.jacorb.orb.iiop.IIOPAddress;
import org.jacorb.orb.iiop.IIOPProfile;
import org.jacorb.orb.portableInterceptor.ClientRequestInfoImpl;
import org.omg.CORBA.ORB;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableServer.POA;

/** Reaches the parts of JacORB that {@code org.omg} does not show. */
public final class JacorbPeer {
    private JacorbPeer() {}

    /** The real root POA, even if another is registered under that name. */
    public static POA rootPoa(ORB orb) {
        return ((org.jacorb.orb.ORB) orb).getRootPOA();
    }

    /** From now on requests with this key go to the object. */
    public static void addObjectKey(ORB orb, String key, org.omg.CORBA.Object target) {
        ((org.jacorb.orb.ORB) orb).addObjectKey(key, orb.object_to_string(target));
    }

    /** {@code address:port} of the connection that a call used; empty when it used none. */
    public static Optional<String> address(ClientRequestInfo info) {
        if (info instanceof ClientRequestInfoImpl impl) {
            ClientConnection connection = impl.getConnection();
            if (connection != null
                    && connection.getRegisteredProfile() instanceof IIOPProfile profile
                    && profile.getAddress() instanceof IIOPAddress address) {
                return Optional.of(address.getIP() + ":" + address.getPort());
            }
        }
        return Optional.empty();
    }
}
