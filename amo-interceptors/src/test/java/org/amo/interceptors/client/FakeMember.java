package org.amo.interceptors.client;

import AmoClientTest.CounterPOA;
import AmoClientTest.Refused;
import AmoClientTest.RefusedHelper;
import AmoClientTest.WithAny;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.MinorCodes;
import org.jacorb.orb.Delegate;
import org.jacorb.orb.ORB;
import org.jacorb.orb.iiop.IIOPAddress;
import org.jacorb.orb.iiop.IIOPProfile;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.NO_RESOURCES;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.Policy;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;
import org.omg.CORBA.portable.ObjectImpl;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * A server that speaks the replica's side of the contexts and does what a test tells it: a real ORB, a real servant,
 * no replication. Behind a proxy, since JacORB short-circuits connections within a JVM.
 */
final class FakeMember implements AutoCloseable {
    private static final ThreadLocal<FakeMember> STARTING = new ThreadLocal<>();

    final int index;
    final FakeGroup group;
    final TcpProxy proxy;
    final byte[] objectKey;
    final byte[] otherKey;
    private final ORB orb;

    /** A request as the member received it. */
    record Seen(
            int member,
            String operation,
            Optional<RequestContext> context,
            Optional<byte[]> ftRequest,
            Optional<byte[]> groupVersion) {
        long number() {
            return context.flatMap(RequestContext::call)
                    .orElseThrow(() -> new IllegalStateException("a call without a number: " + this))
                    .number();
        }
    }

    FakeMember(int index, FakeGroup group) throws Exception {
        this.index = index;
        this.group = group;
        STARTING.set(this);
        Properties properties = new Properties();
        properties.put("jacorb.implname", "amoclient");
        properties.put("OAIAddr", "127.0.0.1");
        properties.put("jacorb.log.default.verbosity", "1");
        properties.put("jacorb.poa.thread_pool_max", "80");
        properties.put("org.omg.PortableInterceptor.ORBInitializerClass." + Initializer.class.getName(), "");
        orb = (ORB) org.omg.CORBA.ORB.init(new String[0], properties);
        STARTING.remove();
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("counters", root.the_POAManager(), policies);
        poa.activate_object_with_id("counter".getBytes(StandardCharsets.US_ASCII), new Servant());
        poa.activate_object_with_id("other".getBytes(StandardCharsets.US_ASCII), new Servant());
        root.the_POAManager().activate();
        IIOPProfile profile = profile(poa, "counter");
        objectKey = profile.get_object_key();
        otherKey = profile(poa, "other").get_object_key();
        proxy = new TcpProxy(((IIOPAddress) profile.getAddress()).getPort());
    }

    private static IIOPProfile profile(POA poa, String id) throws Exception {
        org.omg.CORBA.Object object = poa.id_to_reference(id.getBytes(StandardCharsets.US_ASCII));
        Delegate delegate = (Delegate) ((ObjectImpl) object)._get_delegate();
        return (IIOPProfile) delegate.getParsedIOR().getEffectiveProfile();
    }

    org.omg.CORBA.ORB orb() {
        return orb;
    }

    @Override
    public void close() {
        proxy.close();
        orb.shutdown(true);
    }

    /** Registers the stub interceptor. Public for JacORB. */
    public static final class Initializer extends LocalObject implements ORBInitializer {
        private static final long serialVersionUID = 1;

        @Override
        public void pre_init(ORBInitInfo info) {}

        @Override
        public void post_init(ORBInitInfo info) {
            try {
                info.add_server_request_interceptor(new Replica(STARTING.get()));
            } catch (DuplicateName twice) {
                throw new IllegalStateException(twice);
            }
        }
    }

    /** The replica's side of the contexts. */
    private static final class Replica extends LocalObject implements ServerRequestInterceptor {
        private static final long serialVersionUID = 1;
        private final transient FakeMember member;
        private final transient ThreadLocal<Optional<Answer>> answers = ThreadLocal.withInitial(Optional::empty);

        Replica(FakeMember member) {
            this.member = member;
        }

        @Override
        public String name() {
            return "fake";
        }

        @Override
        public void destroy() {}

        @Override
        public void receive_request_service_contexts(ServerRequestInfo info) {}

        @Override
        public void receive_request(ServerRequestInfo info) {
            Optional<RequestContext> context =
                    context(info, RequestContext.CONTEXT_ID).map(RequestContext::decode);
            Seen seen = new Seen(member.index, info.operation(), context, context(info, 13), context(info, 12));
            FakeGroup group = member.group;
            group.seen.add(seen);
            if (group.rejects.test(seen)) {
                throw new NO_RESOURCES("", 0, CompletionStatus.COMPLETED_NO);
            }
            Optional<Answer> refused =
                    context.flatMap(RequestContext::call).isPresent() ? group.script.apply(seen) : Optional.empty();
            answers.set(refused.or(() -> context.map(any -> Answer.reply(new byte[0], group.time(), group.upper()))));
            refused.ifPresent(Replica::raise);
        }

        private static void raise(Answer answer) {
            if (answer.kind() == Answer.Kind.UNKNOWN) {
                throw new TIMEOUT("", MinorCodes.UNKNOWN, CompletionStatus.COMPLETED_MAYBE);
            }
            Refusal refusal = answer.refusal().orElseThrow();
            int minor = MinorCodes.of(refusal);
            switch (refusal) {
                case OVERLOADED, TOO_EARLY -> throw new TRANSIENT("", minor, CompletionStatus.COMPLETED_NO);
                case ID_REUSED -> throw new BAD_PARAM("", minor, CompletionStatus.COMPLETED_NO);
                default -> throw new TIMEOUT("", minor, CompletionStatus.COMPLETED_NO);
            }
        }

        @Override
        public void send_reply(ServerRequestInfo info) {
            answer(info);
        }

        @Override
        public void send_exception(ServerRequestInfo info) {
            answer(info);
        }

        @Override
        public void send_other(ServerRequestInfo info) {}

        private void answer(ServerRequestInfo info) {
            answers.get()
                    .ifPresent(answer -> info.add_reply_service_context(
                            new ServiceContext(AnswerContext.CONTEXT_ID, AnswerContext.encode(answer)), true));
            answers.remove();
        }

        private static Optional<byte[]> context(ServerRequestInfo info, int id) {
            try {
                return Optional.of(info.get_request_service_context(id).context_data);
            } catch (BAD_PARAM absent) {
                return Optional.empty();
            }
        }
    }

    private final class Servant extends CounterPOA {
        @Override
        public String label() {
            return "m" + index;
        }

        @Override
        public void label(String value) {}

        @Override
        public int add(int delta) {
            return group.value.addAndGet(delta);
        }

        @Override
        public int fail(int code) throws Refused {
            throw new Refused("because", code);
        }

        @Override
        public void failWithAny(int code) throws WithAny {
            Any any = orb.create_any();
            any.insert_long(code);
            Any nested = orb.create_any();
            RefusedHelper.insert(nested, new Refused("inner", code));
            throw new WithAny("before", 0.5, any, nested, "after");
        }

        @Override
        public void failSystem(int code) {
            if (code == 1) {
                throw new OBJECT_NOT_EXIST("servant says", 17, CompletionStatus.COMPLETED_YES);
            }
            throw new NO_PERMISSION("servant says", code, CompletionStatus.COMPLETED_YES);
        }

        @Override
        public void note(int value) {
            group.notes.addAndGet(value);
        }

        @Override
        public String echo(String text) {
            return text;
        }

        @Override
        public int slow(int millis) {
            Clock.pause(millis);
            return group.value.incrementAndGet();
        }
    }
}
