package org.amo.interceptors.jacorb;

import java.net.Socket;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import org.amo.core.request.Principal;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.jacorb.door.GuardedServerSockets;
import org.amo.interceptors.jacorb.door.GuardedSslServerSockets;
import org.jacorb.config.ConfigurationException;
import org.jacorb.orb.CDRInputStream;
import org.jacorb.orb.CDROutputStream;
import org.jacorb.orb.CodeSet;
import org.jacorb.orb.Delegate;
import org.jacorb.orb.ParsedIOR;
import org.jacorb.orb.dsi.ServerRequest;
import org.jacorb.orb.etf.ListenEndpoint;
import org.jacorb.orb.etf.ProfileBase;
import org.jacorb.orb.factory.DefaultServerSocketFactory;
import org.jacorb.orb.factory.SocketFactoryManager;
import org.jacorb.orb.giop.GIOPConnection;
import org.jacorb.orb.giop.RequestInputStream;
import org.jacorb.orb.iiop.IIOPAddress;
import org.jacorb.orb.iiop.IIOPConnection;
import org.jacorb.orb.portableInterceptor.IORInfoExt;
import org.jacorb.orb.portableInterceptor.ORBInitInfoImpl;
import org.jacorb.orb.portableInterceptor.ServerRequestInfoImpl;
import org.jacorb.poa.Current;
import org.jacorb.poa.LocalInvocationContext;
import org.jacorb.poa.POAConstants;
import org.jacorb.poa.RequestController;
import org.jacorb.poa.RequestProcessor;
import org.jacorb.poa.except.POAInternalError;
import org.jacorb.poa.util.POAUtil;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.NO_IMPLEMENT;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.ObjectImpl;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.IIOP.ProfileBody_1_1;
import org.omg.IIOP.ProfileBody_1_1Helper;
import org.omg.IOP.IOR;
import org.omg.IOP.ServiceContext;
import org.omg.IOP.TAG_INTERNET_IOP;
import org.omg.IOP.TaggedProfile;
import org.omg.Messaging.SYNC_WITH_SERVER;
import org.omg.PortableInterceptor.IORInfo;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableServer.CurrentPackage.NoContext;
import org.omg.PortableServer.ForwardRequest;
import org.omg.PortableServer.ID_UNIQUENESS_POLICY_ID;
import org.omg.PortableServer.IdUniquenessPolicy;
import org.omg.PortableServer.IdUniquenessPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantActivator;
import org.omg.PortableServer.THREAD_POLICY_ID;
import org.omg.PortableServer.ThreadPolicy;
import org.omg.PortableServer.ThreadPolicyValue;

/**
 * All that the server side needs of JacORB 3.9 beyond {@code org.omg}, in one class: another version of JacORB means
 * another version of this class and of nothing else. Holds no state but the ORB; any thread may call it.
 */
public final class JacorbAccess {
    private static final int GIOP_HEADER_BYTES = 12;
    private static final int GIOP_FLAGS_AT = 6;
    private static final String IMPL_NAME = "jacorb.implname";
    private static final String SEPARATOR = String.valueOf(POAConstants.OBJECT_KEY_SEPARATOR);

    /** Number of a place on each connection where it is noted that the front end stands before it. */
    private static final int FRONT_END = GIOPConnection.allocate_cubby_id();

    /** The adaptor's own server request interceptor. */
    private static final int OWN_INTERCEPTORS = 1;

    /** Options of SSLIOP that a connection without SSL cannot have: integrity, confidentiality, trust either way … */
    private static final int PROTECTION_BY_SSL = 0x7E;

    private final org.jacorb.orb.ORB orb;
    private final ORBInitInfoImpl info;

    private JacorbAccess(org.jacorb.orb.ORB orb, ORBInitInfoImpl info) {
        this.orb = orb;
        this.info = info;
    }

    /** @throws INITIALIZE when the ORB is not JacORB */
    public static JacorbAccess of(ORBInitInfo info) {
        if (info instanceof ORBInitInfoImpl jacorb) {
            return new JacorbAccess(jacorb.getORB(), jacorb);
        }
        throw new INITIALIZE("amo needs JacORB 3.9 and found " + info.getClass().getName()
                + "; set org.omg.CORBA.ORBClass=org.jacorb.orb.ORB");
    }

    public org.omg.CORBA.ORB orb() {
        return orb;
    }

    /** A property of the ORB: from {@code ORB.init}, a properties file or the command line. */
    public Optional<String> property(String name) {
        return Optional.ofNullable(orb.getConfiguration().getAttribute(name, null))
                .filter(text -> !text.isEmpty());
    }

    /** Sets a property of the ORB, even if the user has set it. */
    public void set(String name, String value) {
        orb.getConfiguration().setAttribute(name, value);
    }

    /** The real root POA. Its first call opens the listening port. */
    public POA rootPoa() {
        return orb.getRootPOA();
    }

    /** The real root POA of this ORB, even if another is registered under that name. */
    public static POA rootPoaOf(org.omg.CORBA.ORB orb) {
        return ((org.jacorb.orb.ORB) orb).getRootPOA();
    }

    /** From now on requests with this key go to the object. */
    public static void addObjectKey(org.omg.CORBA.ORB orb, String key, org.omg.CORBA.Object target) {
        ((org.jacorb.orb.ORB) orb).addObjectKey(key, orb.object_to_string(target));
    }

    /**
     * Makes the ports that this ORB opens limit the resources of clients: the SSLIOP port, and the IIOP port unless its
     * user named another socket factory for that. Only before the first {@link #rootPoa}.
     */
    public void guardPorts() {
        SocketFactoryManager factories = orb.getTransportManager().getSocketFactoryManager();
        List<Runnable> own = new ArrayList<>();
        // JacORB keeps its default like a property that was set.
        if (property(SocketFactoryManager.SERVER_SOCKET_FACTORY)
                .filter(name -> !name.equals(DefaultServerSocketFactory.class.getName()))
                .isEmpty()) {
            GuardedServerSockets.check(orb);
            set(SocketFactoryManager.SERVER_SOCKET_FACTORY, GuardedServerSockets.class.getName());
            own.add(factories::getServerSocketFactory);
        }
        if (supportsSsl()) {
            property(SocketFactoryManager.SSL_SERVER_SOCKET_FACTORY).ifPresent(inner -> {
                set(GuardedSslServerSockets.INNER, inner);
                set(SocketFactoryManager.SSL_SERVER_SOCKET_FACTORY, GuardedSslServerSockets.class.getName());
                own.add(factories::getSSLServerSocketFactory);
            });
        }
        try {
            // It has read its properties when the ORB began.
            factories.configure(orb.getConfiguration());
        } catch (ConfigurationException e) {
            throw new INITIALIZE("cannot limit what clients take: " + e);
        }
        own.forEach(JacorbAccess::withOwnLoader);
    }

    /** JacORB looks classes up in the context class loader, which need not know ours; it keeps the factories that it makes. */
    private static void withOwnLoader(Runnable making) {
        Thread thread = Thread.currentThread();
        ClassLoader loader = thread.getContextClassLoader();
        thread.setContextClassLoader(JacorbAccess.class.getClassLoader());
        try {
            making.run();
        } finally {
            thread.setContextClassLoader(loader);
        }
    }

    /** Sets where this ORB will listen. Only before the first {@link #rootPoa}. */
    public void listenOn(String host, int port) {
        for (ListenEndpoint endpoint : orb.getTransportManager().getListenEndpoints(ListenEndpoint.Protocol.IIOP)) {
            endpoint.setAddress(listenAddress(host, port));
        }
    }

    private IIOPAddress listenAddress(String host, int port) {
        IIOPAddress address = new IIOPAddress(host, port);
        try {
            address.configure(orb.getConfiguration());
        } catch (ConfigurationException e) {
            throw new INITIALIZE("cannot listen on " + host + ":" + port + ": " + e);
        }
        address.setProtocol(ListenEndpoint.Protocol.IIOP);
        return address;
    }

    /** Whether this ORB takes connections over SSL; JacORB then puts the port into each reference. */
    public boolean supportsSsl() {
        return property("jacorb.security.support_ssl").filter("on"::equals).isPresent();
    }

    /** Whether it takes connections over SSL alone, so that its IIOP port stays closed. */
    public boolean requiresSsl() {
        int required = Integer.parseInt(
                property("jacorb.security.ssl.server.required_options").orElse("0"), 16);
        return supportsSsl()
                && (required & PROTECTION_BY_SSL) != 0
                && property("jacorb.security.ssl.always_open_unsecured_address")
                        .filter("on"::equals)
                        .isEmpty();
    }

    /** Where this ORB will listen for SSL; 0 for a port that the system chooses. */
    public int sslPort() {
        return orb.getTransportManager().getListenEndpoints(ListenEndpoint.Protocol.IIOP).stream()
                .map(ListenEndpoint::getSSLAddress)
                .map(address -> address instanceof IIOPAddress iiop ? iiop.getPort() : 0)
                .findFirst()
                .orElse(0);
    }

    /** Sets where this ORB will listen for SSL. Only before the first {@link #rootPoa}. */
    public void listenForSslOn(String host, int port) {
        for (ListenEndpoint endpoint : orb.getTransportManager().getListenEndpoints(ListenEndpoint.Protocol.IIOP)) {
            endpoint.setSSLAddress(listenAddress(host, port));
        }
    }

    /** Replaces the port in the SSL component, if there is one, of a reference that is being made. */
    public void patchSslPort(IORInfo info, int port) {
        patch(info, profile -> SslComponent.move(profile, port));
    }

    /** Replaces host and port of the IIOP profile of a reference that is being made. */
    public void patchPrimaryAddress(IORInfo info, String host, int port) {
        patch(info, profile -> profile.patchPrimaryAddress(new IIOPAddress(host, port)));
    }

    private static void patch(IORInfo info, Consumer<ProfileBase> change) {
        IORInfoExt reference = (IORInfoExt) info;
        int profiles = reference.get_number_of_profiles(TAG_INTERNET_IOP.value);
        for (int i = 0; i < profiles; i++) {
            if (reference.get_profile(TAG_INTERNET_IOP.value, i) instanceof ProfileBase profile) {
                change.accept(profile);
            }
        }
    }

    /**
     * The reference with another host and port in its IIOP profile, taken literally: {@link #patchPrimaryAddress}
     * writes the address that this machine finds for a name, and another machine may find another.
     */
    public org.omg.CORBA.Object withPrimaryAddress(org.omg.CORBA.Object reference, String host, int port) {
        Delegate delegate = (Delegate) ((ObjectImpl) reference)._get_delegate();
        IOR ior = delegate.getIOR();
        TaggedProfile[] profiles = new TaggedProfile[ior.profiles.length];
        for (int i = 0; i < profiles.length; i++) {
            TaggedProfile profile = ior.profiles[i];
            profiles[i] = profile.tag == TAG_INTERNET_IOP.value ? withPrimaryAddress(profile, host, port) : profile;
        }
        return orb.string_to_object(new ParsedIOR(orb, new IOR(ior.type_id, profiles)).getIORString());
    }

    private TaggedProfile withPrimaryAddress(TaggedProfile profile, String host, int port) {
        CDRInputStream in = new CDRInputStream(orb, profile.profile_data);
        in.openEncapsulatedArray();
        ProfileBody_1_1 body = ProfileBody_1_1Helper.read(in);
        body.host = host;
        body.port = (short) port;
        CDROutputStream out = new CDROutputStream(orb);
        out.beginEncapsulatedArray();
        ProfileBody_1_1Helper.write(out, body);
        return new TaggedProfile(profile.tag, out.getBufferCopy());
    }

    // ---- requests as they arrive ----

    /** The request that JacORB hands to a servant. Reads its arguments: they cannot be read again. */
    public CapturedRequest capture(String operation, InputStream arguments, ResponseHandler handler) {
        ServerRequest request = request(handler);
        return capture((RequestInputStream) arguments, operation, request.objectKey(), request.getConnection());
    }

    static CapturedRequest capture(
            RequestInputStream in, String operation, byte[] objectKey, GIOPConnection connection) {
        int start = in.get_pos();
        // The byte order has no getter that does not copy the whole message.
        in.skip(GIOP_FLAGS_AT - start);
        boolean littleEndian = (in.read_octet() & 1) == 1;
        in.skip(start - GIOP_FLAGS_AT - 1);
        // Not available(): that is the length of a pooled buffer, which holds bytes of earlier messages past the end.
        byte[] body = new byte[Math.max(0, in.msg_size + GIOP_HEADER_BYTES - start)];
        if (body.length > 0) {
            in.read_octet_array(body, 0, body.length);
        }
        return new CapturedRequest(
                littleEndian,
                in.getGIOPMinor(),
                start & 7,
                id(connection.getTCS()),
                id(connection.getTCSW()),
                operation,
                objectKey,
                body);
    }

    /**
     * Whether JacORB can read the strings of a request. If the client chose an unknown code set, the connection gets
     * JacORB's null object, and each string read with it becomes "" or null, depending on the level of its log.
     */
    public static boolean canReadStrings(ServerRequestInfo info) {
        return !(info instanceof ServerRequestInfoImpl request)
                || request.isLocalInterceptor()
                || canReadStrings(request.getConnection());
    }

    /** The same of a request that came without a connection. */
    public static boolean canReadStrings(CapturedRequest request) {
        return CodeSet.getCodeSet(request.charCodeSet()).supportsCharacterData(false);
    }

    static boolean canReadStrings(GIOPConnection connection) {
        return connection.getTCS().supportsCharacterData(false);
    }

    private static int id(CodeSet codeSet) {
        return codeSet == null ? 0 : codeSet.getId();
    }

    public ServiceContext[] contexts(ResponseHandler handler) {
        return request(handler).getServiceContext();
    }

    /** Whether no client waits for the servant: a reply is not sent, or was sent before the servant is called. */
    public boolean isOneway(ResponseHandler handler) {
        ServerRequest request = request(handler);
        return !request.responseExpected() || request.syncScope() == SYNC_WITH_SERVER.value;
    }

    /** Where the request came from, for messages. */
    public String peer(ResponseHandler handler) {
        if (!(request(handler).getConnection().getTransport() instanceof IIOPConnection connection)) {
            return "this process";
        }
        Socket socket = connection.getSocket();
        return socket == null ? "a client that is gone" : String.valueOf(socket.getRemoteSocketAddress());
    }

    /** The sender of a request, as its connection shows it. */
    public Principal principal(ResponseHandler handler) {
        return principal(request(handler).getConnection());
    }

    static Principal principal(GIOPConnection giop) {
        if (!(giop.getTransport() instanceof IIOPConnection connection) || connection.getSocket() == null) {
            return Principal.UNKNOWN;
        }
        Socket socket = connection.getSocket();
        if (socket instanceof SSLSocket tls) {
            try {
                return Principal.subject(tls.getSession().getPeerPrincipal().getName());
            } catch (SSLPeerUnverifiedException e) {
                // Without a certificate: its address is all that is known.
            }
        }
        return socket.getInetAddress() == null
                ? Principal.UNKNOWN
                : Principal.address(socket.getInetAddress().getAddress());
    }

    /** Where a request that JacORB handed to a servant is answered, in JacORB's thread. */
    public ReplyPort replyPort(ResponseHandler handler) {
        return new HandlerPort(handler);
    }

    /**
     * Lets the taker see the further requests of this connection in the thread that reads them. Not where JacORB
     * checks more than we can see: with SSL required or interceptors of the application, it stays as it is. Not where
     * a write would wait for the client: on a port of the application's own socket factory, or a connection that this
     * process opened.
     */
    public void frontEnd(ResponseHandler handler, RequestTaker taker) {
        GIOPConnection connection = request(handler).getConnection();
        if (fastAllowed() && isGuarded(connection) && connection.get_cubby(FRONT_END) == null) {
            connection.set_cubby(FRONT_END, true);
            ReaderFrontEnd.install(orb, connection, taker);
        }
    }

    private static boolean isGuarded(GIOPConnection giop) {
        return giop.getTransport() instanceof IIOPConnection connection
                && GuardedServerSockets.guards(connection.getSocket());
    }

    private boolean fastAllowed() {
        return property("jacorb.security.support_ssl").filter("on"::equals).isEmpty()
                && property("amo.frontEnd").filter("off"::equals).isEmpty()
                && info.getServerInterceptors().size() <= OWN_INTERCEPTORS;
    }

    private static ServerRequest request(ResponseHandler handler) {
        if (handler instanceof ServerRequest request) {
            return request;
        }
        throw new NO_IMPLEMENT("amo serves requests that came over a connection, not "
                + handler.getClass().getName());
    }

    // ---- execution from ordered bytes ----

    /** The arguments of a captured request. Reading past their end finds the end of the array, never other bytes. */
    public InputStream arguments(CapturedRequest request) {
        byte[] bytes = new byte[request.pad() + request.body().length];
        System.arraycopy(request.body(), 0, bytes, request.pad(), request.body().length);
        CDRInputStream in = new ArgumentStream(orb, bytes, request.littleEndian());
        in.setGIOPMinor(request.giopMinor());
        in.setCodeSet(CodeSet.getCodeSet(request.charCodeSet()), CodeSet.getCodeSet(request.wcharCodeSet()));
        in.skip(request.pad());
        return in;
    }

    /** For a reply that is kept as bytes. In JacORB's own code sets, as JacORB itself replies. */
    public OutputStream replyStream(int giopMinor) {
        CDROutputStream out = new CDROutputStream(orb);
        out.setGIOPMinor(giopMinor);
        return out;
    }

    /** The bytes written to a {@link #replyStream}. */
    public byte[] bytes(OutputStream out) {
        return ((CDROutputStream) out).getBufferCopy();
    }

    /** Makes JacORB's own POA Current name the target while the calling thread runs it. */
    public void enter(POA poa, byte[] objectId, Servant servant) {
        orb.getPOACurrent()
                ._addContext(
                        Thread.currentThread(),
                        new LocalInvocationContext(orb, (org.jacorb.poa.POA) poa, objectId, servant));
    }

    /** Undoes {@link #enter}. */
    public void leave() {
        orb.getPOACurrent()._removeContext(Thread.currentThread());
    }

    // ---- object adapters ----

    public boolean isPersistent(POA poa) {
        return ((org.jacorb.poa.POA) poa).isPersistent();
    }

    public boolean isSystemId(POA poa) {
        return ((org.jacorb.poa.POA) poa).isSystemId();
    }

    /** Whether the POA never calls two of its servants at the same time. */
    public boolean isSingleThreaded(POA poa) {
        return ((org.jacorb.poa.POA) poa).getPolicy(THREAD_POLICY_ID.value) instanceof ThreadPolicy policy
                && policy.value() == ThreadPolicyValue.SINGLE_THREAD_MODEL;
    }

    /** Whether a servant of the POA stands for one object at most. */
    public boolean isUniqueId(POA poa) {
        return !(((org.jacorb.poa.POA) poa).getPolicy(ID_UNIQUENESS_POLICY_ID.value)
                        instanceof IdUniquenessPolicy policy)
                || policy.value() == IdUniquenessPolicyValue.UNIQUE_ID;
    }

    /** The part of its objects' keys that names the POA. */
    public byte[] poaId(POA poa) {
        return ((org.jacorb.poa.POA) poa).getPOAId();
    }

    /** The names of the POAs above an object, from the root's child on; empty for objects of the root, or of another server. */
    public List<String> adapterNames(byte[] objectKey) {
        try {
            if (!property(IMPL_NAME).equals(Optional.of(POAUtil.extractImplName(objectKey)))) {
                return List.of();
            }
            return POAUtil.extractScopedPOANames(POAUtil.extractPOAName(objectKey)).stream()
                    .map(name -> POAUtil.unmaskStr(name))
                    .toList();
        } catch (POAInternalError e) {
            return List.of();
        }
    }

    /** The key of an object, as in its reference. */
    public byte[] objectKey(POA poa, byte[] objectId) {
        return joined(joined(poaId(poa), SEPARATOR.getBytes(Charset.defaultCharset())), POAUtil.maskId(objectId));
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /** A key without an object id, for a persistent POA below another one. */
    public byte[] adapterKey(POA parent, String name) {
        String above = ((org.jacorb.poa.POA) parent)._getQualifiedName();
        String names = (above.isEmpty() ? "" : above + SEPARATOR) + POAUtil.maskStr(name);
        // JacORB makes its keys in the default charset.
        byte[] server = POAUtil.maskId(property(IMPL_NAME).orElse("").getBytes(Charset.defaultCharset()));
        byte[] path = (SEPARATOR + names + SEPARATOR).getBytes(Charset.defaultCharset());
        return joined(server, path);
    }

    /** Whether JacORB handles requests in the calling thread. */
    public static boolean isThreadOfJacorb() {
        Thread thread = Thread.currentThread();
        return thread instanceof RequestProcessor || thread instanceof RequestController;
    }

    /** The length of the POA's part in an object key; -1 when it is not a key of JacORB. */
    public static int poaIdLength(byte[] objectKey) {
        int at = objectKey.length - 1;
        // Separators inside an object id are masked.
        while (at >= 0 && objectKey[at] != POAConstants.OBJECT_KEY_SEP_BYTE) {
            at--;
        }
        return at;
    }

    public static byte[] objectId(byte[] objectKey) {
        return POAUtil.extractOID(objectKey);
    }

    /** The entry of an object in JacORB's map, which the activator makes if there is none. */
    public Servant incarnate(POA poa, byte[] objectId, ServantActivator activator) throws ForwardRequest {
        return ((org.jacorb.poa.POA) poa)._incarnateServant(objectId, activator);
    }

    /** The facts that a servant may ask about its invocation. */
    public interface Invocation {
        POA poa();

        byte[] objectId();

        Servant servant();
    }

    /**
     * A POACurrent that knows the invocations that amo runs: its {@code get_POA} gives out the adaptor's own POA, so
     * that a servant which activates others does it through the adaptor. Elsewhere it is JacORB's own.
     */
    public org.omg.CORBA.Object poaCurrent(Supplier<Optional<Invocation>> running) {
        return new AdaptorCurrent(orb, running);
    }

    private static final class AdaptorCurrent extends Current {
        private static final long serialVersionUID = 1L;

        private final transient org.jacorb.orb.ORB orb;
        private final transient Supplier<Optional<Invocation>> running;

        AdaptorCurrent(org.jacorb.orb.ORB orb, Supplier<Optional<Invocation>> running) {
            this.orb = orb;
            this.running = running;
        }

        /**
         * The invocation that amo runs, unless JacORB has called another object of this process from inside it: it does so for
         * {@code _is_a}, when an operation narrows a reference.
         */
        private Optional<Invocation> innermost() throws NoContext {
            Optional<Invocation> invocation = running.get();
            return invocation.isPresent()
                            && orb.getPOACurrent().get_servant()
                                    == invocation.get().servant()
                    ? invocation
                    : Optional.empty();
        }

        @Override
        public byte[] get_object_id() throws NoContext {
            Optional<Invocation> invocation = innermost();
            return invocation.isPresent()
                    ? invocation.get().objectId()
                    : orb.getPOACurrent().get_object_id();
        }

        @Override
        public org.omg.CORBA.Object get_reference() throws NoContext {
            return get_servant()._this_object(orb);
        }

        @Override
        public Servant get_servant() throws NoContext {
            Optional<Invocation> invocation = innermost();
            return invocation.isPresent()
                    ? invocation.get().servant()
                    : orb.getPOACurrent().get_servant();
        }

        @Override
        public POA get_POA() throws NoContext {
            Optional<Invocation> invocation = innermost();
            return invocation.isPresent()
                    ? invocation.get().poa()
                    : orb.getPOACurrent().get_POA();
        }

        @Override
        protected org.omg.CORBA.ORB getORB() {
            return orb;
        }

        @Override
        protected Servant getServant() throws NoContext {
            return get_servant();
        }
    }

    private static final class HandlerPort implements ReplyPort {
        private final ResponseHandler handler;

        HandlerPort(ResponseHandler handler) {
            this.handler = handler;
        }

        @Override
        public void reply(byte[] body, List<ServiceContext> contexts) {
            finish(handler.createReply(), body, contexts);
        }

        @Override
        public void replyException(byte[] body, List<ServiceContext> contexts) {
            finish(handler.createExceptionReply(), body, contexts);
        }

        @Override
        public void replySystemException(SystemException exception, List<ServiceContext> contexts) {
            // Thrown instead, it would lose the context: JacORB makes a new reply for it.
            request(handler).setSystemException(exception);
            contexts.forEach(request(handler).getReplyOutputStream()::addServiceContext);
        }

        private void finish(OutputStream out, byte[] body, List<ServiceContext> contexts) {
            out.write_octet_array(body, 0, body.length);
            contexts.forEach(request(handler).getReplyOutputStream()::addServiceContext);
        }
    }
}
