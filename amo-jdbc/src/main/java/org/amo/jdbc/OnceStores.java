package org.amo.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Finds the store of a database with its first connection, and checks the schema once. Any thread. */
class OnceStores {
    private volatile Optional<OnceStore> found = Optional.empty();

    OnceStore of(Connection connection) throws SQLException {
        Optional<OnceStore> known = found;
        if (known.isEmpty()) {
            OnceStore store = open(connection);
            OnceSchema.check(connection, store);
            known = Optional.of(store);
            found = known;
        }
        return known.get();
    }

    /** The seam of the tests' mutants. */
    OnceStore open(Connection connection) throws SQLException {
        return OnceStore.of(connection);
    }
}
