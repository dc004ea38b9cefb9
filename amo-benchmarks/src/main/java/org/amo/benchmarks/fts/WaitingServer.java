package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.benchmarks.fts.idl.HelloPOA;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * An ordinary CORBA program with objects that share no state and operations that wait as for a disk: {@code WaitingServer IORFILE}. It
 * publishes all references, with a space between them.
 */
final class WaitingServer {
    static final int OBJECTS = 16;

    /** Property with the duration of an operation; 0 for one that does not wait. */
    static final String WAIT_MICROS = "bench.waitMicros";

    private WaitingServer() {}

    private static final class Servant extends HelloPOA {
        private final long waitNanos = TimeUnit.MICROSECONDS.toNanos(Long.getLong(WAIT_MICROS, 0));
        private String greeting = "";

        @Override
        public String greeting() {
            return greeting;
        }

        @Override
        public void set_greeting(String text) {
            long end = System.nanoTime() + waitNanos;
            while (waitNanos > 0 && System.nanoTime() < end) {
                LockSupport.parkNanos(this, end - System.nanoTime());
            }
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
        POA poa = root.create_POA("waiting", root.the_POAManager(), policies);
        List<String> references = new ArrayList<>();
        for (int i = 0; i < OBJECTS; i++) {
            byte[] id = ("waiting-" + i).getBytes(StandardCharsets.UTF_8);
            poa.activate_object_with_id(id, new Servant());
            references.add(orb.object_to_string(poa.id_to_reference(id)));
        }
        root.the_POAManager().activate();
        PublishedFile.write(Path.of(args[0]), String.join(" ", references));
        orb.run();
    }
}
