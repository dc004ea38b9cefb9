package org.amo.lab.blackbox.corba;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import matrix.EverythingPOATie;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/**
 * A server that knows nothing of amo: {@code MatrixServer FILE}. Three objects of one interface, with a skeleton, behind
 * a tie and by DSI; their references are in FILE, FILE.tie and FILE.dsi. Two more are for clients that make their references themselves.
 */
public final class MatrixServer {
    static final String OTHER_SKELETON = "skeleton2";
    static final String OTHER_TIE = "tie2";

    private MatrixServer() {}

    public static void main(String[] args) throws UserException, IOException {
        ORB orb = ORB.init(args, null);
        MatrixValues.register(orb);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("matrix", root.the_POAManager(), policies);
        Path file = Path.of(args[0]);
        activate(poa, OTHER_SKELETON, new MatrixServant(orb));
        activate(poa, OTHER_TIE, new EverythingPOATie(new MatrixServant(orb), poa));
        publish(beside(file, ".dsi"), orb, poa, "dsi", new MatrixDynamic(orb));
        publish(beside(file, ".tie"), orb, poa, "tie", new EverythingPOATie(new MatrixServant(orb), poa));
        publish(file, orb, poa, "skeleton", new MatrixServant(orb));
        root.the_POAManager().activate();
        orb.run();
    }

    private static Path beside(Path file, String ending) {
        return file.resolveSibling(file.getFileName() + ending);
    }

    private static void publish(Path file, ORB orb, POA poa, String name, Servant servant)
            throws UserException, IOException {
        byte[] id = activate(poa, name, servant);
        Path draft = beside(file, ".new");
        Files.writeString(draft, orb.object_to_string(poa.id_to_reference(id)));
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private static byte[] activate(POA poa, String name, Servant servant) throws UserException {
        byte[] id = name.getBytes(StandardCharsets.US_ASCII);
        poa.activate_object_with_id(id, servant);
        return id;
    }
}
