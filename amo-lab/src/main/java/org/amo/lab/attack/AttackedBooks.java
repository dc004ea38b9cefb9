package org.amo.lab.attack;

import java.util.List;
import java.util.Map;
import org.amo.cli.CliException;
import org.amo.lab.load.BankAudit;
import org.amo.lab.load.Clients;
import org.amo.lab.load.LoadReport;
import org.amo.lab.load.LoadVerdict;

/** Compares the service's books with the records of honest clients, and with what attacks know of their own calls. */
final class AttackedBooks {
    private AttackedBooks() {}

    /**
     * The result of the comparison.
     *
     * @param executedTwice executions too many
     * @param lost answered calls that did not run
     * @param complete false if it is not known, or if a client or an attack did not call as it must
     */
    record Judgement(long executedTwice, long lost, boolean complete) {
        static final Judgement UNKNOWN = new Judgement(0, 0, false);
    }

    /**
     * Asks the service for its books.
     *
     * @param expected executions on accounts of all attacks so far
     * @param remarks told a line for each reason of a failure
     */
    static Judgement judge(
            Service service, Clients clients, Map<String, Target.Bounds> expected, List<String> remarks) {
        try {
            List<LoadReport> reports = clients.reports();
            remarks.addAll(Clients.problems(reports));
            boolean complete = reports.stream().allMatch(report -> report.defects() == 0);
            if (!complete) {
                remarks.add("an honest client stopped at an exception that no call may have");
            }
            BankAudit.Books books = clients.books();
            // Attacks deposit where they like; whether their calls ran once is asked for the accounts that they name.
            LoadVerdict verdict = service.clients().verdict(reports, books.of(reports));
            remarks.addAll(verdict.remarks());
            long twice = verdict.executedTwice();
            long lost = verdict.lost();
            for (Map.Entry<String, Target.Bounds> each : expected.entrySet()) {
                long ran = books.lines().stream()
                        .filter(line -> line.account().equals(each.getKey()))
                        .mapToLong(service::executions)
                        .sum();
                Target.Bounds bounds = each.getValue();
                if (ran > bounds.most() || ran < bounds.least()) {
                    remarks.add("account " + each.getKey() + ": " + ran + " executions, expected " + bounds.least()
                            + " to " + bounds.most());
                }
                if (bounds.some() && ran == 0) {
                    complete = false;
                    remarks.add("no call of the attack on account " + each.getKey() + " ran, so it attacked nothing");
                }
                twice += Math.max(0, ran - bounds.most());
                lost += Math.max(0, bounds.least() - ran);
            }
            return new Judgement(twice, lost, complete);
        } catch (CliException e) {
            remarks.add(String.valueOf(e.getMessage()));
            return Judgement.UNKNOWN;
        }
    }
}
