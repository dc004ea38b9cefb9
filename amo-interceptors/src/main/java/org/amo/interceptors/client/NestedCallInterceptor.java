package org.amo.interceptors.client;

import java.time.Duration;
import java.util.Optional;
import org.amo.base.RunningOperation;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.RateLimitedLog;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.USER_EXCEPTION;
import org.slf4j.LoggerFactory;

/**
 * Refuses CORBA calls from inside an operation of a replicated service with BAD_INV_ORDER, COMPLETED_NO, before anything is
 * sent: all replicas would make them. Calls of all other threads pass. Any thread.
 *
 * <p>It covers all that JacORB sends as a request: static and dynamic invocation, {@code sendc_}, oneways, deferred requests
 * (in the thread that JacORB starts for each) and pseudo operations, over any transport and direction.
 */
public final class NestedCallInterceptor extends LocalObject implements ClientRequestInterceptor {
    private static final long serialVersionUID = 1L;
    private static final RateLimitedLog LOG =
            new RateLimitedLog(LoggerFactory.getLogger(NestedCallInterceptor.class), Duration.ofSeconds(10));

    @Override
    public String name() {
        return "amo.nested";
    }

    @Override
    public void destroy() {
        // Holds nothing.
    }

    /** In a replicated server, where every collocated object belongs to the group of the operation. */
    @Override
    public void send_request(ClientRequestInfo info) {
        if (JacorbClientAccess.isRemote(info)) {
            checkRemote(info);
        } else if (!ClientInterceptor.isPseudo(info.operation())) {
            RunningOperation.current().ifPresent(running -> {
                throw refused(running.refusalOfOwnGroup(target(info)));
            });
        }
    }

    /** Refuses a request that would leave the process. Asked by both of amo's client interceptors. */
    static void checkRemote(ClientRequestInfo info) {
        RunningOperation running = RunningOperation.current().orElse(null);
        if (running == null) {
            return;
        }
        if (isOfGroup(info, running.group())) {
            throw refused(running.refusalOfOwnGroup(target(info)));
        }
        if (!running.isNestedAllowed()) {
            throw refused(running.refusal(target(info)));
        }
    }

    private static boolean isOfGroup(ClientRequestInfo info, String group) {
        Object reference = JacorbClientAccess.currentReference(info);
        Optional<byte[]> tag = JacorbClientAccess.parts(reference).flatMap(parts -> parts.ftGroup());
        return tag.isPresent() && GroupTag.decode(tag.get()).isOf(group);
    }

    private static String target(ClientRequestInfo info) {
        return "'" + info.operation() + "' on a CORBA object";
    }

    /** The message stays here: a reply holds none, so all members give the same one. */
    private static BAD_INV_ORDER refused(String why) {
        LOG.warn(why);
        return new BAD_INV_ORDER(why, MinorCodes.NESTED_CALL, CompletionStatus.COMPLETED_NO);
    }

    @Override
    public void send_poll(ClientRequestInfo info) {
        // JacORB has no polling.
    }

    @Override
    public void receive_reply(ClientRequestInfo info) {
        // Only sent requests matter.
    }

    /** The presence of any client interceptor makes JacORB lose user exceptions that hold an any. */
    @Override
    public void receive_exception(ClientRequestInfo info) {
        if (info.reply_status() == USER_EXCEPTION.value && JacorbClientAccess.isRemote(info)) {
            JacorbClientAccess.rewind(info);
        }
    }

    @Override
    public void receive_other(ClientRequestInfo info) {
        // Only sent requests matter.
    }
}
