package org.amo.lab.attack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.amo.examples.bank.BankServant;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/**
 * Serves the bank and, beside it, a {@link VictimServant}: {@code AttackedBankServer IORFILE}. An ordinary CORBA program: it
 * knows nothing of replication.
 */
final class AttackedBankServer {
    private AttackedBankServer() {}

    /** The file for the victim's reference, from that for the bank's. */
    static Path victim(Path reference) {
        return reference.resolveSibling(reference.getFileName() + ".victim");
    }

    public static void main(String[] args) throws UserException, IOException {
        ORB orb = ORB.init(args, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("bank", root.the_POAManager(), policies);
        Path reference = Path.of(args[0]);
        String bank = activate(orb, poa, "bank", new BankServant("attacked bank"));
        String victim = activate(orb, poa, "victim", new VictimServant());
        root.the_POAManager().activate();
        publish(victim(reference), victim);
        // Last: the command takes its appearance as the end of the start.
        publish(reference, bank);
        orb.run();
    }

    private static String activate(ORB orb, POA poa, String name, Servant servant) throws UserException {
        byte[] id = name.getBytes(StandardCharsets.UTF_8);
        poa.activate_object_with_id(id, servant);
        return orb.object_to_string(poa.id_to_reference(id));
    }

    private static void publish(Path file, String reference) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, reference);
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
