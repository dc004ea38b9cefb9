package org.amo.lab.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Timer;
import java.util.TimerTask;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import matrix.Everything;
import matrix.EverythingHelper;
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
 * A server that knows nothing of amo, and whose operations start threads, tasks and timers, call libraries that it may lack, and call
 * another server: {@code TaskingServer IORFILE}.
 */
public final class TaskingServer {
    /** Names a file: the first timer of {@code overflowOnce} that finds it removes it, and overflows the stack. */
    static final String OVERFLOWS = "tasking.overflows";

    /** Names a file with the reference of the server that {@code call} calls. */
    static final String BACK = "tasking.back";

    private TaskingServer() {}

    public static void main(String[] args) throws UserException, IOException {
        ORB orb = ORB.init(args, null);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        Policy[] policies = {
            root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        };
        POA poa = root.create_POA("tasking", root.the_POAManager(), policies);
        byte[] id = "x".getBytes(StandardCharsets.US_ASCII);
        poa.activate_object_with_id(id, new Tasking(back(orb)));
        Path file = Path.of(args[0]);
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, orb.object_to_string(poa.id_to_reference(id)));
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        root.the_POAManager().activate();
        orb.run();
    }

    private static Optional<Everything> back(ORB orb) throws IOException {
        String file = System.getProperty(BACK, "");
        return file.isEmpty()
                ? Optional.empty()
                : Optional.of(EverythingHelper.narrow(orb.string_to_object(Files.readString(Path.of(file)))));
    }

    /** Counts what its tasks do. */
    @SuppressWarnings("FutureReturnValueIgnored") // as programs do
    private static final class Tasking extends Servant implements InvokeHandler {
        private static final ExecutorService POOL = Executors.newFixedThreadPool(4);
        private static final ScheduledExecutorService SCHEDULED = Executors.newScheduledThreadPool(2);
        private static final Timer TIMER = new Timer(true);

        private final AtomicLong started = new AtomicLong();
        private final AtomicLong threads = new AtomicLong();
        private final AtomicLong tasks = new AtomicLong();
        private final AtomicLong timers = new AtomicLong();

        /** Depends on the order of all that ran, and on what they drew. */
        private final AtomicReference<String> trace = new AtomicReference<>("");

        private final transient Optional<Everything> back;

        Tasking(Optional<Everything> back) {
            this.back = back;
        }

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Tasking:1.0"};
        }

        @Override
        public OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
            String reply =
                    switch (operation) {
                        case "start" -> start(in.read_longlong());
                        case "begin" -> begin();
                        case "signed" -> ticketOf("example.signed.Ticket");
                        case "later" -> ticketOf("example.later.Ticket");
                        case "call" -> call();
                        case "overflowLater" -> overflowLater();
                        case "overflowOnce" -> overflowOnce();
                        case "count" ->
                            started + " " + threads + " " + tasks + " " + timers + " "
                                    + Integer.toHexString(trace.get().hashCode());
                        default -> throw new org.omg.CORBA.BAD_OPERATION();
                    };
            OutputStream out = handler.createReply();
            out.write_string(reply);
            return out;
        }

        private void ran(String word) {
            trace.updateAndGet(before -> before + word + UUID.randomUUID() + System.nanoTime());
        }

        /** Its reply does not depend on the thread. */
        private String begin() {
            new Thread(threads::incrementAndGet).start();
            return Long.toString(started.incrementAndGet());
        }

        private static String ticketOf(String library) {
            try {
                return String.valueOf(Class.forName(library).getMethod("next").invoke(null));
            } catch (ReflectiveOperationException | LinkageError e) {
                return e.toString();
            }
        }

        /** Its reply does not depend on the number of calls: each member may make one. */
        private String call() {
            back.orElseThrow().count(1);
            return "called";
        }

        private static String overflowLater() {
            SCHEDULED.scheduleAtFixedRate(() -> recurse(0), 200, 200, TimeUnit.MILLISECONDS);
            return "set";
        }

        private String overflowOnce() {
            SCHEDULED.scheduleAtFixedRate(
                    () -> {
                        overflowIfAsked();
                        ran("tick");
                    },
                    200,
                    200,
                    TimeUnit.MILLISECONDS);
            return "set";
        }

        private static void overflowIfAsked() {
            String file = System.getProperty(OVERFLOWS, "");
            try {
                if (!file.isEmpty() && Files.deleteIfExists(Path.of(file))) {
                    recurse(0);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @SuppressWarnings("InfiniteRecursion")
        private static int recurse(int depth) {
            return recurse(depth + 1) + 1;
        }

        private String start(long delayMillis) {
            long number = started.incrementAndGet();
            new Thread(() -> {
                        threads.incrementAndGet();
                        ran("thread" + number);
                        POOL.execute(() -> ran("below" + number));
                    })
                    .start();
            POOL.execute(() -> {
                tasks.incrementAndGet();
                ran("task" + number);
            });
            TimerTask task = new TimerTask() {
                @Override
                public void run() {
                    timers.incrementAndGet();
                    ran("timer" + number);
                }
            };
            TIMER.schedule(task, delayMillis);
            SCHEDULED.schedule(() -> ran("scheduled" + number), delayMillis / 2, TimeUnit.MILLISECONDS);
            long sum = LongStream.range(0, 1_000).parallel().sum();
            long awaited =
                    CompletableFuture.supplyAsync(() -> sum + threads.get()).join();
            return number + " " + awaited + " " + UUID.randomUUID();
        }
    }
}
