package org.amo.interceptors.jacorb;

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

/** A request in the thread that read it, and only there. */
public final class ArrivedRequest {
    /** About what a stream of JacORB takes besides the body. */
    private static final int STREAM_BYTES = 1_000;

    private final ORB orb;
    private final RequestInputStream in;
    private final boolean oneway;
    private final GIOPConnection connection;
    private final byte[] objectKey;
    private final Principal sender;
    private final ReplyBatch replies;

    ArrivedRequest(
            ORB orb,
            RequestInputStream in,
            boolean oneway,
            GIOPConnection connection,
            byte[] objectKey,
            Principal sender,
            ReplyBatch replies) {
        this.orb = orb;
        this.in = in;
        this.oneway = oneway;
        this.connection = connection;
        this.objectKey = objectKey;
        this.sender = sender;
        this.replies = replies;
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
        return Optional.of(new Port(orb, replies, in.req_hdr.request_id, in.getGIOPMinor()));
    }

    private record Port(ORB orb, ReplyBatch replies, int requestId, int giopMinor) implements ReplyPort {
        @Override
        public void reply(byte[] body, Optional<ServiceContext> context) {
            send(ReplyStatusType_1_2.NO_EXCEPTION, body, context);
        }

        @Override
        public void replyException(byte[] body, Optional<ServiceContext> context) {
            send(ReplyStatusType_1_2.USER_EXCEPTION, body, context);
        }

        @Override
        public void replySystemException(SystemException exception, Optional<ServiceContext> context) {
            ReplyOutputStream out = stream(ReplyStatusType_1_2.SYSTEM_EXCEPTION);
            SystemExceptionHelper.write(out, exception);
            context.ifPresent(out::addServiceContext);
            replies.add(out, STREAM_BYTES);
        }

        private void send(ReplyStatusType_1_2 status, byte[] body, Optional<ServiceContext> context) {
            ReplyOutputStream out = stream(status);
            out.write_octet_array(body, 0, body.length);
            context.ifPresent(out::addServiceContext);
            replies.add(out, STREAM_BYTES + body.length);
        }

        private ReplyOutputStream stream(ReplyStatusType_1_2 status) {
            return ReplyStreams.make(orb, requestId, status, giopMinor);
        }
    }
}
