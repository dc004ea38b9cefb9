/** Calls that run exactly once into a service's own database, over JDBC. */
module org.amo.jdbc {
    requires static transitive org.jspecify;
    requires transitive org.amo.base;
    requires transitive java.sql;

    // The executor, its keys, options and schema.
    exports org.amo.jdbc;
}
