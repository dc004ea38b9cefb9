package org.amo.lab.blackbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.amo.examples.bank.BankServant;
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
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/**
 * A server that knows nothing of amo, and that no two processes run alike: {@code UnequalServer IORFILE}. The references of an object that
 * draws and of a bank are in the file, with a space between them.
 */
public final class UnequalServer {
    private UnequalServer() {}

    public static void main(String[] args) throws UserException, IOException {
        ORB orb = ORB.init(args, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("unequal", root.the_POAManager(), policies);
        String drawing = activate(orb, poa, "x", new Unequal());
        String bank = activate(orb, poa, "bank", new BankServant("bank beside draws"));
        Path file = Path.of(args[0]);
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, drawing + " " + bank);
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        root.the_POAManager().activate();
        orb.run();
    }

    private static String activate(ORB orb, POA poa, String name, Servant servant) throws UserException {
        byte[] id = name.getBytes(StandardCharsets.US_ASCII);
        poa.activate_object_with_id(id, servant);
        return orb.object_to_string(poa.id_to_reference(id));
    }

    /** Every operation draws, and is kept by its number. */
    private static final class Unequal extends Servant implements InvokeHandler {
        private final Map<Integer, String> drawn = new TreeMap<>();
        private final Random random = new Random();

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Unequal:1.0"};
        }

        @Override
        public OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
            if (operation.equals("draw")) {
                drawn.put(drawn.size(), System.nanoTime() + "-" + random.nextLong());
            }
            OutputStream out = handler.createReply();
            out.write_string(operation.equals("draw") ? drawn.get(drawn.size() - 1) : drawn.toString());
            return out;
        }
    }
}
