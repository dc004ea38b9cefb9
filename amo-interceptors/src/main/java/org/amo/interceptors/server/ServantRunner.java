package org.amo.interceptors.server;

import java.util.Optional;
import org.amo.core.order.FatalErrors;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.Context;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.NVList;
import org.omg.CORBA.NamedValue;
import org.omg.CORBA.OBJ_ADAPTER;
import org.omg.CORBA.ServerRequest;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UNKNOWN;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.InvokeHandler;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.PortableServer.DynamicImplementation;
import org.omg.PortableServer.Servant;

/** Runs a captured request on a servant and keeps its reply as bytes. */
final class ServantRunner {
    private final JacorbAccess jacorb;

    ServantRunner(JacorbAccess jacorb) {
        this.jacorb = jacorb;
    }

    /**
     * An exception of the servant is its reply, except errors of the virtual machine: where memory or stack ends depends
     * on the process, so other members would give another reply.
     */
    CapturedReply run(Servant servant, CapturedRequest request) {
        Capture capture = new Capture(jacorb, request.giopMinor());
        try {
            InputStream arguments = jacorb.arguments(request);
            if (servant instanceof InvokeHandler skeleton) {
                skeleton._invoke(request.operation(), arguments, capture);
            } else if (servant instanceof DynamicImplementation dynamic) {
                DynamicRequest call = new DynamicRequest(request.operation(), arguments, capture);
                dynamic.invoke(call);
                call.finish();
            } else {
                throw new OBJ_ADAPTER("a servant is a skeleton or a DynamicImplementation: "
                        + servant.getClass().getName());
            }
            return capture.reply();
        } catch (SystemException e) {
            throwIfFatal(e);
            if (MinorCodes.isOwn(e.minor) && e.completed == CompletionStatus.COMPLETED_NO) {
                // It speaks of a nested call, and this operation has begun.
                e.completed = CompletionStatus.COMPLETED_MAYBE;
            }
            return CapturedReply.systemException(e);
        } catch (RuntimeException e) {
            throwIfFatal(e);
            // JacORB's skeletons ask for the reply stream between reading the arguments and calling the servant, so
            // this is
            // of arguments that end too early; skeletons of other compilers ask when the servant has run.
            return CapturedReply.systemException(
                    capture.asked()
                            ? new UNKNOWN(0, CompletionStatus.COMPLETED_MAYBE)
                            : new MARSHAL(0, CompletionStatus.COMPLETED_MAYBE));
        } catch (Throwable e) {
            throwIfFatal(e);
            return CapturedReply.systemException(new UNKNOWN(0, CompletionStatus.COMPLETED_MAYBE));
        }
    }

    static void throwIfFatal(Throwable thrown) {
        FatalErrors.in(thrown).ifPresent(error -> {
            throw error;
        });
    }

    /** The response handler of one execution. The last stream asked for is the reply. */
    private static final class Capture implements ResponseHandler {
        private final JacorbAccess jacorb;
        private final int giopMinor;
        private Optional<OutputStream> out = Optional.empty();
        private boolean exception;

        Capture(JacorbAccess jacorb, int giopMinor) {
            this.jacorb = jacorb;
            this.giopMinor = giopMinor;
        }

        boolean asked() {
            return out.isPresent();
        }

        CapturedReply reply() {
            byte[] bytes = out.map(jacorb::bytes).orElseGet(() -> new byte[0]);
            return exception ? CapturedReply.userException(bytes) : CapturedReply.normal(bytes);
        }

        @Override
        public OutputStream createReply() {
            return stream(false);
        }

        @Override
        public OutputStream createExceptionReply() {
            return stream(true);
        }

        private OutputStream stream(boolean forException) {
            exception = forException;
            OutputStream stream = jacorb.replyStream(giopMinor);
            out = Optional.of(stream);
            return stream;
        }
    }

    /** A request for a servant that has no skeleton (DSI), by {@code org.omg} alone. */
    private static final class DynamicRequest extends ServerRequest {
        private final String operation;
        private final InputStream in;
        private final Capture capture;
        private Optional<NVList> arguments = Optional.empty();
        private Optional<Any> result = Optional.empty();
        private Optional<Any> exception = Optional.empty();

        DynamicRequest(String operation, InputStream in, Capture capture) {
            this.operation = operation;
            this.in = in;
            this.capture = capture;
        }

        @Override
        public String operation() {
            return operation;
        }

        @Override
        public @Nullable Context ctx() {
            return null;
        }

        @Override
        public void arguments(NVList list) {
            if (arguments.isPresent()) {
                throw new BAD_INV_ORDER("arguments were asked for twice");
            }
            try {
                for (int i = 0; i < list.count(); i++) {
                    NamedValue argument = list.item(i);
                    if (argument.flags() != org.omg.CORBA.ARG_OUT.value) {
                        argument.value().read_value(in, argument.value().type());
                    }
                }
            } catch (org.omg.CORBA.Bounds e) {
                throw new IllegalStateException("an NVList is shorter than its count", e);
            }
            arguments = Optional.of(list);
            // From here on a failure is the servant's own.
            capture.createReply();
        }

        @Override
        public void set_result(Any value) {
            result = Optional.of(value);
        }

        @Override
        public void set_exception(Any value) {
            exception = Optional.of(value);
        }

        void finish() {
            if (exception.isPresent()) {
                Any value = exception.get();
                OutputStream out = capture.createExceptionReply();
                value.write_value(out);
                return;
            }
            OutputStream out = capture.createReply();
            result.ifPresent(value -> value.write_value(out));
            arguments.ifPresent(list -> writeOut(list, out));
        }

        private static void writeOut(NVList list, OutputStream out) {
            try {
                for (int i = 0; i < list.count(); i++) {
                    NamedValue argument = list.item(i);
                    if (argument.flags() != org.omg.CORBA.ARG_IN.value) {
                        argument.value().write_value(out);
                    }
                }
            } catch (org.omg.CORBA.Bounds e) {
                throw new IllegalStateException("an NVList is shorter than its count", e);
            }
        }
    }
}
