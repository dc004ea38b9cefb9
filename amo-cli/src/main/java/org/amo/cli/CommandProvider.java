package org.amo.cli;

import java.util.List;

/** Adds commands to {@code amo}. {@link java.util.ServiceLoader} finds its implementations on the class path. */
public interface CommandProvider {
    /** Commands that the help lists before those of amo-cli; picocli makes an object of each class. */
    List<Class<?>> first();

    /** Commands that the help lists after those of amo-cli. */
    List<Class<?>> last();
}
