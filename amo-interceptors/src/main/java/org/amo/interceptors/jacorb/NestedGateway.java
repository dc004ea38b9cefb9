package org.amo.interceptors.jacorb;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.NestedReply;
import org.jacorb.config.ConfigurationException;
import org.jacorb.orb.ORB;
import org.jacorb.orb.ParsedIOR;
import org.jacorb.orb.giop.ClientConnection;
import org.jacorb.orb.giop.RequestOutputStream;
import org.jacorb.orb.iiop.IIOPAddress;
import org.jacorb.orb.iiop.IIOPProfile;
import org.jacorb.orb.portableInterceptor.ClientRequestInfoImpl;
import org.omg.CORBA.INTERNAL;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;
import org.omg.IOP.TaggedProfileHolder;
import org.omg.PortableInterceptor.ClientRequestInfo;

/**
 * Gives a stub a reply that did not come over a connection. A stub that is forwarded here marshals its request for a connection
 * without a peer ({@link GatewayConnection}), where its arguments are captured before they are sent and dropped afterwards. Nothing leaves
 * the process, and no port is opened.
 *
 * <p>One for each ORB; any thread. JacORB finds the connection by its address, which nothing listens on.
 */
public final class NestedGateway {
    /** Port 0 of the loopback network: a connection to it fails at once. */
    private static final String NETWORK = "127.255.";

    private final ORB orb;
    private final Map<CodeSets, Gateway> gateways = new HashMap<>();
    private int made;

    /** JacORB agrees on code sets once for each connection, so there is a gateway for each pair. */
    private record CodeSets(int forChar, int forWchar) {}

    private record Gateway(IIOPAddress address, GatewayConnection connection) {}

    public NestedGateway(org.omg.CORBA.ORB orb) {
        this.orb = (ORB) orb;
    }

    /** Whether the request was marshalled for the gateway. */
    public boolean isHere(ClientRequestInfo info) {
        return connection(info).isPresent();
    }

    private static Optional<GatewayConnection> connection(ClientRequestInfo info) {
        return JacorbClientAccess.connectionOf(info).getGIOPConnection() instanceof GatewayConnection gateway
                        && !gateway.isOver()
                ? Optional.of(gateway)
                : Optional.empty();
    }

    /** Whether the gateway can stand for the called object: it has an IIOP profile. */
    public static boolean canStandFor(ClientRequestInfo info) {
        return base(info).getEffectiveProfile() instanceof IIOPProfile;
    }

    /**
     * The reference of the gateway for the called object. It has the object's type and key, since JacORB takes the hash value of
     * a reference from them.
     */
    public org.omg.CORBA.Object inPlaceOf(ClientRequestInfo info) {
        ParsedIOR base = base(info);
        IIOPProfile profile = (IIOPProfile) base.getEffectiveProfile();
        ClientConnection real = JacorbClientAccess.connectionOf(info);
        TaggedProfileHolder marshalled = new TaggedProfileHolder();
        new IIOPProfile(address(real), profile.get_object_key(), profile.version().minor).marshal(marshalled, null);
        IOR ior = new IOR(base.getTypeId(), new TaggedProfile[] {marshalled.value});
        return orb.string_to_object(new ParsedIOR(orb, ior).getIORString());
    }

    /** The reference that the application holds. */
    public org.omg.CORBA.Object original(ClientRequestInfo info) {
        return orb.string_to_object(reference(info));
    }

    /** The same as a string. */
    public static String reference(ClientRequestInfo info) {
        return base(info).getIORString();
    }

    private static ParsedIOR base(ClientRequestInfo info) {
        return ((ClientRequestInfoImpl) info).getDelegate().getBaseIOR();
    }

    private synchronized IIOPAddress address(ClientConnection real) {
        CodeSets sets = new CodeSets(GiopReply.id(real.getTCS()), GiopReply.id(real.getTCSW()));
        Gateway known = gateways.get(sets);
        if (known == null || known.connection().isOver()) {
            known = make(real);
            gateways.put(sets, known);
        }
        return known.address();
    }

    /** JacORB takes it for one over which a server reaches its client, and keeps it until the ORB ends. */
    private Gateway make(ClientConnection real) {
        made++;
        IIOPAddress address = new IIOPAddress(NETWORK + (made >>> 8) + "." + (made & 0xFF), 0);
        IIOPProfile profile = new IIOPProfile(address, new byte[0], 2);
        try {
            address.configure(orb.getConfiguration());
            GatewayConnection connection =
                    GatewayConnection.like(real.getGIOPConnection(), profile, orb.getConfiguration());
            orb.getClientConnectionManager().addConnection(connection, profile);
            return new Gateway(address, connection);
        } catch (ConfigurationException e) {
            throw new INTERNAL("JacORB cannot make a connection for nested calls: " + e);
        }
    }

    // ---- one request, marshalled for the gateway

    /** The request with its arguments as the stub has written them. */
    public static CapturedRequest capture(ClientRequestInfo info) {
        RequestOutputStream out = ((ClientRequestInfoImpl) info).getRequestStream();
        byte[] message = out.getBufferCopy();
        byte[] objectKey = base(info).getEffectiveProfile().get_object_key();
        int minor = out.getGIOPMinor();
        int start = minor == 2 ? out.getBodyBegin() : oldHeaderBytes(minor, objectKey, info.operation());
        byte[] body = Arrays.copyOfRange(message, Math.min(start, message.length), message.length);
        return new CapturedRequest(
                false,
                minor,
                start & 7,
                GiopReply.id(out.getConnection().getTCS()),
                GiopReply.id(out.getConnection().getTCSW()),
                info.operation(),
                objectKey,
                body);
    }

    /** The length of JacORB's header of GIOP 1.0 and 1.1 before its service contexts are put in. */
    private static int oldHeaderBytes(int minor, byte[] objectKey, String operation) {
        int flags = 12 + 4 + 4 + 1;
        int key = align(minor == 0 ? flags : flags + 3) + 4 + objectKey.length;
        int name = align(key) + 4 + operation.length() + 1;
        return align(name) + 4;
    }

    private static int align(int at) {
        return at + 3 & ~3;
    }

    /**
     * Lets JacORB go on with the request: it gets the reply as soon as it has sent it.
     *
     * @param reply normal or a user exception; empty for a request that awaits none
     */
    public static void answer(ClientRequestInfo info, Optional<NestedReply> reply) {
        ClientConnection connection = JacorbClientAccess.connectionOf(info);
        connection(info)
                .orElseThrow(() -> new INTERNAL("the request is not for the gateway"))
                .answerNext(connection, info.request_id(), reply);
    }
}
