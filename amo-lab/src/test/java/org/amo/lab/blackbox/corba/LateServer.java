package org.amo.lab.blackbox.corba;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import matrix.EverythingPOATie;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * A server of yet another shape, which knows nothing of amo: {@code LateServer FILE}. Its main returns at
 * once; a thread activates one servant under two ids, opens a POA manager of its own and runs the ORB.
 */
public final class LateServer {
    private LateServer() {}

    public static void main(String[] args) throws Exception {
        ORB orb = ORB.init(args, new Properties());
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Thread activation = new Thread(() -> activate(orb, root, Path.of(args[0])), "activation");
        activation.start();
    }

    private static void activate(ORB orb, POA root, Path file) {
        try {
            Policy[] policies = {
                root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
                root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
            };
            POA poa = root.create_POA("late", null, policies);
            MatrixServant servant = new MatrixServant(orb);
            for (String name : new String[] {"one", "two"}) {
                byte[] id = name.getBytes(StandardCharsets.US_ASCII);
                poa.activate_object_with_id(id, new EverythingPOATie(servant, poa));
            }
            poa.the_POAManager().activate();
            byte[] id = "one".getBytes(StandardCharsets.US_ASCII);
            Files.writeString(file, orb.object_to_string(poa.id_to_reference(id)));
            orb.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
