package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** Equal parameters have equal bytes: the weights of principals stand in rising order, each once. */
final class GroupParametersCodecTest {
    /** A principal of 8 bytes, and a weight that fits in one. */
    private static final int WEIGHT_BYTES = 9;

    private static final GroupParameters PARAMETERS = GroupParameters.builder()
            .weight(new Principal(7), 2)
            .weight(new Principal(9), 3)
            .build();

    @Test
    void weightsAreReadAsTheyWereWritten() {
        assertEquals(PARAMETERS, GroupParametersCodec.read(new WireReader("parameters", written())));
    }

    @Test
    void weightsThatDoNotRiseAreRefused() {
        byte[] swapped = written();
        System.arraycopy(
                written(), swapped.length - WEIGHT_BYTES, swapped, swapped.length - 2 * WEIGHT_BYTES, WEIGHT_BYTES);
        System.arraycopy(
                written(), swapped.length - 2 * WEIGHT_BYTES, swapped, swapped.length - WEIGHT_BYTES, WEIGHT_BYTES);
        assertRefused(swapped);
    }

    @Test
    void twoWeightsOfOnePrincipalAreRefused() {
        byte[] twice = written();
        System.arraycopy(written(), twice.length - 2 * WEIGHT_BYTES, twice, twice.length - WEIGHT_BYTES, WEIGHT_BYTES);
        assertRefused(twice);
    }

    private static void assertRefused(byte[] bytes) {
        MalformedFrameException refused = assertThrows(
                MalformedFrameException.class, () -> GroupParametersCodec.read(new WireReader("parameters", bytes)));
        assertTrue(refused.getMessage().contains("weighted principal"), refused.getMessage());
    }

    private static byte[] written() {
        WireWriter writer = new WireWriter(64);
        GroupParametersCodec.write(writer, PARAMETERS);
        return writer.toBytes();
    }
}
