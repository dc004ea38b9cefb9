package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.amo.benchmarks.fts.idl.HelloPOA;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The paper's server, an ordinary CORBA program: {@code HelloServer IORFILE}. */
final class HelloServer {
    private HelloServer() {}

    /** Keeps one greeting. */
    private static final class Servant extends HelloPOA {
        private String greeting = "";

        @Override
        public synchronized String greeting() {
            return greeting;
        }

        @Override
        public synchronized void set_greeting(String text) {
            greeting = text;
        }
    }

    public static void main(String[] args) throws UserException, IOException {
        ORB orb = ORB.init(args, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("hello", root.the_POAManager(), policies);
        byte[] id = "hello".getBytes(StandardCharsets.UTF_8);
        poa.activate_object_with_id(id, new Servant());
        root.the_POAManager().activate();
        Path file = Path.of(args[0]);
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, orb.object_to_string(poa.id_to_reference(id)));
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        orb.run();
    }
}
