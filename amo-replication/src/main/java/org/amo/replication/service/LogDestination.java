package org.amo.replication.service;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.ILoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/** Says once in a process that the log goes nowhere. Any thread. */
final class LogDestination {
    private final AtomicBoolean said = new AtomicBoolean();

    /** @param member names the member in the line */
    void check(ILoggerFactory loggers, String member, PrintStream err) {
        if (loggers instanceof NOPLoggerFactory && !said.getAndSet(true)) {
            err.println("amo: the log of " + member
                    + " goes nowhere, because no provider of SLF4J is on the class path; add"
                    + " one, for example org.slf4j:slf4j-simple");
        }
    }
}
