package org.amo.examples.bank;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** Serves one bank and writes its reference to a file: {@code BankServer IORFILE}. */
public final class BankServer {
    private BankServer() {}

    public static void main(String[] args) throws UserException, IOException {
        serve(args, new BankServant("demo bank"));
    }

    /** Serves this bank, with the arguments of {@link #main}. */
    public static void serve(String[] args, BankServant bank) throws UserException, IOException {
        if (args.length < 1) {
            System.err.println("usage: BankServer IORFILE");
            System.exit(2);
        }
        ORB orb = ORB.init(args, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("bank", root.the_POAManager(), policies);
        byte[] id = "bank".getBytes(StandardCharsets.UTF_8);
        poa.activate_object_with_id(id, bank);
        root.the_POAManager().activate();
        publish(Path.of(args[0]), orb.object_to_string(poa.id_to_reference(id)));
        System.out.println("bank is open, reference in " + args[0]);
        orb.run();
    }

    /** A reader finds the whole reference or no file. */
    private static void publish(Path file, String reference) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, reference);
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
