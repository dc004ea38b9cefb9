package org.amo.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import org.amo.lab.load.LoadReport;

/**
 * The work of a run. One that has done too little proves nothing, so it must not pass.
 *
 * @param calls made while the load lasted
 * @param ok those that were answered
 * @param failed those that certainly did not run
 * @param defects those that ended as none may
 * @param tried faults that had their time
 * @param made faults that happened
 */
record RunWork(long calls, long ok, long failed, long defects, int tried, int made) {
    /** Of calls that may be refused. */
    static final double MOST_FAILED_PERCENT = 50;

    /** @param clients each of which made one call before the load, to connect */
    static RunWork of(List<LoadReport> reports, int clients, Injector injector) {
        return new RunWork(
                reports.stream().mapToLong(LoadReport::calls).sum() - clients,
                reports.stream().mapToLong(LoadReport::ok).sum() - clients,
                reports.stream().mapToLong(LoadReport::failed).sum(),
                reports.stream().mapToLong(LoadReport::defects).sum(),
                injector.tried(),
                injector.counts().values().stream().mapToInt(Integer::intValue).sum());
    }

    /** One line for each reason why the run proves nothing. */
    List<String> lacks() {
        List<String> lacks = new ArrayList<>();
        if (ok <= 0) {
            lacks.add("no call was answered while the load lasted");
        }
        if (100.0 * failed > MOST_FAILED_PERCENT * calls) {
            lacks.add("more than " + MOST_FAILED_PERCENT + " % of the calls did not run");
        }
        if (defects > 0) {
            lacks.add(defects + " clients stopped at an exception that no call may have");
        }
        if (tried > 0 && made == 0) {
            lacks.add("none of the " + tried + " faults was made");
        }
        return lacks;
    }
}
