package org.amo.lab.blackbox.corba;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.omg.CORBA.ORB;

/** ORBs of the tests' own process, which know nothing of amo and say nothing. */
final class PlainOrb {
    /** Held here, or its level would be forgotten. */
    private static final Logger QUIET = Logger.getLogger("org.jacorb");

    static {
        QUIET.setLevel(Level.OFF);
    }

    private PlainOrb() {}

    static ORB create() {
        return create(new Properties());
    }

    static ORB create(Properties properties) {
        return ORB.init(new String[0], properties);
    }

    /** A reference as it stands in a file. */
    static org.omg.CORBA.Object read(ORB orb, Path file) {
        try {
            return orb.string_to_object(Files.readString(file).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
