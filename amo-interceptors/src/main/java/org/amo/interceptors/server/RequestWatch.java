package org.amo.interceptors.server;

import org.amo.core.wire.RequestContext;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CODESET_INCOMPATIBLE;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.OMGVMCID;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;

/**
 * Sees requests before JacORB or the adaptor runs them. Refuses requests with unreadable strings, and takes the
 * acknowledgements of operations which JacORB answers itself ({@code _non_existent}, {@code _is_a} …; neither ordered
 * nor kept).
 */
final class RequestWatch extends LocalObject implements ServerRequestInterceptor {
    private static final long serialVersionUID = 1L;

    /** OMG's minor code: the code set in the CODE_SETS context is not supported. */
    private static final int UNSUPPORTED_CODE_SET = OMGVMCID.value | 2;

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
        if (!JacorbAccess.canReadStrings(info)) {
            throw new CODESET_INCOMPATIBLE(
                    "the client chose a code set for char that this server does not offer in its references",
                    UNSUPPORTED_CODE_SET,
                    CompletionStatus.COMPLETED_NO);
        }
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
