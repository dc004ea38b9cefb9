package org.amo.interceptors.jacorb;

import java.util.Set;
import org.amo.core.request.Principal;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.CapturedRequest;
import org.jacorb.orb.ORB;
import org.jacorb.orb.ParsedIOR;
import org.jacorb.orb.giop.GIOPConnection;
import org.jacorb.orb.giop.RequestInputStream;
import org.jacorb.orb.giop.RequestListener;
import org.omg.IOP.ServiceContext;

/**
 * The fast way into the adaptor: it takes a request in the thread that reads the connection, so that no thread waits
 * while the request is ordered. A request that is not taken goes JacORB's own way, with all of JacORB's own checks.
 *
 * <p>It stands in front of JacORB's listener on each connection, from the first request on that reached the adaptor.
 */
final class ReaderFrontEnd implements RequestListener {
    /**
     * Contexts that JacORB does not look at: FT_GROUP_VERSION, FT_REQUEST and amo's own. A request with any other
     * (code sets, policies of time, security …) goes JacORB's way.
     */
    private static final Set<Integer> OVERLOOKED = Set.of(12, 13, RequestContext.CONTEXT_ID);

    /** Values of a request's response_flags: the client waits for the reply of the servant, or for nothing. */
    private static final int SYNC_WITH_TARGET = 3;

    private static final int NO_RESPONSE = 0;

    private final ORB orb;
    private final RequestListener jacorb;
    private final RequestTaker taker;
    private final Principal sender;

    private ReaderFrontEnd(ORB orb, RequestListener jacorb, RequestTaker taker, GIOPConnection connection) {
        this.orb = orb;
        this.jacorb = jacorb;
        this.taker = taker;
        this.sender = JacorbAccess.principal(connection);
    }

    static void install(ORB orb, GIOPConnection connection, RequestTaker taker) {
        RequestListener jacorb = orb.getBasicAdapter().getRequestListener();
        connection.setRequestListener(new ReaderFrontEnd(orb, jacorb, taker, connection));
    }

    @Override
    public void requestReceived(byte[] message, GIOPConnection connection) {
        try {
            if (!take(message, connection)) {
                jacorb.requestReceived(message, connection);
            }
        } catch (RuntimeException e) {
            // JacORB reads nothing more of the connection then, and would keep it for ever.
            connection.close();
            throw e;
        }
    }

    private boolean take(byte[] message, GIOPConnection connection) {
        if (!JacorbAccess.canReadStrings(connection)) {
            // Refused, and told, on the other way.
            return false;
        }
        RequestInputStream in = new RequestInputStream(orb, connection, message);
        boolean oneway = in.req_hdr.response_flags == NO_RESPONSE;
        if (!(oneway || in.req_hdr.response_flags == SYNC_WITH_TARGET)
                || CapturedRequest.isPseudo(in.req_hdr.operation)) {
            return false;
        }
        for (ServiceContext context : in.req_hdr.service_context) {
            if (!OVERLOOKED.contains(context.context_id)) {
                return false;
            }
        }
        byte[] objectKey = orb.mapObjectKey(ParsedIOR.extractObjectKey(in.req_hdr.target, orb));
        return taker.take(new ArrivedRequest(orb, in, oneway, connection, objectKey, sender));
    }

    @Override
    public void locateRequestReceived(byte[] message, GIOPConnection connection) {
        jacorb.locateRequestReceived(message, connection);
    }

    @Override
    public void cancelRequestReceived(byte[] message, GIOPConnection connection) {
        jacorb.cancelRequestReceived(message, connection);
    }
}
