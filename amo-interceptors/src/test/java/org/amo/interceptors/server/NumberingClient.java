package org.amo.interceptors.server;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.ClientId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;

/** Numbers every call of an ORB, as amo's client does, and never repeats one. */
public final class NumberingClient extends ClientProbe {
    private static final long serialVersionUID = 1L;

    private static final AtomicLong CLIENTS = new AtomicLong(100);

    private final transient ClientId client = new ClientId(3, CLIENTS.incrementAndGet());
    private final transient AtomicLong numbers = new AtomicLong();

    @Override
    public void send_request(ClientRequestInfo info) {
        RequestContext.Call call = new RequestContext.Call(numbers.incrementAndGet(), 5_000, 65_000);
        byte[] data = new RequestContext(client, Optional.of(call), FinishedNumbers.NONE).encode();
        info.add_request_service_context(new ServiceContext(RequestContext.CONTEXT_ID, data), true);
    }
}
