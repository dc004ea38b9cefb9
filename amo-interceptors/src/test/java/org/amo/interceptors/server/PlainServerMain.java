package org.amo.interceptors.server;

import java.nio.charset.StandardCharsets;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The main of a CORBA server that has never heard of replication. Its argument says which POA it uses. */
public final class PlainServerMain {
    private PlainServerMain() {}

    public static void main(String[] arguments) throws Exception {
        ORB orb = ORB.init(arguments, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        CallsServant servant = arguments[0].equals("sessions") ? new Sessions(orb) : new CallsServant();
        org.omg.CORBA.Object reference;
        if (arguments[0].equals("transient")) {
            reference = servant._this(orb);
        } else {
            POA poa = root.create_POA("calls", root.the_POAManager(), new Policy[] {
                root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
                root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
            });
            byte[] id = "one".getBytes(StandardCharsets.US_ASCII);
            poa.activate_object_with_id(id, servant);
            reference = poa.id_to_reference(id);
        }
        root.the_POAManager().activate();
        System.out.println(orb.object_to_string(reference));
        orb.run();
    }

    /** Makes a transient object for each client that counts nothing. */
    private static final class Sessions extends CallsServant {
        private final ORB orb;

        Sessions(ORB orb) {
            this.orb = orb;
        }

        @Override
        public int count(int by) {
            if (by == 0) {
                new CallsServant()._this(orb);
            }
            return super.count(by);
        }
    }
}
