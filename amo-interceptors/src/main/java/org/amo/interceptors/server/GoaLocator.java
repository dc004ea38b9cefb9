package org.amo.interceptors.server;

import java.util.Set;
import org.omg.PortableServer.ForwardRequest;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantLocator;
import org.omg.PortableServer.ServantLocatorPackage.CookieHolder;
import org.omg.PortableServer._ServantLocatorLocalBase;

/**
 * The application's servant locator, as JacORB sees it. JacORB asks for a servant when a request arrives, and gets
 * one that only passes it on; the application's locator is asked when the request is executed, at every member.
 * Operations that JacORB answers itself are not executed, so for them it is asked at once.
 */
final class GoaLocator extends _ServantLocatorLocalBase {
    private static final long serialVersionUID = 1L;

    private static final Set<String> PSEUDO_OPERATIONS =
            Set.of("_is_a", "_non_existent", "_interface", "_get_component", "_repository_id", "_get_policy");

    private final transient GoaPoa poa;
    private final transient GroupObjectAdaptor adaptor;
    private final transient ServantLocator user;

    GoaLocator(GoaPoa poa, GroupObjectAdaptor adaptor, ServantLocator user) {
        this.poa = poa;
        this.adaptor = adaptor;
        this.user = user;
    }

    @Override
    public Servant preinvoke(byte[] objectId, POA real, String operation, CookieHolder cookie) throws ForwardRequest {
        return PSEUDO_OPERATIONS.contains(operation)
                ? adaptor.wrap(user.preinvoke(objectId, poa, operation, cookie))
                : adaptor.wrap(new Untyped());
    }

    @Override
    public void postinvoke(byte[] objectId, POA real, String operation, Object cookie, Servant servant)
            throws ForwardRequest {
        Servant unwrapped = WrappedServants.unwrap(servant);
        if (!(unwrapped instanceof Untyped)) {
            user.postinvoke(objectId, poa, operation, cookie, unwrapped);
        }
    }

    /** Stands behind the wrapper of a request that is only passed on. */
    private static final class Untyped extends Servant {
        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:omg.org/CORBA/Object:1.0"};
        }
    }
}
