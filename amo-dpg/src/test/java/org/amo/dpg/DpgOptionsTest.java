package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Settings of a site that do not fit each other are refused when they are made. */
class DpgOptionsTest {
    /** The smallest settings that fit each other. */
    private static DpgOptions.Builder least() {
        return DpgOptions.builder()
                .maxBodyBytes(1)
                .buffers(1, 1)
                .graph(4, 4, 2)
                .maxSites(1)
                .maxRemulticastBytes(1)
                .reportMicros(1)
                .deliveryMicros(3, 4)
                .retrievalMicros(1)
                .absence(3, 1)
                .flowControl(1, 1, 1, 1);
    }

    private static void refused(Consumer<DpgOptions.Builder> setting) {
        DpgOptions.Builder builder = least();
        assertThrows(IllegalArgumentException.class, () -> {
            setting.accept(builder);
            builder.build();
        });
    }

    @Test
    void theLeastSettingsAreTakenAndEachBelowThemIsNot() {
        DpgOptions options = least().build();
        assertEquals(1, options.maxBodyBytes());
        assertEquals(3, options.absenceMicros());
        assertEquals(1, options.keptBuffers(), "as many as there are admission buffers");
        refused(each -> each.maxBodyBytes(0));
        refused(each -> each.buffers(0, 1));
        refused(each -> each.buffers(1, 0));
        refused(each -> each.buffers(1, 2).keptBuffers(1));
        assertEquals(3, least().buffers(1, 2).keptBuffers(3).build().keptBuffers());
        refused(each -> each.graph(3, 4, 2));
        refused(each -> each.graph(4, 3, 2));
        refused(each -> each.graph(4, 4, 1));
        refused(each -> each.maxSites(0));
        refused(each -> each.maxRemulticastBytes(0));
        refused(each -> each.reportMicros(0));
        refused(each -> each.absence(3, 0));
        refused(each -> each.retrievalMicros(0));
        refused(each -> each.flowControl(0, 1, 1, 1));
        refused(each -> each.flowControl(2, 1, 1, 1));
        refused(each -> each.flowControl(1, 1, 0, 1));
        refused(each -> each.flowControl(1, 1, 1, 0));
        refused(each -> each.unseenMicros(-1));
    }

    @Test
    void longerTimesOutlastShorterOnes() {
        refused(each -> each.deliveryMicros(2, 4)); // forcing, two reports
        refused(each -> each.deliveryMicros(3, 3)); // giving up, forcing
        refused(each -> each.retrievalMicros(4)); // giving up, retrieval
        refused(each -> each.absence(2, 1)); // absence, two reports
        refused(each -> each.reportMicros(5).deliveryMicros(10, 12).absence(11, 1));
        refused(each -> each.reportMicros(5).deliveryMicros(11, 12).absence(10, 1));
        assertEquals(
                7,
                least().unseenMicros(7)
                        .reportMicros(5)
                        .deliveryMicros(11, 12)
                        .absence(11, 1)
                        .build()
                        .unseenMicros());
    }

    @Test
    void aMessageIsWorthAtMostAReportsCycleAndNoMoreThanIdling() {
        DpgOptions counting = least().countMessages(1, 1).build();
        assertEquals(1, counting.messageMicros());
        refused(each -> each.countMessages(0, 1));
        refused(each -> each.countMessages(2, 2));
        refused(each -> each.reportMicros(2).deliveryMicros(5, 6).absence(5, 1).countMessages(2, 1));
        refused(each -> each.synchroniseClockRates(0));
        assertEquals(1, least().synchroniseClockRates(1).build().rateWindowMicros());
    }
}
