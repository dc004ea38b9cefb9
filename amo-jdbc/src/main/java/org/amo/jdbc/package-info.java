/**
 * Calls that run exactly once into the database that a service already has: {@link org.amo.jdbc.JdbcResultStore} keeps their records.
 * The rules: docs/how-to/exactly-once-into-your-database.md and docs/decisions/0114.
 */
@NullMarked
package org.amo.jdbc;

import org.jspecify.annotations.NullMarked;
