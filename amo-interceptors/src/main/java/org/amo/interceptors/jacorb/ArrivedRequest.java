package org.amo.interceptors.jacorb;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.amo.core.request.Principal;
import org.amo.interceptors.CapturedRequest;
import org.jacorb.orb.ORB;
import org.jacorb.orb.SystemExceptionHelper;
import org.jacorb.orb.giop.GIOPConnection;
import org.jacorb.orb.giop.ReplyOutputStream;
import org.jacorb.orb.giop.RequestInputStream;
import org.omg.CORBA.SystemException;
import org.omg.GIOP.ReplyStatusType_1_2;
import org.omg.IOP.ServiceContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request in the thread that read it, and only there. */
public final class ArrivedRequest {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivedRequest.class);

    private final ORB orb;
    private final RequestInputStream in;
    private final boolean oneway;
    private final GIOPConnection connection;
    private final byte[] objectKey;
    private final Principal sender;

    ArrivedRequest(
            ORB orb,
            RequestInputStream in,
            boolean oneway,
            GIOPConnection connection,
            byte[] objectKey,
            Principal sender) {
        this.orb = orb;
        this.in = in;
        this.oneway = oneway;
        this.connection = connection;
        this.objectKey = objectKey;
        this.sender = sender;
    }

    public byte[] objectKey() {
        return objectKey;
    }

    /** Its sender, as the connection shows it. */
    public Principal principal() {
        return sender;
    }

    public ServiceContext[] contexts() {
        return in.req_hdr.service_context;
    }

    /** The request to be ordered. Reads the arguments, so it must not be called twice. */
    public CapturedRequest capture() {
        return JacorbAccess.capture(in, in.req_hdr.operation, objectKey, connection);
    }

    /**
     * Where it is answered, from any thread; empty for a oneway. From here on the connection counts as busy until the
     * reply is written.
     */
    public Optional<ReplyPort> take() {
        if (oneway) {
            return Optional.empty();
        }
        connection.incPendingMessages();
        return Optional.of(new Port(orb, connection, in.req_hdr.request_id, in.getGIOPMinor()));
    }

    private record Port(ORB orb, GIOPConnection connection, int requestId, int giopMinor) implements ReplyPort {
        @Override
        public void reply(byte[] body, List<ServiceContext> contexts) {
            send(ReplyStatusType_1_2.NO_EXCEPTION, body, contexts);
        }

        @Override
        public void replyException(byte[] body, List<ServiceContext> contexts) {
            send(ReplyStatusType_1_2.USER_EXCEPTION, body, contexts);
        }

        @Override
        public void replySystemException(SystemException exception, List<ServiceContext> contexts) {
            ReplyOutputStream out = stream(ReplyStatusType_1_2.SYSTEM_EXCEPTION);
            SystemExceptionHelper.write(out, exception);
            contexts.forEach(out::addServiceContext);
            write(out);
        }

        private void send(ReplyStatusType_1_2 status, byte[] body, List<ServiceContext> contexts) {
            ReplyOutputStream out = stream(status);
            out.write_octet_array(body, 0, body.length);
            contexts.forEach(out::addServiceContext);
            write(out);
        }

        /** Does not wait for the client to read: the door of the port does. */
        private void write(ReplyOutputStream out) {
            try (out) {
                connection.sendReply(out);
            } catch (IOException | RuntimeException e) {
                // The client is gone, and JacORB has closed the connection. It will ask again elsewhere.
                LOG.debug("cannot write a reply: {}", e.toString());
            }
        }

        private ReplyOutputStream stream(ReplyStatusType_1_2 status) {
            return ReplyStreams.make(orb, requestId, status, giopMinor);
        }
    }
}
