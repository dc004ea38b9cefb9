package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.fts.idl.HelloPOA;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The paper's server, an ordinary CORBA program: {@code HelloServer IORFILE}. It writes its {@link Allocations}, too. */
final class HelloServer {
    private static final long EVERY_MILLIS = 500;

    private HelloServer() {}

    /** Keeps one greeting. */
    private static final class Servant extends HelloPOA {
        private String greeting = "";
        private long calls;

        @Override
        public synchronized String greeting() {
            return greeting;
        }

        @Override
        public synchronized void set_greeting(String text) {
            greeting = text;
            calls++;
        }

        synchronized long calls() {
            return calls;
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
        Servant servant = new Servant();
        poa.activate_object_with_id(id, servant);
        root.the_POAManager().activate();
        Path file = Path.of(args[0]);
        Allocations.publish(file, 0);
        PublishedFile.write(file, orb.object_to_string(poa.id_to_reference(id)));
        DaemonThreads.start("amo-bench-allocations", () -> publish(file, servant));
        orb.run();
    }

    private static void publish(Path file, Servant servant) {
        try {
            while (true) {
                Thread.sleep(EVERY_MILLIS);
                Allocations.publish(file, servant.calls());
            }
        } catch (IOException e) {
            System.err.println("allocations are written no more: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
