package org.amo.interceptors.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.wire.AnswerContext;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/** Adds the contexts that a test names to the calls of its thread, and keeps the answer's context. */
public final class ContextClient extends LocalObject implements ORBInitializer, ClientRequestInterceptor {
    private static final long serialVersionUID = 1L;

    private static final ThreadLocal<List<ServiceContext>> CONTEXTS = ThreadLocal.withInitial(ArrayList::new);
    private static final ThreadLocal<Optional<Answer>> ANSWER = ThreadLocal.withInitial(Optional::empty);

    static void send(ServiceContext... contexts) {
        CONTEXTS.set(List.of(contexts));
        ANSWER.set(Optional.empty());
    }

    static Optional<Answer> answer() {
        return ANSWER.get();
    }

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
        return "test.contexts";
    }

    @Override
    public void destroy() {}

    @Override
    public void send_request(ClientRequestInfo info) {
        CONTEXTS.get().forEach(context -> info.add_request_service_context(context, true));
    }

    @Override
    public void send_poll(ClientRequestInfo info) {}

    @Override
    public void receive_reply(ClientRequestInfo info) {
        keep(info);
    }

    @Override
    public void receive_exception(ClientRequestInfo info) {
        keep(info);
    }

    @Override
    public void receive_other(ClientRequestInfo info) {}

    private static void keep(ClientRequestInfo info) {
        try {
            byte[] data = info.get_reply_service_context(AnswerContext.CONTEXT_ID).context_data;
            ANSWER.set(Optional.of(AnswerContext.decode(data)));
        } catch (BAD_PARAM e) {
            ANSWER.set(Optional.empty());
        }
    }
}
