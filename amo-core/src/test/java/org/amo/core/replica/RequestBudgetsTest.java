package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** The calls a second in a snapshot: each bucket once, in rising order, and none that is full. */
final class RequestBudgetsTest {
    private static final ClientId C = new ClientId(1, 1);
    private static final ClientId D = new ClientId(2, 2);
    private static final Principal FIRST = new Principal(5);
    private static final Principal SECOND = new Principal(-5);
    private static final long NOW = 7_000;
    private static final long FULL_AGAIN = 1_000 * NOW + 1;

    @Test
    void bucketsAreReadAsTheyWereWritten() {
        byte[] bytes = written(writer -> {
            writer.varint(2);
            client(writer, C, FULL_AGAIN);
            client(writer, D, FULL_AGAIN + 500);
            writer.varint(2);
            principal(writer, FIRST, FULL_AGAIN);
            principal(writer, SECOND, FULL_AGAIN + 500);
        });
        RequestBudgets budgets = restored(bytes);
        WireWriter again = new WireWriter(64);
        budgets.write(again, NOW);
        assertArrayEquals(bytes, again.toBytes());
    }

    @Test
    void aBucketThatIsFullByNowIsNoPartOfASnapshot() {
        refused(writer -> {
            writer.varint(1);
            client(writer, C, FULL_AGAIN - 1);
            writer.varint(0);
        });
        refused(writer -> {
            writer.varint(0);
            writer.varint(1);
            principal(writer, FIRST, FULL_AGAIN - 1);
        });
    }

    @Test
    void noBucketComesTwice() {
        refused(writer -> {
            writer.varint(2);
            client(writer, C, FULL_AGAIN);
            client(writer, C, FULL_AGAIN);
            writer.varint(0);
        });
        refused(writer -> {
            writer.varint(0);
            writer.varint(2);
            principal(writer, FIRST, FULL_AGAIN);
            principal(writer, FIRST, FULL_AGAIN);
        });
    }

    @Test
    void bucketsRise() {
        refused(writer -> {
            writer.varint(2);
            client(writer, D, FULL_AGAIN);
            client(writer, C, FULL_AGAIN);
            writer.varint(0);
        });
        refused(writer -> {
            writer.varint(0);
            writer.varint(2);
            principal(writer, SECOND, FULL_AGAIN);
            principal(writer, FIRST, FULL_AGAIN);
        });
    }

    @Test
    void noClientComesTwice() {
        WireReader reader = new WireReader("snapshot", new byte[0]);
        assertEquals(D, RequestBudgets.after(Optional.of(C), D, reader));
        assertThrows(MalformedFrameException.class, () -> RequestBudgets.after(Optional.of(C), C, reader));
        assertThrows(MalformedFrameException.class, () -> RequestBudgets.after(Optional.of(D), C, reader));
    }

    private static void client(WireWriter writer, ClientId client, long fullAgain) {
        writer.clientId(client);
        writer.i64(fullAgain);
    }

    private static void principal(WireWriter writer, Principal principal, long fullAgain) {
        writer.i64(principal.hash());
        writer.i64(fullAgain);
    }

    private static byte[] written(Consumer<WireWriter> content) {
        WireWriter writer = new WireWriter(64);
        content.accept(writer);
        return writer.toBytes();
    }

    private static RequestBudgets restored(byte[] bytes) {
        RecordMemory memory = RecordMemory.heap(0);
        RequestBudgets budgets = new RequestBudgets(memory.newClientRecords(), memory.newForeignRecords());
        budgets.restore(new WireReader("snapshot", bytes), NOW);
        return budgets;
    }

    private static void refused(Consumer<WireWriter> content) {
        byte[] bytes = written(content);
        assertThrows(MalformedFrameException.class, () -> restored(bytes));
    }
}
