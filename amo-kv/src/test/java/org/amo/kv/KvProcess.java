package org.amo.kv;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.Operation;
import org.amo.linearizable.rocksdb.StoreException;
import org.amo.linearizable.rocksdb.StoredObject;

/**
 * A coordinator or a server in a process of its own, which ends when its standard input does:
 * {@code coordinator ID COORDINATORS SECRET DATA TERM SERVERS DEADAFTER BACKUPS},
 * {@code server ID COORDINATORS SECRET DIRECTORY PORT ADVERTISED} or {@code backup ID COORDINATORS SECRET DIRECTORY PORT}. The
 * secret is {@code -} if there is none, and {@code tls:STORE} for a certificate of {@link KvCertificates}.
 */
public final class KvProcess {
    static final String NO_SECRET = "-";
    static final String TLS = "tls:";

    /** A named operation of the servers: puts the argument behind the value, and answers the new length. */
    static final String APPEND = "append";

    private KvProcess() {}

    public static void main(String[] args) throws IOException {
        KvAccess access = access(args[2], args[3]);
        if (args[0].equals("coordinator")) {
            KvSettings settings = new KvSettings(
                    Long.parseLong(args[5]),
                    1_000,
                    8,
                    Integer.parseInt(args[6]),
                    Long.parseLong(args[7]),
                    Integer.parseInt(args[8]));
            startAgain(args[1], access, Path.of(args[4]), settings);
        } else if (args[0].equals("backup")) {
            KvBackup.Options options = new KvBackup.Options(
                    args[1], "127.0.0.1", Integer.parseInt(args[5]), Path.of(args[4]), Durability.FSYNC);
            KvBackup.start(options, access, KvProcess::exit);
        } else {
            KvServer.Options options = KvServer.Options.builder(args[1], Path.of(args[4]))
                    .listen("127.0.0.1", Integer.parseInt(args[5]))
                    .advertisedPort(Integer.parseInt(args[6]))
                    .operation(APPEND, KvProcess::append)
                    .build();
            try {
                KvServer.start(options, access, KvProcess::exit);
            } catch (StoreException e) {
                exit(String.valueOf(e.getMessage()));
            }
        }
        System.out.println("serves");
        System.out.flush();
        while (System.in.read() >= 0) {
            // What the test writes has no meaning; the end of it has.
        }
        Runtime.getRuntime().halt(143);
    }

    private static Operation.Change append(byte[] argument, Optional<StoredObject> object) {
        byte[] before = object.map(StoredObject::value).orElse(new byte[0]);
        byte[] value = Arrays.copyOf(before, before.length + argument.length);
        System.arraycopy(argument, 0, value, before.length, argument.length);
        return Operation.Change.put(value, Integer.toString(value.length).getBytes(StandardCharsets.US_ASCII));
    }

    /** @param proof a secret, or that there is none, or a certificate */
    static KvAccess access(String coordinators, String proof) {
        if (proof.startsWith(TLS)) {
            Path store = Path.of(proof.substring(TLS.length()));
            return new KvAccess(coordinators, Optional.empty(), Optional.of(KvCertificates.of(store)));
        }
        return new KvAccess(coordinators, Optional.of(proof).filter(each -> !each.equals(NO_SECRET)));
    }

    /** As a supervisor would: until the others have noticed that the one before it is dead. */
    private static void startAgain(String id, KvAccess access, Path data, KvSettings settings) {
        long giveUp = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (true) {
            try {
                KvCoordinator.start(
                        id,
                        access,
                        data,
                        ReplicaSettings.Log.FILE,
                        settings,
                        why -> exit(String.valueOf(why.getMessage())));
                return;
            } catch (OrderedLogException e) {
                if (!String.valueOf(e.getMessage()).contains("already member") || System.nanoTime() > giveUp) {
                    throw e;
                }
            }
        }
    }

    private static void exit(String why) {
        System.err.println(why);
        Runtime.getRuntime().halt(3);
    }
}
