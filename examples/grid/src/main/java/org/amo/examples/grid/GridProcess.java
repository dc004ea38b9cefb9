package org.amo.examples.grid;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Runs one of three sites in a process of its own, and prints a line each second: kill one, and the others work on.
 *
 * <p>Arguments: the site, 1 to 3, and the first of five UDP ports of the loopback. Default: 7931. Sites 1 and 2 have the tag
 * sequencer and its standby in their processes.
 */
final class GridProcess {
    /** An operation takes 20 ms and half of the units at most. */
    private static final GridSettings SETTINGS = new GridSettings(3, 6, 3, 20_000, 500_000);

    private static final int FIRST_PORT = 7_931;

    private GridProcess() {}

    public static void main(String[] args) throws Exception {
        int site = args.length > 0 && args[0].matches("[1-3]") ? Integer.parseInt(args[0]) : 0;
        if (site == 0) {
            System.err.println("say which site this is: GridProcess 1|2|3 [FIRST_PORT]");
            System.exit(2);
        }
        int firstPort = args.length > 1 ? Integer.parseInt(args[1]) : FIRST_PORT;
        try (DpgNetwork network = DpgNetwork.ofSite(site - 1, SETTINGS.sites(), firstPort);
                GridMember member = new GridMember(site - 1, SETTINGS, 0, System.nanoTime(), network)) {
            print(site, member);
        } catch (IOException e) {
            System.err.println(e.getMessage());
            System.exit(3);
        }
    }

    private static void print(int site, GridMember member) throws InterruptedException {
        long doneBefore = 0;
        long timeoutsBefore = 0;
        while (true) {
            TimeUnit.SECONDS.sleep(1);
            long done = member.done();
            long timeouts = member.timeouts();
            System.out.printf(
                    "site %d: %d operations, %d requests timed out%n",
                    site, done - doneBefore, timeouts - timeoutsBefore);
            doneBefore = done;
            timeoutsBefore = timeouts;
        }
    }
}
