package org.amo.interceptors.server;

import org.amo.core.wire.RequestContext;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;

/**
 * Sees what does not reach the adaptor: acknowledgements that come with operations which JacORB answers itself
 * ({@code _non_existent}, {@code _is_a} …; neither ordered nor kept).
 */
final class RequestWatch extends LocalObject implements ServerRequestInterceptor {
    private static final long serialVersionUID = 1L;

    private final transient GroupObjectAdaptor adaptor;

    RequestWatch(GroupObjectAdaptor adaptor) {
        this.adaptor = adaptor;
    }

    @Override
    public String name() {
        return "amo.requests";
    }

    @Override
    public void destroy() {
        // Holds nothing.
    }

    @Override
    public void receive_request_service_contexts(ServerRequestInfo info) {
        String operation = info.operation();
        if (!operation.startsWith("_") || operation.startsWith("_get_") || operation.startsWith("_set_")) {
            // The adaptor sees it.
            return;
        }
        try {
            adaptor.onPseudoOperation(info.get_request_service_context(RequestContext.CONTEXT_ID));
        } catch (BAD_PARAM e) {
            // There is no such context: the usual case.
        }
    }

    @Override
    public void receive_request(ServerRequestInfo info) {
        // The adaptor sees it.
    }

    @Override
    public void send_reply(ServerRequestInfo info) {
        // The adaptor has written its context.
    }

    @Override
    public void send_exception(ServerRequestInfo info) {
        // The adaptor has written its context.
    }

    @Override
    public void send_other(ServerRequestInfo info) {
        // Nothing of ours is forwarded.
    }
}
