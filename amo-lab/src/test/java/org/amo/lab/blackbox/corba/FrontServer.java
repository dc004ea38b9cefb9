package org.amo.lab.blackbox.corba;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import matrix.Everything;
import matrix.EverythingHelper;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * A server whose operations call other servers, and which knows nothing of amo: {@code FrontServer FILE}. {@code count} and {@code slow}
 * call the servers whose references are in the files that the properties {@link #BACK} and {@link #OTHER} name, {@code mix} the one whose
 * reference is its text.
 */
public final class FrontServer {
    static final String BACK = "front.back";

    /** Without it, {@code slow} calls the first one, too. */
    static final String OTHER = "front.other";

    private FrontServer() {}

    public static void main(String[] args) throws Exception {
        ORB orb = ORB.init(args, null);
        String file = System.getProperty(BACK);
        Everything back = EverythingHelper.narrow(PlainOrb.read(orb, Path.of(file)));
        Everything other = EverythingHelper.narrow(PlainOrb.read(orb, Path.of(System.getProperty(OTHER, file))));
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("front", root.the_POAManager(), policies);
        byte[] id = "front".getBytes(StandardCharsets.US_ASCII);
        poa.activate_object_with_id(id, new MatrixServant(orb) {
            @Override
            public int count(int by) {
                back.count(by);
                return by;
            }

            @Override
            public int slow(int by, int millis) {
                other.count(by);
                return by;
            }

            @Override
            public int mix(byte o, int by, String reference, double d) {
                return EverythingHelper.unchecked_narrow(orb.string_to_object(reference))
                        .count(by);
            }
        });
        root.the_POAManager().activate();
        Files.writeString(Path.of(args[0]), orb.object_to_string(poa.id_to_reference(id)));
        orb.run();
    }
}
