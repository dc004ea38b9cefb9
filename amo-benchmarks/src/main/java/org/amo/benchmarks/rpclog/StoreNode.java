package org.amo.benchmarks.rpclog;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.ObjectKey;
import org.amo.linearizable.rocksdb.Operation;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rocksdb.StoreStatus;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.replication.rpc.FrameServer;
import org.amo.replication.rpc.FrameServerOptions;
import org.amo.replication.rpc.PlainService;

/**
 * A store in a process of its own, behind the connections of a kv server: {@code StoreNode FOLDER DURABILITY}. It says {@code ready}, and
 * answers each line on its standard input with its port. It ends with its input.
 */
final class StoreNode extends PlainService {
    static final String GROUP = "store";
    private static final int MAX_STATUS = 32;

    private final LinearizableStore store;

    private StoreNode(LinearizableStore store) {
        this.store = store;
    }

    /** @param header empty for a regular write */
    static byte[] request(Optional<RpcHeader> header, ObjectKey key, byte[] value) {
        WireWriter writer = new WireWriter(96 + value.length);
        writer.u8(header.isPresent() ? 1 : 0);
        header.ifPresent(each -> each.write(writer));
        writer.blob(key.key());
        writer.blob(value);
        return writer.toBytes();
    }

    static StoreOutcome.Status status(byte[] reply) {
        return StoreOutcome.Status.valueOf(new WireReader("reply", reply).text("status", MAX_STATUS));
    }

    @Override
    public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
        WireReader reader = new WireReader("write", request.body());
        Optional<RpcHeader> header =
                reader.flag("linearizable") ? Optional.of(RpcHeader.read(reader)) : Optional.empty();
        ObjectKey key = new ObjectKey(1, reader.blob("key", ObjectKey.MAX_KEY));
        Operation write = StoreClient.write(reader.blob("value", request.body().length));
        CompletableFuture<StoreOutcome> outcome =
                header.isPresent() ? store.call(header.get(), key, write) : store.callUnrecorded(key, write);
        CompletableFuture<Void> unused = outcome.thenAccept(done -> {
            WireWriter reply = new WireWriter(MAX_STATUS);
            reply.text(done.status().name());
            listener.onAnswer(Answer.reply(reply.toBytes(), 0, Answer.NO_BOUND));
        });
    }

    public static void main(String[] args) throws IOException {
        LinearizableStore store = StoreClient.open(Path.of(args[0]), Durability.valueOf(args[1]));
        StoreStatus ready = StoreClient.awaitReady(store);
        try (FrameServer server = FrameServer.open(
                FrameServerOptions.builder(GROUP, "s", body -> 0).build(), new StoreNode(store))) {
            System.out.println(ready.ready() ? "ready" : "not ready");
            BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
            while (questions.readLine() != null) {
                System.out.println(server.port());
            }
        }
        // No caller waits for a graceful end.
        Runtime.getRuntime().halt(0);
    }
}
