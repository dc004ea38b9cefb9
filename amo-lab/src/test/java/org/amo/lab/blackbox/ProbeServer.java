package org.amo.lab.blackbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
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
 * A server of the tests that knows nothing of amo: {@code ProbeServer IORFILE}. Two objects, {@code x} and {@code y}
 * (its reference in {@code IORFILE.y}), each with a sum; operations that last as long as the caller says; {@code draw},
 * whose result is another one while the file {@code -Dprobe.odd} is there; {@code uuid}, which makes the sum a random one. With
 * {@code -Dprobe.transient=true} it is what cannot be replicated: an object of the root POA.
 */
public final class ProbeServer {
    private ProbeServer() {}

    public static void main(String[] args) throws UserException, IOException {
        ORB orb = ORB.init(args, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Path file = Path.of(args[0]);
        if (Boolean.getBoolean("probe.transient")) {
            publish(file, orb.object_to_string(root.id_to_reference(root.activate_object(new Probe()))));
        } else {
            Policy[] policies = {
                root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
                root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
            };
            POA poa = root.create_POA("probe", root.the_POAManager(), policies);
            publish(file.resolveSibling(file.getFileName() + ".y"), orb.object_to_string(activate(poa, "y")));
            publish(file, orb.object_to_string(activate(poa, "x")));
        }
        root.the_POAManager().activate();
        orb.run();
    }

    private static org.omg.CORBA.Object activate(POA poa, String name) throws UserException {
        byte[] id = name.getBytes(StandardCharsets.US_ASCII);
        poa.activate_object_with_id(id, new Probe());
        return poa.id_to_reference(id);
    }

    private static void publish(Path file, String reference) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, reference);
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** A sum, and operations that take their time. */
    private static final class Probe extends Servant implements InvokeHandler {
        private long sum;

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Probe:1.0"};
        }

        @Override
        public OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
            switch (operation) {
                case "add" -> sum += in.read_longlong();
                case "uuid" -> sum = UUID.randomUUID().getLeastSignificantBits();
                case "draw" -> sum += in.read_longlong() + (isOdd() ? 1_000 : 0);
                case "slow" -> {
                    pause(in.read_longlong());
                    sum++;
                }
                case "get" -> {}
                default -> throw new org.omg.CORBA.BAD_OPERATION();
            }
            OutputStream out = handler.createReply();
            out.write_longlong(sum);
            return out;
        }

        private static boolean isOdd() {
            return Files.exists(Path.of(System.getProperty("probe.odd", "/nowhere")));
        }

        private static void pause(long millis) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
