package org.amo.interceptors.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.MembersContext;
import org.omg.CORBA.BAD_PARAM;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;

/** Adds the contexts that a test names to the calls of its thread, and keeps the answer's context. */
public final class ContextClient extends ClientProbe {
    private static final long serialVersionUID = 1L;

    private static final ThreadLocal<List<ServiceContext>> CONTEXTS = ThreadLocal.withInitial(ArrayList::new);
    private static final ThreadLocal<Optional<Answer>> ANSWER = ThreadLocal.withInitial(Optional::empty);

    private static final ThreadLocal<Optional<MembersContext>> MEMBERS = ThreadLocal.withInitial(Optional::empty);

    static void send(ServiceContext... contexts) {
        CONTEXTS.set(List.of(contexts));
        ANSWER.set(Optional.empty());
    }

    /** The members that the latest answer tells of. */
    static Optional<MembersContext> members() {
        return MEMBERS.get();
    }

    static Optional<Answer> answer() {
        return ANSWER.get();
    }

    @Override
    public void send_request(ClientRequestInfo info) {
        CONTEXTS.get().forEach(context -> info.add_request_service_context(context, true));
    }

    @Override
    public void receive_reply(ClientRequestInfo info) {
        keep(info);
    }

    @Override
    public void receive_exception(ClientRequestInfo info) {
        keep(info);
    }

    private static void keep(ClientRequestInfo info) {
        ANSWER.set(context(info, AnswerContext.CONTEXT_ID).map(AnswerContext::decode));
        MEMBERS.set(context(info, MembersContext.CONTEXT_ID).map(MembersContext::decode));
    }

    private static Optional<byte[]> context(ClientRequestInfo info, int id) {
        try {
            return Optional.of(info.get_reply_service_context(id).context_data);
        } catch (BAD_PARAM e) {
            return Optional.empty();
        }
    }
}
