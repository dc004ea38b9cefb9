package org.amo.interceptors.status;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.amo.core.replica.Administration;
import org.amo.core.replica.ReplicatedService;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.TRANSIENT;
import org.omg.CORBA.UserException;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.InvokeHandler;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ThreadPolicyValue;

/**
 * Answers the questions of {@link Administration}, {@code string status()}, {@code string members()} and {@code string member(in string
 * change)}, at the object key {@link StatusClient#OBJECT_KEY}. It belongs to its own process alone: it stands beside the replicated
 * objects, under the real root POA, and is never ordered.
 */
public final class StatusServant extends Servant implements InvokeHandler {
    private static final String[] INTERFACES = {"IDL:org/amo/Status:1.0"};

    /** How long a change of members may take here; the group gives it up before. */
    private static final long CHANGE_SECONDS = 20;

    private final Supplier<ReplicatedService> replica;

    private StatusServant(Supplier<ReplicatedService> replica) {
        this.replica = replica;
    }

    /**
     * Makes the status of this process available through the ORB. Needs {@code jacorb.implname}.
     *
     * @param orb JacORB's; its real root POA is used, even if another is registered under that name
     * @param replica asked for each call, and must not block
     */
    public static void install(ORB orb, Supplier<ReplicatedService> replica) {
        try {
            POA root = JacorbAccess.rootPoaOf(orb);
            Policy[] policies = {
                root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
                root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID),
                // One thread, or JacORB would give this POA a whole pool of its own.
                root.create_thread_policy(ThreadPolicyValue.SINGLE_THREAD_MODEL)
            };
            // A manager of its own: the application may hold or discard requests of its POAs, not this one.
            POA poa = root.create_POA("amoStatus", null, policies);
            byte[] id = "status".getBytes(StandardCharsets.US_ASCII);
            poa.activate_object_with_id(id, new StatusServant(replica));
            // The full key begins with the implname, which a status client does not know.
            JacorbAccess.addObjectKey(orb, StatusClient.OBJECT_KEY, poa.id_to_reference(id));
            poa.the_POAManager().activate();
        } catch (UserException e) {
            throw new IllegalStateException("cannot offer this replica's status: " + e, e);
        }
    }

    @Override
    public String[] _all_interfaces(POA poa, byte[] objectId) {
        return INTERFACES.clone();
    }

    @Override
    public OutputStream _invoke(String method, InputStream input, ResponseHandler handler) {
        String answer = answer(method, input)
                .orElseThrow(() -> new BAD_OPERATION("a replica's status has no operation " + method));
        OutputStream output = handler.createReply();
        output.write_string(answer);
        return output;
    }

    private Optional<String> answer(String question, InputStream input) {
        String argument = question.equals(Administration.CHANGE) ? input.read_string() : "";
        CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
        Administration.answer(replica.get(), question, argument, answer::complete);
        try {
            return answer.get(CHANGE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return Optional.of(Administration.unknown());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TRANSIENT("the member stops", 0, CompletionStatus.COMPLETED_MAYBE);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a question of an operator failed", e);
        }
    }
}
