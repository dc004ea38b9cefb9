package org.amo.examples.grid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GridTest {
    /** Konorski, section 2: "a mere 10% operation throughput drop with as much as 5% messages violating ADO". */
    @Test
    void fivePercentOutOfOrderCostAboutATenthOfTheOperations() {
        double loss = Grid.lossPercent(0.05, 10);
        System.out.printf("5 %% of the messages out of order: %.1f %% fewer operations%n", loss);
        assertTrue(loss > 1 && loss < 25, "lost " + loss + " %");
        assertTrue(Grid.lossPercent(0.01, 10) < loss);
    }

    @Test
    void inOneOrderHardlyAnyRequestWaitsInVain() {
        GridSimulation.Result result = GridSimulation.run(GridSettings.DEFAULT, 0, 10, 1);
        assertTrue(result.done() > 500, result::toString);
        assertTrue(result.timeouts() * 100 < result.done(), result::toString);
        assertEquals(result, GridSimulation.run(GridSettings.DEFAULT, 0, 10, 1));
        assertTrue(GridSimulation.run(GridSettings.DEFAULT, 0.05, 10, 1).timeouts() > result.timeouts());
    }

    @Test
    void messagesAreReadAsTheyWereWritten() {
        GridMessage message = GridMessage.allocation(3, 4, 5L << 40, 6, 7L << 33);
        assertEquals(message, GridMessage.of(message.toBytes()));
        assertArrayEquals(message.toBytes(), GridMessage.of(message.toBytes()).toBytes());
    }

    @Test
    void disorderLosesAndDoublesNothingButTheLast() {
        List<Long> got = new ArrayList<>();
        Disorder disorder = new Disorder(0.2, 7, message -> got.add(message.number()));
        for (long i = 0; i < 1_000; i++) {
            disorder.accept(GridMessage.request(0, i, 1));
        }
        assertEquals(got.size(), got.stream().distinct().count());
        assertTrue(got.size() >= 995, "got " + got.size());
        assertTrue(!got.equals(got.stream().sorted().toList()), "all in order");
    }

    /** Row D11, as an application sees it. */
    @Test
    @Timeout(120)
    void overDpgTheOthersWorkOnWhileSitesComeAndGo() throws Exception {
        try (DpgNetwork dpg = DpgNetwork.inOneProcess(GridSettings.DEFAULT.sites())) {
            Grid.Outcome outcome = Grid.run(dpg, 0, 2, 10);
            System.out.println("two sites toggling over DPG: " + outcome);
            assertTrue(outcome.done() > 50, outcome::toString);
            assertTrue(outcome.presence() < GridSettings.DEFAULT.sites(), outcome::toString);
        }
    }
}
