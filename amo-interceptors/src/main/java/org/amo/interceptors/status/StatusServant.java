package org.amo.interceptors.status;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.amo.core.replica.ReplicaStatus;
import org.amo.interceptors.status.jacorb.JacorbPeer;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
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
 * Answers {@code string status()} at the object key {@link StatusClient#OBJECT_KEY}. It belongs to its own process
 * alone: it stands beside the replicated objects, under the real root POA, and is never ordered.
 */
public final class StatusServant extends Servant implements InvokeHandler {
    private static final String[] INTERFACES = {"IDL:org/amo/Status:1.0"};

    private final Supplier<ReplicaStatus> status;

    private StatusServant(Supplier<ReplicaStatus> status) {
        this.status = status;
    }

    /**
     * Makes the status of this process available through the ORB. Needs {@code jacorb.implname}.
     *
     * @param orb JacORB's; its real root POA is used whatever is registered under that name
     * @param status asked for each call, and must not block
     */
    public static void install(ORB orb, Supplier<ReplicaStatus> status) {
        try {
            POA root = JacorbPeer.rootPoa(orb);
            Policy[] policies = {
                root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
                root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID),
                // One thread, or JacORB would give this POA a whole pool of its own.
                root.create_thread_policy(ThreadPolicyValue.SINGLE_THREAD_MODEL)
            };
            // A manager of its own: the application may hold or discard requests of its POAs, not this one.
            POA poa = root.create_POA("amoStatus", null, policies);
            byte[] id = "status".getBytes(StandardCharsets.US_ASCII);
            poa.activate_object_with_id(id, new StatusServant(status));
            // The full key begins with the implname, which whoever asks does not know.
            JacorbPeer.addObjectKey(orb, StatusClient.OBJECT_KEY, poa.id_to_reference(id));
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
        if (!method.equals(StatusClient.OPERATION)) {
            throw new BAD_OPERATION("the status of a replica has one operation, " + StatusClient.OPERATION);
        }
        OutputStream output = handler.createReply();
        output.write_string(StatusJson.write(status.get()));
        return output;
    }
}
