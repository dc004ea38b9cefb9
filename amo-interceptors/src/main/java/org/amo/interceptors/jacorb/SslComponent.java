package org.amo.interceptors.jacorb;

import org.jacorb.orb.etf.ProfileBase;
import org.omg.SSLIOP.SSL;
import org.omg.SSLIOP.SSLHelper;
import org.omg.SSLIOP.TAG_SSL_SEC_TRANS;

/**
 * The component of a profile that names the port for SSL. There is one for all addresses of the profile, so a reference to
 * a group says it for the first member; another member's is as far from its IIOP port.
 */
final class SslComponent {
    private SslComponent() {}

    /** Puts another port into the component, if there is one. */
    static void move(ProfileBase profile, int port) {
        if (profile.getComponent(TAG_SSL_SEC_TRANS.value, SSLHelper.class) instanceof SSL ssl) {
            profile.removeComponents(TAG_SSL_SEC_TRANS.value);
            profile.addComponent(
                    TAG_SSL_SEC_TRANS.value,
                    new SSL(ssl.target_supports, ssl.target_requires, (short) port),
                    SSLHelper.class);
        }
    }

    /** Moves the port to where it is for another address of the same group. */
    static void follow(ProfileBase profile, int fromPort, int toPort) {
        if (profile.getComponent(TAG_SSL_SEC_TRANS.value, SSLHelper.class) instanceof SSL ssl) {
            move(profile, Short.toUnsignedInt(ssl.port) - fromPort + toPort);
        }
    }
}
