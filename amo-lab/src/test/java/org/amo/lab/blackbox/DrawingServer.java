package org.amo.lab.blackbox;

import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
 * A server that knows nothing of amo and gives replies that no two processes would give: {@code DrawingServer IORFILE}.
 */
public final class DrawingServer {
    private DrawingServer() {}

    public static void main(String[] args) throws UserException, IOException {
        ORB orb = ORB.init(args, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("drawing", root.the_POAManager(), policies);
        byte[] id = "x".getBytes(StandardCharsets.US_ASCII);
        poa.activate_object_with_id(id, new Drawing());
        Path file = Path.of(args[0]);
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, orb.object_to_string(poa.id_to_reference(id)));
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        root.the_POAManager().activate();
        orb.run();
    }

    /** A key with the identity hash of its object. */
    @SuppressWarnings("serial") // A program that does without.
    private static final class Key implements Serializable {
        private final int number;

        Key(int number) {
            this.number = number;
        }
    }

    /** Every operation draws. */
    @SuppressWarnings({"JavaUtilDate", "JavaTimeDefaultTimeZone"}) // sources of nondeterminism, on purpose
    private static final class Drawing extends Servant implements InvokeHandler {
        private final Map<Key, String> drawn = new HashMap<>();
        private final Random random = new Random();
        private final SecureRandom secure = new SecureRandom();
        private final transient Supplier<Instant> clock = Instant::now;

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Drawing:1.0"};
        }

        @Override
        public OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
            String reply =
                    switch (operation) {
                        case "uuid" -> UUID.randomUUID().toString();
                        case "time" ->
                            Instant.now() + " " + System.currentTimeMillis() + " " + System.nanoTime() + " "
                                    + new Date().getTime() + " " + LocalDateTime.now() + " " + clock.get();
                        case "random" ->
                            new Random().nextInt() + " " + random.nextGaussian() + " " + secure.nextLong() + " "
                                    + Math.random() + " "
                                    + ThreadLocalRandom.current().nextInt();
                        case "keep" -> keep();
                        case "order" ->
                            drawn.keySet().stream()
                                    .map(key -> Integer.toString(key.number))
                                    .collect(Collectors.joining(" "));
                        case "wait" -> waitFor(in.read_longlong());
                        default -> throw new org.omg.CORBA.BAD_OPERATION();
                    };
            OutputStream out = handler.createReply();
            out.write_string(reply);
            return out;
        }

        private String keep() {
            drawn.put(new Key(drawn.size()), UUID.randomUUID().toString());
            List<String> texts = new ArrayList<>(drawn.values());
            return texts.toString()
                    + System.identityHashCode(drawn.keySet().iterator().next());
        }

        /** A loop of the kind that ends with the time. */
        private static String waitFor(long millis) {
            long start = System.currentTimeMillis();
            while (System.currentTimeMillis() < start + millis) {
                Thread.onSpinWait();
            }
            return Long.toString(System.currentTimeMillis());
        }
    }
}
