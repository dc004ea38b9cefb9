/** Calls that run exactly once into a service's own database, over JDBC. */
module org.amo.jdbc {
    requires static transitive org.jspecify;
    requires static transitive jakarta.servlet;
    requires transitive org.amo.once;
    requires transitive java.sql;

    // The store of completion records over a DataSource, and its schema.
    exports org.amo.jdbc;

    // The filter for the header Idempotency-Key.
    exports org.amo.jdbc.servlet;
}
