package org.amo.lab.blackbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

/** A server that knows nothing of amo, with objects that share no state: {@code CellsServer IORFILE}. */
public final class CellsServer {
    static final int CELLS = 20;

    /** The server prints it when two operations have run at the same time. */
    static final String OVERLAP = "two operations at the same time";

    /** The same of two operations of one object. */
    static final String CLASH = "two operations of one object at the same time";

    private static final AtomicInteger RUNNING = new AtomicInteger();
    private static final AtomicBoolean TOLD = new AtomicBoolean();

    private CellsServer() {}

    /** Publishes the references of all cells, with a space between them. */
    public static void main(String[] args) throws UserException, IOException {
        ORB orb = ORB.init(args, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("cells", root.the_POAManager(), policies);
        List<String> references = new ArrayList<>();
        for (int cell = 0; cell < CELLS; cell++) {
            byte[] id = ("cell-" + cell).getBytes(StandardCharsets.US_ASCII);
            poa.activate_object_with_id(id, new Cell());
            references.add(orb.object_to_string(poa.id_to_reference(id)));
        }
        Path file = Path.of(args[0]);
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, String.join(" ", references));
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        root.the_POAManager().activate();
        orb.run();
    }

    /** A sum whose replies tell time, random numbers and the operations before. */
    private static final class Cell extends Servant implements InvokeHandler {
        private final Map<String, Long> drawn = new HashMap<>();
        private final transient AtomicInteger inside = new AtomicInteger();
        private long sum;

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Cell:1.0"};
        }

        @Override
        public OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
            if (!operation.equals("add")) {
                throw new org.omg.CORBA.BAD_OPERATION();
            }
            String reply = add(in.read_longlong());
            OutputStream out = handler.createReply();
            out.write_string(reply);
            return out;
        }

        private String add(long summand) {
            if (inside.incrementAndGet() > 1) {
                System.out.println(CLASH);
            }
            if (RUNNING.incrementAndGet() > 1 && TOLD.compareAndSet(false, true)) {
                System.out.println(OVERLAP);
            }
            try {
                sum = 31 * sum + summand;
                String id = UUID.randomUUID().toString();
                drawn.put(id, System.currentTimeMillis());
                // Long enough for an operation of another object to begin.
                Thread.sleep(summand % 3);
                return sum + " " + id + " " + System.nanoTime() + " " + drawn.size();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new org.omg.CORBA.INTERNAL();
            } finally {
                RUNNING.decrementAndGet();
                inside.decrementAndGet();
            }
        }
    }
}
