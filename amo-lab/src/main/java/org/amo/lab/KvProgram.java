package org.amo.lab;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.amo.cli.CliException;
import org.amo.linearizable.rocksdb.StoreException;
import picocli.CommandLine.Model.CommandSpec;

/** The life of a process of {@code amo kv} that has a store. */
final class KvProgram {
    private KvProgram() {}

    /** Ends the command with one line if the program cannot start. */
    static <P> P start(Supplier<P> program) {
        try {
            return program.get();
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        } catch (StoreException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Waits until the program ends, which ends the command.
     *
     * @param line says that it serves
     * @param ended is told why it ended
     */
    static CliException serve(CommandSpec spec, String line, Runnable close, CompletableFuture<String> ended) {
        Runtime.getRuntime().addShutdownHook(new Thread(close));
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
        return CliException.environment(ended.join());
    }
}
