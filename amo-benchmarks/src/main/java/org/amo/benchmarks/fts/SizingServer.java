package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.amo.core.replica.ReplicaSettings;
import org.amo.observe.ObservationOptions;
import org.amo.replication.service.AmoReplica;
import org.amo.replication.service.AmoState;

/**
 * A member whose state has a size that is chosen: {@code -Damo.id -Damo.members -Damo.data -Dbench.stateBytes SizingServer FILE}. A call
 * replaces one record of the state. The log is forced to the disk. When it serves, it writes the port of its metrics to the file.
 */
final class SizingServer {
    static final String GROUP = "sizing";
    static final int RECORD_BYTES = 1_000;
    private static final byte[] DONE = {1};

    private SizingServer() {}

    private static final class Records implements AmoState {
        private final byte[][] records;
        private int next;

        Records(int bytes) {
            records = new byte[Math.max(1, bytes / RECORD_BYTES)][RECORD_BYTES];
        }

        byte[] replaceNext(byte[] request) {
            records[next] = Arrays.copyOf(request, RECORD_BYTES);
            next = (next + 1) % records.length;
            return DONE;
        }

        @Override
        public byte[] take() {
            ByteBuffer all = ByteBuffer.allocate(Integer.BYTES + records.length * RECORD_BYTES);
            all.putInt(next);
            for (byte[] each : records) {
                all.put(each);
            }
            return all.array();
        }

        @Override
        public void restore(byte[] state) {
            ByteBuffer all = ByteBuffer.wrap(state);
            next = all.getInt();
            for (byte[] each : records) {
                all.get(each);
            }
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Records records = new Records(Integer.getInteger("bench.stateBytes", 0));
        AmoReplica replica = AmoReplica.builder(GROUP)
                .id(System.getProperty("amo.id", ""))
                .members(System.getProperty("amo.members", ""))
                .data(Path.of(System.getProperty("amo.data", "")))
                .insecure()
                .log(ReplicaSettings.Log.FSYNC)
                .handler((request, context) -> records.replaceNext(request))
                .state(records)
                .observe(ObservationOptions.builder(0).build())
                .onEnded(why -> {
                    System.err.println(why.getMessage());
                    Runtime.getRuntime().halt(1);
                })
                .start();
        PublishedFile.write(
                Path.of(args[0]), Integer.toString(replica.observationPort().orElseThrow()));
        new CountDownLatch(1).await();
    }
}
