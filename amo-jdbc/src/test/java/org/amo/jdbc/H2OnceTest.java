package org.amo.jdbc;

/** The contract over H2, embedded. */
final class H2OnceTest extends OnceContract {
    @Override
    TestDatabase database() {
        return TestDatabase.h2("once");
    }
}
