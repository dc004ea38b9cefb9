package org.amo.examples.kv;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.kv.KvAccess;
import org.amo.kv.KvClient;
import org.amo.kv.KvCoordinator;
import org.amo.kv.KvServer;
import org.amo.kv.KvSettings;
import org.amo.linearizable.rocksdb.Operation.Change;
import org.amo.linearizable.rocksdb.StoredObject;

/**
 * A cluster in one process. Its server has an operation of its own, which moves cents from one field of an object to the other, once
 * for each call. {@code Wallet FOLDER} moves 5 cents, and prints both fields.
 */
public final class Wallet {
    private static final byte[] KEY = "ann".getBytes(StandardCharsets.UTF_8);

    private Wallet() {}

    public static void main(String[] args) {
        System.out.println(pay("a=127.0.0.1:7801/9801", Path.of(args[0]), 5));
    }

    /** The wallet begins with savings of 100 cents, and stays in the folder. */
    static String pay(String coordinators, Path folder, long cents) {
        KvAccess access = new KvAccess(coordinators, Optional.empty());
        KvSettings settings = KvSettings.builder().servers(1).tablets(1).build();
        KvServer.Options options = KvServer.Options.builder("s1", folder.resolve("s1"))
                .operation("transfer", Wallet::transfer)
                .build();
        try (KvCoordinator coordinator = KvCoordinator.start(
                        "a", access, folder.resolve("a"), Log.FSYNC, settings, System.err::println);
                KvServer server = KvServer.start(options, access, System.err::println);
                KvClient client = KvClient.open(access)) {
            client.conditionalWrite(KEY, 0, fields(100, 0));
            byte[] amount = ByteBuffer.allocate(Long.BYTES).putLong(cents).array();
            return text(client.call("transfer", KEY, amount).value());
        }
    }

    /** Moves cents from savings to cash if there are enough; the answer is both fields. */
    static Change transfer(byte[] amount, Optional<StoredObject> wallet) {
        ByteBuffer now = ByteBuffer.wrap(wallet.orElseThrow().value());
        long cents = ByteBuffer.wrap(amount).getLong();
        long savings = now.getLong();
        if (cents < 0 || cents > savings) {
            return Change.keep(now.array());
        }
        byte[] then = fields(savings - cents, now.getLong() + cents);
        return Change.put(then, then);
    }

    static byte[] fields(long savings, long cash) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(savings)
                .putLong(cash)
                .array();
    }

    static String text(byte[] wallet) {
        ByteBuffer fields = ByteBuffer.wrap(wallet);
        return "savings " + fields.getLong() + ", cash " + fields.getLong();
    }
}
