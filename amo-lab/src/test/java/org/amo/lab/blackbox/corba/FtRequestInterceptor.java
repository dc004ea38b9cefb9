package org.amo.lab.blackbox.corba;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.omg.CORBA.LocalObject;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/**
 * What a client of any Java ORB needs to be at most once without amo: it sends FT_REQUEST with each call. The
 * application says which calls are one, because only it knows. docs/how-to/call-from-another-orb.md shows this class.
 */
public final class FtRequestInterceptor extends LocalObject implements ORBInitializer, ClientRequestInterceptor {
    private static final long serialVersionUID = 1L;

    private static final int FT_REQUEST = 13;

    /** 15 October 1582 to 1 January 1970 in units of 100 ns. */
    private static final long EPOCH = 0x01B2_1DD2_1381_4000L;

    private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();

    /** One logical call, however often it is sent. The expiration must be the same in all copies, too. */
    record Call(String client, int retentionId, long expirationMillis) {}

    /** Names what the calling thread sends from now on; null for nothing. */
    static void call(Call call) {
        CURRENT.set(call);
    }

    @Override
    public void pre_init(ORBInitInfo info) {
        // The interceptor needs nothing of the ORB.
    }

    @Override
    public void post_init(ORBInitInfo info) {
        try {
            info.add_client_request_interceptor(this);
        } catch (DuplicateName e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void send_request(ClientRequestInfo info) {
        Call call = CURRENT.get();
        if (call != null) {
            info.add_request_service_context(new ServiceContext(FT_REQUEST, encode(call)), true);
        }
    }

    private static byte[] encode(Call call) {
        byte[] client = call.client.getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer out = ByteBuffer.allocate(32 + client.length);
        out.put((byte) 0).position(4);
        out.putInt(client.length + 1).put(client).put((byte) 0);
        out.position(out.position() + 3 & -4);
        out.putInt(call.retentionId);
        out.position(out.position() + 7 & -8);
        out.putLong(EPOCH + 10_000 * call.expirationMillis);
        byte[] encapsulation = new byte[out.position()];
        out.flip().get(encapsulation);
        return encapsulation;
    }

    @Override
    public String name() {
        return "ft.request";
    }

    @Override
    public void destroy() {
        // It holds nothing.
    }

    @Override
    public void send_poll(ClientRequestInfo info) {
        // Nobody polls.
    }

    @Override
    public void receive_reply(ClientRequestInfo info) {
        // The caller gets it.
    }

    @Override
    public void receive_exception(ClientRequestInfo info) {
        // The caller gets it.
    }

    @Override
    public void receive_other(ClientRequestInfo info) {
        // The caller gets it.
    }
}
