package org.amo.interceptors.jacorb;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.NestedReply;
import org.jacorb.orb.Delegate;
import org.jacorb.orb.giop.ClientConnection;
import org.jacorb.orb.giop.ReplyInputStream;
import org.jacorb.orb.giop.RequestOutputStream;
import org.jacorb.orb.portableInterceptor.ClientRequestInfoImpl;
import org.jacorb.util.Time;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.portable.ApplicationException;
import org.omg.CORBA.portable.ObjectImpl;
import org.omg.CORBA.portable.RemarshalException;
import org.omg.GIOP.ReplyStatusType_1_2;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.LOCATION_FORWARD;
import org.omg.TimeBase.UtcT;

/**
 * One attempt to send a captured request to an object, and the reply in its bytes. The calling thread owns it and waits.
 */
public final class RawCall {
    private static final ThreadLocal<@Nullable RawCall> SENDING = new ThreadLocal<>();

    private @Nullable RequestOutputStream written;
    private Optional<NestedReply> reply = Optional.empty();
    private Optional<ServiceContext[]> contexts = Optional.empty();
    private boolean forwarded;
    private boolean redirected;

    /** The way in which the attempt ended. */
    public enum End {
        /** A reply came, normal or a user exception. */
        REPLY,
        /** A reply came, a system exception. */
        EXCEPTION,
        /** The request has left, and no reply is awaited. */
        SENT,
        /** The object is elsewhere, or its server closes the connection: by GIOP's rules the request was not taken. */
        AGAIN,
        /** This ORB could not send it, or got no reply. */
        FAILED,
        /** The arguments cannot be sent in these bytes over the connection to the object. Nothing was sent. */
        UNFIT
    }

    /**
     * The end of the attempt.
     *
     * @param reply of REPLY
     * @param exception of EXCEPTION and FAILED
     * @param contexts of the reply
     * @param left whether a byte of it may have left the process
     * @param forwarded whether the server said that the object is elsewhere
     */
    public record Outcome(
            End end,
            Optional<NestedReply> reply,
            Optional<SystemException> exception,
            List<ServiceContext> contexts,
            boolean left,
            boolean forwarded) {

        /** The data of a service context of the reply. */
        public Optional<byte[]> context(int id) {
            return contexts.stream()
                    .filter(context -> context.context_id == id)
                    .findFirst()
                    .map(context -> context.context_data);
        }
    }

    private RawCall() {}

    /** Whether this is a captured request, which the calling thread sends. A call that an interceptor makes inside of that is none. */
    public static boolean isSending(ClientRequestInfo info) {
        RawCall call = SENDING.get();
        return call != null && call.isOf(info);
    }

    private boolean isOf(ClientRequestInfo info) {
        return written != null && ((ClientRequestInfoImpl) info).getRequestStream() == written;
    }

    /** Tells the attempt of the calling thread, if it makes one, of its end. For an ORB's client interceptor. */
    public static void heard(ClientRequestInfo info) {
        RawCall call = SENDING.get();
        if (call != null && call.isOf(info)) {
            call.ended((ClientRequestInfoImpl) info);
        }
    }

    /**
     * Sends it and waits for the reply. A write that takes a second longer than the time-out ends with the connection.
     *
     * @param awaitsReply whether it is not a oneway
     * @param contexts that it carries
     * @param timeoutMillis at least 1
     */
    public static Outcome send(
            org.omg.CORBA.Object target,
            CapturedRequest request,
            boolean awaitsReply,
            List<ServiceContext> contexts,
            long timeoutMillis,
            WriteWatch watch) {
        RawCall call = new RawCall();
        // JacORB takes the time limits of an invocation from here, and where there are none from the policies of the
        // reference.
        Map<Delegate.INVOCATION_KEY, UtcT> limits = new HashMap<>();
        limits.put(Delegate.INVOCATION_KEY.REPLY_END_TIME, Time.corbaFuture(timeoutMillis * 10_000));
        ArrayDeque<Map<Delegate.INVOCATION_KEY, UtcT>> stack = Delegate.getInvocationContext();
        stack.push(limits);
        RawCall before = SENDING.get();
        SENDING.set(call);
        try {
            return call.attempt(target, request, awaitsReply, contexts, timeoutMillis, watch);
        } finally {
            if (before == null) {
                SENDING.remove();
            } else {
                SENDING.set(before);
            }
            stack.removeIf(map -> map == limits);
        }
    }

    private Outcome attempt(
            org.omg.CORBA.Object target,
            CapturedRequest request,
            boolean awaitsReply,
            List<ServiceContext> added,
            long timeoutMillis,
            WriteWatch watch) {
        Delegate delegate = (Delegate) ((ObjectImpl) target)._get_delegate();
        RequestOutputStream out;
        try {
            out = (RequestOutputStream) delegate.request(target, request.operation(), awaitsReply);
        } catch (SystemException notSent) {
            return outcome(End.FAILED, Optional.of(notSent), false);
        }
        if (!fits(out, request)) {
            out.close();
            return outcome(End.UNFIT, Optional.empty(), false);
        }
        written = out;
        added.forEach(out::addServiceContext);
        out.write_octet_array(request.body(), 0, request.body().length);
        JacorbClientAccess.markUnsent(out);
        WriteWatch.Watched watched = watch.begin(out.getConnection(), timeoutMillis);
        try {
            delegate.invoke(target, out);
            return outcome(awaitsReply ? End.REPLY : End.SENT, Optional.empty(), true);
        } catch (ApplicationException userException) {
            return outcome(End.REPLY, Optional.empty(), true);
        } catch (RemarshalException again) {
            boolean left = JacorbClientAccess.hasLeft(out);
            return redirected && left
                    ? outcome(End.FAILED, Optional.of(new COMM_FAILURE()), true)
                    : outcome(End.AGAIN, Optional.empty(), left);
        } catch (SystemException e) {
            return contexts.isPresent()
                    ? outcome(End.EXCEPTION, Optional.of(e), true)
                    : outcome(End.FAILED, Optional.of(e), JacorbClientAccess.hasLeft(out));
        } finally {
            watched.end();
        }
    }

    private Outcome outcome(End end, Optional<SystemException> exception, boolean left) {
        if (end == End.REPLY && reply.isEmpty()) {
            // Without its interceptor JacORB tells nothing of the reply's bytes.
            org.omg.CORBA.INTERNAL lost =
                    new org.omg.CORBA.INTERNAL("no interceptor heard the reply", 0, CompletionStatus.COMPLETED_MAYBE);
            return new Outcome(End.FAILED, Optional.empty(), Optional.of(lost), List.of(), true, false);
        }
        return new Outcome(
                end,
                end == End.REPLY ? reply : Optional.empty(),
                exception,
                contexts.map(List::of).orElseGet(List::of),
                left,
                forwarded);
    }

    /** The stub wrote for another connection to the same object: both must read the bytes alike. */
    private static boolean fits(RequestOutputStream out, CapturedRequest request) {
        ClientConnection connection = out.getConnection();
        return request.body().length == 0
                || (out.getGIOPMinor() == request.giopMinor()
                        && (out.size() & 7) == request.pad()
                        && GiopReply.id(connection.getTCS()) == request.charCodeSet()
                        && GiopReply.id(connection.getTCSW()) == request.wcharCodeSet());
    }

    private void ended(ClientRequestInfoImpl info) {
        boolean elsewhere = info.reply_status() == LOCATION_FORWARD.value;
        forwarded = elsewhere && JacorbClientAccess.isForwardOfServer(info);
        // By an interceptor of the application, which knows as little as we whether the call ran.
        redirected = elsewhere && !forwarded;
        ReplyInputStream stream = info.getReplyStream();
        if (elsewhere || stream == null) {
            return;
        }
        contexts = Optional.of(stream.rep_hdr.service_context);
        int status = stream.getStatus().value();
        boolean userException = status == ReplyStatusType_1_2._USER_EXCEPTION;
        if (userException || status == ReplyStatusType_1_2._NO_EXCEPTION) {
            reply = Optional.of(GiopReply.capture(stream, userException, JacorbClientAccess.connectionOf(info)));
        }
    }

    /** The exception as a reply, with the completion status that is known to be true. */
    public static CapturedReply reply(SystemException exception, CompletionStatus completed) {
        CapturedReply reply = CapturedReply.systemException(exception);
        return new CapturedReply(reply.kind(), reply.body(), reply.exceptionId(), reply.minor(), completed.value());
    }
}
