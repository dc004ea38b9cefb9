package org.amo.interceptors.server;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.request.ClientId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.omg.CORBA.LocalObject;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/** Numbers every call of an ORB, as amo's client does, and never repeats one. */
public final class NumberingClient extends LocalObject implements ORBInitializer, ClientRequestInterceptor {
    private static final long serialVersionUID = 1L;

    private static final AtomicLong CLIENTS = new AtomicLong(100);

    private final transient ClientId client = new ClientId(3, CLIENTS.incrementAndGet());
    private final transient AtomicLong numbers = new AtomicLong();

    @Override
    public void pre_init(ORBInitInfo info) {
        try {
            info.add_client_request_interceptor(this);
        } catch (DuplicateName e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void post_init(ORBInitInfo info) {}

    @Override
    public String name() {
        return "test.numbers";
    }

    @Override
    public void destroy() {}

    @Override
    public void send_request(ClientRequestInfo info) {
        RequestContext.Call call = new RequestContext.Call(numbers.incrementAndGet(), 5_000, 65_000);
        byte[] data = new RequestContext(client, Optional.of(call), FinishedNumbers.NONE).encode();
        info.add_request_service_context(new ServiceContext(RequestContext.CONTEXT_ID, data), true);
    }

    @Override
    public void send_poll(ClientRequestInfo info) {}

    @Override
    public void receive_reply(ClientRequestInfo info) {}

    @Override
    public void receive_exception(ClientRequestInfo info) {}

    @Override
    public void receive_other(ClientRequestInfo info) {}
}
