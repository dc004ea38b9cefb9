package org.amo.interceptors.jacorb;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jacorb.config.Configuration;
import org.jacorb.orb.Delegate;
import org.jacorb.orb.ORB;
import org.jacorb.orb.ParsedIOR;
import org.jacorb.orb.TaggedComponentList;
import org.jacorb.orb.etf.ProfileBase;
import org.jacorb.orb.giop.ClientConnection;
import org.jacorb.orb.giop.Messages;
import org.jacorb.orb.giop.ReplyInputStream;
import org.jacorb.orb.giop.RequestOutputStream;
import org.jacorb.orb.iiop.IIOPAddress;
import org.jacorb.orb.iiop.IIOPConnection;
import org.jacorb.orb.iiop.IIOPProfile;
import org.jacorb.orb.portableInterceptor.ClientRequestInfoImpl;
import org.jacorb.orb.portableInterceptor.ORBInitInfoImpl;
import org.jacorb.util.Time;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.INTERNAL;
import org.omg.ETF.Profile;
import org.omg.GIOP.ReplyStatusType_1_2;
import org.omg.IOP.IOR;
import org.omg.IOP.ServiceContext;
import org.omg.IOP.TAG_ALTERNATE_IIOP_ADDRESS;
import org.omg.IOP.TaggedComponent;
import org.omg.IOP.TaggedProfile;
import org.omg.IOP.TaggedProfileHolder;
import org.omg.Messaging.ReplyHandler;
import org.omg.Messaging.SYNC_WITH_SERVER;
import org.omg.Messaging.SYNC_WITH_TARGET;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.LOCATION_FORWARD;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.TimeBase.UtcT;

/**
 * Gives the client side access to JacORB's own classes (3.9) where org.omg has none: the invocation of an attempt, its
 * connection, whether it left the process, and how to end an unanswered one.
 */
public final class JacorbClientAccess {
    private static final int TAG_FT_GROUP = 27;

    /** Of the component that {@link org.amo.interceptors.client.DatagramTag} reads: "AMOU". */
    public static final int TAG_DATAGRAMS = 0x414D_4F55;

    /** Where a GIOP message keeps its length: written by JacORB just before the first byte leaves. */
    private static final int SIZE_OFFSET = 8;

    private static final int FLAGS_OFFSET = 6;
    private static final int GIOP_HEADER_BYTES = 12;
    private static final int MAX_ALIGNMENT = 8;

    private static final Object CALL_KEY = new Object() {
        @Override
        public String toString() {
            return "amo call";
        }
    };

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private JacorbClientAccess() {}

    // ---- configuration

    /** A property of this ORB: from the command line, its properties files or the argument of {@code ORB.init}. */
    public static Optional<String> property(ORBInitInfo info, String name) {
        return Optional.ofNullable(configuration(info).getAttribute(name, null)).map(String::trim);
    }

    /** Sets a property of this ORB unless the user did. */
    public static void setDefault(ORBInitInfo info, String name, String value) {
        Configuration configuration = configuration(info);
        if (configuration.getAttribute(name, null) == null) {
            configuration.setAttribute(name, value);
        }
    }

    /** Sets a property of this ORB, also if the user did. */
    public static void set(ORBInitInfo info, String name, String value) {
        configuration(info).setAttribute(name, value);
    }

    /**
     * Lets an ORB with {@code jacorb.connection.nonblocking} connect although {@code jacorb.retries} is 0. JacORB's blocking
     * connections count the attempts after the first one by it, but its nonblocking ones count all attempts, and make none.
     */
    public static void allowFirstAttempt(ORBInitInfo info) {
        Configuration configuration = configuration(info);
        boolean nonblocking = configuration.getAttributeAsBoolean("jacorb.connection.nonblocking", false);
        if (nonblocking && "0".equals(configuration.getAttribute("jacorb.retries", null))) {
            configuration.setAttribute("jacorb.retries", "1");
        }
    }

    public static org.omg.CORBA.ORB orb(ORBInitInfo info) {
        return ((ORBInitInfoImpl) info).getORB();
    }

    private static Configuration configuration(ORBInitInfo info) {
        return ((ORBInitInfoImpl) info).getORB().getConfiguration();
    }

    // ---- the invocation

    /**
     * Whether the request goes over a connection; collocated calls and local interception do not. JacORB's {@code isLocalInterceptor}
     * says so, too, of a request whose stub was without a connection for a moment, because another thread moved it. JacORB sends that
     * request all the same.
     */
    public static boolean isRemote(ClientRequestInfo info) {
        return ((ClientRequestInfoImpl) info).getRequestStream() != null;
    }

    /**
     * The connection of a remote request: JacORB sends it over the one that it was written for, or not at all. That of the stub, which
     * JacORB shows to interceptors, may be another one or none.
     */
    static ClientConnection connectionOf(ClientRequestInfo info) {
        return ((ClientRequestInfoImpl) info).getRequestStream().getConnection();
    }

    /** Identity of the stub's delegate: all attempts of one invocation have the same. */
    public static Object delegate(ClientRequestInfo info) {
        return ((ClientRequestInfoImpl) info).getDelegate();
    }

    /** The value attached to the invocation that the calling interceptor works for. */
    public static Optional<Object> attachment() {
        return invocation().map(map -> map.get(CALL_KEY));
    }

    /**
     * Attaches a value to the invocation. It lives as long as JacORB may send for it again: over redirects and over
     * re-sends that no interceptor is told of, and not longer.
     */
    public static void attach(Object value) {
        invocation()
                .orElseThrow(() -> new INTERNAL("JacORB has no context for this invocation: its version is not 3.9"))
                .put(CALL_KEY, value);
    }

    /**
     * JacORB answers OBJECT_NOT_EXIST from a forwarded reference by trying the original one. The exception is the
     * servant's own here: it belongs to the application.
     */
    public static void passObjectNotExist() {
        invocation().ifPresent(map -> map.put(Delegate.INVOCATION_KEY.FORWARD_RESET, true));
    }

    /** Whether the calling interceptor works for a request that another interceptor makes inside a call. */
    public static boolean isNested() {
        return Delegate.getInvocationContext().size() > 2;
    }

    /** How long the application's own timeout policies let the invocation go on. */
    public static OptionalLong applicationTimeoutMillis() {
        return millisTo(Delegate.INVOCATION_KEY.REPLY_END_TIME);
    }

    /** How long the application's own timeout policies let the invocation's request leave. */
    public static OptionalLong applicationSendMillis() {
        return millisTo(Delegate.INVOCATION_KEY.REQUEST_END_TIME);
    }

    private static OptionalLong millisTo(Delegate.INVOCATION_KEY key) {
        Optional<Object> end = invocation().map(map -> map.get(key));
        return end.isPresent() && end.get() instanceof UtcT time
                ? OptionalLong.of(Time.millisTo(time))
                : OptionalLong.empty();
    }

    /**
     * Extends the application's own time limits before a retry: the caller keeps them itself. JacORB would say
     * COMPLETED_NO when they pass between two attempts, though the first may have run. Where the application has none, there
     * stay none: JacORB has a thread for each limit, which can outlive a broken connection and keeps the process until the limit.
     */
    public static void extendApplicationTimeout(long millis) {
        invocation().ifPresent(map -> {
            UtcT end = Time.corbaFuture(millis * 10_000);
            map.computeIfPresent(Delegate.INVOCATION_KEY.REPLY_END_TIME, (key, own) -> end);
            map.computeIfPresent(Delegate.INVOCATION_KEY.REQUEST_END_TIME, (key, own) -> end);
        });
    }

    /**
     * Moves the end of the application's own time limits for the attempt under way. An absolute end is the policy's own object, shared
     * by all calls, and stays.
     */
    public static void extendAttempt(ClientRequestInfo info, long millis) {
        ClientRequestInfoImpl attempt = (ClientRequestInfoImpl) info;
        UtcT end = attempt.getRequestStream().getReplyEndTime();
        if (end != null && end != attempt.getDelegate().getReplyEndTime()) {
            end.time = Time.corbaFuture(millis * 10_000).time;
        }
    }

    /**
     * Moves the end of the attempt under way nearer, if it has one: JacORB waits for the connection, connects, and waits for the reply
     * no longer. An absolute end is the policy's own object, shared by all calls, and stays.
     */
    public static void limitAttempt(ClientRequestInfo info, long millis) {
        ClientRequestInfoImpl attempt = (ClientRequestInfoImpl) info;
        UtcT end = attempt.getRequestStream().getReplyEndTime();
        if (end != null && end != attempt.getDelegate().getReplyEndTime()) {
            end.time = Math.min(end.time, Time.corbaFuture(millis * 10_000).time);
        }
    }

    /** Once a reply is there, JacORB must not replace it by a TIMEOUT that says COMPLETED_NO. */
    public static void keepReply(ClientRequestInfo info) {
        ClientRequestInfoImpl attempt = (ClientRequestInfoImpl) info;
        UtcT end = attempt.getRequestStream().getReplyEndTime();
        // An absolute end is the policy's own object, shared by all calls.
        if (end != null && end != attempt.getDelegate().getReplyEndTime()) {
            end.time = Long.MAX_VALUE;
        }
    }

    /**
     * The invocation's map. JacORB pushes a map of its own around each interceptor call, so it is the second one; it
     * is typed by JacORB's own keys, but only ever asked for them.
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Optional<Map<Object, Object>> invocation() {
        ArrayDeque<?> stack = Delegate.getInvocationContext();
        if (stack.size() < 2) {
            return Optional.empty();
        }
        Iterator<?> maps = stack.iterator();
        maps.next();
        return Optional.of((Map) maps.next());
    }

    /** Whether no interceptor of the application has added a context to the request. Those behind the calling one may yet do so. */
    public static boolean hasNoContexts(ClientRequestInfo info) {
        return ((ClientRequestInfoImpl) info).getRequestServiceContexts().isEmpty();
    }

    // ---- references

    /** Has the stub of the attempt send its next request to this object, as a forward does. Opens no connection. */
    public static void rebind(ClientRequestInfo info, org.omg.CORBA.Object target) {
        ((ClientRequestInfoImpl) info).getDelegate().forwardToObj(target);
    }

    /** Identity of the reference that the application holds. */
    public static Object baseReference(ClientRequestInfo info) {
        return ((ClientRequestInfoImpl) info).getDelegate().getBaseIOR();
    }

    /** Identity of the reference in use: the application's, or where it was forwarded to. */
    public static Object currentReference(ClientRequestInfo info) {
        return ((ClientRequestInfoImpl) info).getDelegate().getParsedIOR();
    }

    /** The parts of a reference; empty when it has no IIOP profile. */
    public static Optional<ReferenceParts> parts(Object reference) {
        Profile effective = ((ParsedIOR) reference).getEffectiveProfile();
        if (!(effective instanceof IIOPProfile profile)) {
            return Optional.empty();
        }
        List<MemberAddress> addresses = new ArrayList<>();
        addresses.add(address((IIOPAddress) profile.getAddress()));
        for (IIOPAddress alternate : profile.getAlternateAddresses()) {
            addresses.add(address(alternate));
        }
        TaggedComponentList components = profile.getComponents();
        return Optional.of(new ReferenceParts(
                profile.get_object_key(),
                List.copyOf(addresses),
                data(components, TAG_FT_GROUP),
                data(components, TAG_DATAGRAMS)));
    }

    private static Optional<byte[]> data(TaggedComponentList components, int tag) {
        for (TaggedComponent component : components.asArray()) {
            if (component.tag == tag) {
                return Optional.of(component.component_data);
            }
        }
        return Optional.empty();
    }

    /** Identity of the attempt's connection. */
    public static Object connection(ClientRequestInfo info) {
        return connectionOf(info);
    }

    /**
     * Whether the attempt's connection is for the address of that reference. It may be for another one: after an attempt that could not
     * leave, JacORB forgets the forward of a stub and keeps its connection.
     */
    public static boolean isConnectedTo(ClientRequestInfo info, Object reference) {
        return connectionOf(info).getRegisteredProfile().equals(((ParsedIOR) reference).getEffectiveProfile());
    }

    /**
     * The address that the attempt's connection is for; empty when it may go to one of several. The effective profile
     * is wrong after a forward.
     */
    public static Optional<MemberAddress> address(ClientRequestInfo info) {
        return connectionOf(info).getRegisteredProfile() instanceof IIOPProfile profile
                        && profile.getAlternateAddresses().isEmpty()
                ? Optional.of(address((IIOPAddress) profile.getAddress()))
                : Optional.empty();
    }

    /** {@code address:port} of the connection that a call used; empty when it used none. */
    public static Optional<String> peerAddress(ClientRequestInfo info) {
        return info instanceof ClientRequestInfoImpl
                        && isRemote(info)
                        && connectionOf(info).getRegisteredProfile() instanceof IIOPProfile profile
                        && profile.getAddress() instanceof IIOPAddress address
                ? Optional.of(address.getIP() + ":" + address.getPort())
                : Optional.empty();
    }

    private static MemberAddress address(IIOPAddress address) {
        return new MemberAddress(address.getIP(), address.getPort());
    }

    /**
     * The object that the reference names, at one member alone. Without the alternates: JacORB would try them by
     * itself, and a request would go where its interceptor does not know.
     */
    public static org.omg.CORBA.Object at(org.omg.CORBA.ORB orb, Object reference, MemberAddress member) {
        ParsedIOR original = (ParsedIOR) reference;
        ORB jacorb = (ORB) orb;
        try {
            IIOPProfile profile = (IIOPProfile) ((IIOPProfile) original.getEffectiveProfile()).clone();
            int port = ((IIOPAddress) profile.getAddress()).getPort();
            IIOPAddress address = new IIOPAddress(member.host(), member.port());
            address.configure(jacorb.getConfiguration());
            profile.patchPrimaryAddress(address);
            TaggedProfileHolder marshalled = new TaggedProfileHolder();
            IIOPProfile alone = withoutAlternates(profile);
            SslComponent.follow(alone, port, member.port());
            alone.marshal(marshalled, null);
            IOR ior = new IOR(original.getTypeId(), new TaggedProfile[] {marshalled.value});
            return jacorb.string_to_object(new ParsedIOR(jacorb, ior).getIORString());
        } catch (CloneNotSupportedException | org.jacorb.config.ConfigurationException broken) {
            throw new INTERNAL("cannot make a reference for " + member + ": " + broken);
        }
    }

    private static IIOPProfile withoutAlternates(IIOPProfile profile) {
        IIOPProfile bare =
                new IIOPProfile((IIOPAddress) profile.getAddress(), profile.get_object_key(), profile.version().minor);
        for (TaggedComponent component : profile.getComponents().asArray()) {
            if (component.tag != TAG_ALTERNATE_IIOP_ADDRESS.value) {
                ((ProfileBase) bare).getComponents().addComponent(component);
            }
        }
        return bare;
    }

    // ---- one attempt

    /** Call it before the request is sent, so that {@link #hasLeft} can tell. */
    static void markUnsent(RequestOutputStream stream) {
        stream.insertMsgSize(0);
    }

    /**
     * Whether a byte of the attempt may have left the process. JacORB writes a message's length into its buffer just
     * before its first byte, and gives the buffer back after the last: a length still zero means that it waited for
     * a connection, in vain.
     */
    public static boolean hasLeft(ClientRequestInfo info) {
        return hasLeft(((ClientRequestInfoImpl) info).getRequestStream());
    }

    static boolean hasLeft(RequestOutputStream stream) {
        ByteArrayOutputStream length = new ByteArrayOutputStream(4);
        try {
            stream.write(length, SIZE_OFFSET, 4);
        } catch (IOException | RuntimeException givenBack) {
            return true;
        }
        return ByteBuffer.wrap(length.toByteArray()).getInt() != 0;
    }

    /**
     * Whether JacORB began to tell interceptors of the attempt's end, and none of them redirected it. Then JacORB makes no other attempt
     * of the invocation. Call it in the thread of the attempt.
     */
    public static boolean isToldAsEnded(ClientRequestInfo info) {
        try {
            return info.reply_status() != LOCATION_FORWARD.value;
        } catch (BAD_INV_ORDER sendingPoint) {
            return false;
        }
    }

    /** Whether a GIOP reply came; otherwise the ORB itself raised the interceptor's exception. */
    public static boolean hasReply(ClientRequestInfo info) {
        return ((ClientRequestInfoImpl) info).getReplyStream() != null;
    }

    /**
     * Whether the server itself says that another one has the object. To an interceptor the redirect of another one looks the
     * same.
     */
    public static boolean isForwardOfServer(ClientRequestInfo info) {
        ReplyInputStream reply = ((ClientRequestInfoImpl) info).getReplyStream();
        if (reply == null) {
            return false;
        }
        int status = reply.getStatus().value();
        return status == ReplyStatusType_1_2._LOCATION_FORWARD || status == ReplyStatusType_1_2._LOCATION_FORWARD_PERM;
    }

    /** The data of a service context of the reply. */
    public static Optional<byte[]> replyContext(ClientRequestInfo info, int id) {
        for (ServiceContext context : ((ClientRequestInfoImpl) info).getReplyServiceContexts()) {
            if (context.context_id == id) {
                return Optional.of(context.context_data);
            }
        }
        return Optional.empty();
    }

    /**
     * Sets the stream of a user exception back to its beginning. JacORB 3.9 reads it for the interceptors and then
     * resets it to a mark that reading an {@code any} has moved: without this, each user exception with an any
     * in it becomes MARSHAL as soon as there is a client interceptor.
     */
    public static void rewind(ClientRequestInfo info) {
        ReplyInputStream reply = ((ClientRequestInfoImpl) info).getReplyStream();
        if (reply == null) {
            return;
        }
        byte[] message = reply.getBufferCopy();
        int body = GIOP_HEADER_BYTES + Messages.getMsgSize(message) - reply.getBody().length;
        for (int place = 0; place < message.length; place += MAX_ALIGNMENT) {
            if (message[place] == 0 || message[place] == 1) {
                // Place and base of alignment move together, except when an encapsulation is opened: its octet order
                // may be 0 or 1, and the base is where that stands.
                reply.skip(place - reply.get_pos());
                reply.openEncapsulatedArray();
                reply.setLittleEndian((message[FLAGS_OFFSET] & 1) != 0);
                reply.skip(body - reply.get_pos());
                return;
            }
        }
    }

    /** Whether the calling interceptor works for a {@code sendc_} call, which does not wait for its reply. */
    public static boolean isAsynchronous() {
        return CALLERS.walk(frames -> frames.anyMatch(frame -> frame.getDeclaringClass() == Delegate.class
                && frame.getMethodName().equals("invoke")
                && frame.getMethodType().parameterList().contains(ReplyHandler.class)));
    }

    /** Whether the sender waits for a reply: of a call, or of a oneway with a policy that asks for one. */
    public static boolean awaitsReply(ClientRequestInfo info) {
        return info.response_expected()
                || info.sync_scope() == SYNC_WITH_SERVER.value
                || info.sync_scope() == SYNC_WITH_TARGET.value;
    }

    /** Whether this thread waits for the reply of a synchronous request. A {@code sendc_} call does not. */
    public static boolean waitsForReply(Thread thread) {
        return isInside(thread, "org.jacorb.orb.ReplyReceiver", "getReply");
    }

    /** Whether this thread is about to write a request. */
    public static boolean writesRequest(Thread thread) {
        return isInside(thread, "org.jacorb.orb.giop.ClientConnection", "sendRequest");
    }

    private static boolean isInside(Thread thread, String type, String method) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getMethodName().equals(method) && frame.getClassName().equals(type)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Ends an unanswered attempt: its thread gets the system exception TIMEOUT, COMPLETED_MAYBE, as if the
     * server had sent it. JacORB's own pending_reply_timeout would hold for every server that this ORB talks to, and
     * an application's timeout policy would switch it off.
     */
    public static void timeOut(ClientRequestInfo info) {
        ClientConnection connection = connectionOf(info);
        // The reply that the server still owes stays counted as pending.
        connection.getGIOPConnection().incPendingMessages();
        connection.replyReceived(timeoutReply(info.request_id()), connection.getGIOPConnection());
    }

    /** Ends an attempt if the peer does not take its bytes: its thread gets COMM_FAILURE. */
    public static void breakConnection(ClientRequestInfo info) {
        breakConnection(connectionOf(info));
    }

    static void breakConnection(ClientConnection connection) {
        if (connection.getGIOPConnection().getTransport() instanceof IIOPConnection transport
                && transport.getSocket() != null) {
            try {
                // Else the end of an SSL connection waits for the writing thread, and the system keeps unread bytes.
                transport.getSocket().setSoLinger(true, 0);
            } catch (SocketException e) {
                // It is closed already, or was reset.
            }
        }
        connection.close();
    }

    /** The address at the other end, for the log. */
    static String peer(ClientConnection connection) {
        return connection.getRegisteredProfile() instanceof IIOPProfile profile
                ? address((IIOPAddress) profile.getAddress()).toString()
                : "a server";
    }

    private static byte[] timeoutReply(int requestId) {
        byte[] type = "IDL:omg.org/CORBA/TIMEOUT:1.0\0".getBytes(StandardCharsets.US_ASCII);
        int padded = (type.length + 3) / 4 * 4;
        ByteBuffer reply = ByteBuffer.allocate(12 + 12 + 4 + padded + 8);
        reply.put((byte) 'G').put((byte) 'I').put((byte) 'O').put((byte) 'P');
        reply.put((byte) 1).put((byte) 2).put((byte) 0).put((byte) 1).putInt(reply.capacity() - 12);
        reply.putInt(requestId).putInt(2).putInt(0);
        reply.putInt(type.length).put(type).position(12 + 12 + 4 + padded);
        reply.putInt(0).putInt(CompletionStatus._COMPLETED_MAYBE);
        return reply.array();
    }
}
