package org.amo.meetings;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Stops processes and lets them go on, by the program {@code kill}: Java itself can only end them. */
final class Signals {
    private Signals() {}

    /** SIGSTOP: connections stay open, and nothing answers. */
    static void stop(List<ProcessHandle> processes) throws IOException {
        send("-STOP", processes);
    }

    /** SIGCONT. */
    static void goOn(List<ProcessHandle> processes) throws IOException {
        send("-CONT", processes);
    }

    private static void send(String signal, List<ProcessHandle> processes) throws IOException {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        processes.forEach(each -> command.add(Long.toString(each.pid())));
        try {
            int code = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (code != 0) {
                throw new IOException(command + " ended with code " + code);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted: " + command, e);
        }
    }
}
